/**
 * A file as it was at one moment: bytes and permissions. Plans compare images, so that a change that another program makes
 * between reading and writing is seen.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { systemCode } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';

export interface FileImage {
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

/** More than any file that we read or edit can sensibly hold, in bytes: it is a mistake, and would fill the memory. */
const LARGEST = 16 * 1024 * 1024;

/** What else than a file can be found at a path. */
export type OddKind = 'folder' | 'device' | 'pipe' | 'socket';

/** Reads a file through links; undefined when there is none. Throws a refusal when it cannot be read, or is no plain file. */
export function readImage(path: string): FileImage | undefined {
  try {
    const status = statSync(path);
    requirePlainFile(path, status);
    return { bytes: readFileSync(path), mode: status.mode & 0o7777 };
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    const code = systemCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Refusal({
      code: 'file/unreadable',
      file: path,
      say: (t) => t.unreadable(path, code ?? 'error'),
      next: (t) => (code === 'ELOOP' ? t.linkLoopNext : t.permissionsNext),
      cause,
    });
  }
}

/**
 * Throws a refusal for what must be neither read nor replaced: reading a pipe waits for somebody who writes, a device may
 * never end, and a rename would put a plain file in the place of either.
 */
export function requirePlainFile(path: string, status: Stats): void {
  if (!status.isFile()) {
    const kind = kindOf(status);
    throw new Refusal({
      code: 'file/not-plain',
      file: path,
      say: (t) => t.notPlain(path, kind),
      next: (t) => t.notPlainNext,
    });
  }
  if (status.size > LARGEST) {
    throw new Refusal({
      code: 'file/too-large',
      file: path,
      say: (t) => t.tooLarge(path, LARGEST / (1024 * 1024)),
      next: (t) => t.notPlainNext,
    });
  }
}

function kindOf(status: Stats): OddKind {
  if (status.isDirectory()) return 'folder';
  if (status.isFIFO()) return 'pipe';
  return status.isSocket() ? 'socket' : 'device';
}

export function sameImage(one: FileImage | undefined, other: FileImage | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.mode === other.mode && Buffer.compare(one.bytes, other.bytes) === 0;
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
