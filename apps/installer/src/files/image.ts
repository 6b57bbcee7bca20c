/**
 * A file as it was at one moment: bytes and permissions. Plans compare images, so that a change that another program makes
 * between reading and writing is seen.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { systemCode } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';

export interface FileImage {
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

/** Reads a file through links; undefined when there is none. Throws a refusal when it cannot be read. */
export function readImage(path: string): FileImage | undefined {
  try {
    const { mode } = statSync(path);
    return { bytes: readFileSync(path), mode: mode & 0o7777 };
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Refusal({
      code: 'file/unreadable',
      say: (t) => t.unreadable(path, code ?? 'error'),
      next: (t) => t.permissionsNext,
      cause,
    });
  }
}

export function sameImage(one: FileImage | undefined, other: FileImage | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.mode === other.mode && Buffer.compare(one.bytes, other.bytes) === 0;
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
