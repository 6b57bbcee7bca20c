/**
 * The only way in which settings and workspace code look at the disk: bounded, synchronous, never writing, never
 * throwing. A device, a pipe or a file of absurd size that a repository or a mistake put in a file's place would
 * otherwise block or exhaust every hook.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';

export interface FileStatus {
  readonly kind: 'file' | 'folder' | 'other';
  /** Bytes. */
  readonly size: number;
  readonly modifiedMs: number;
  readonly inode: number;
}

/** Injectable, so that a test can count reads or make one fail. */
export interface FileReader {
  /** Links are followed. Undefined when nothing is there. Other system errors are thrown. */
  status(path: string): FileStatus | undefined;
  /** The whole file as UTF-8. System errors are thrown. */
  text(path: string): string;
  /** The path with every link resolved. System errors are thrown. */
  realPath(path: string): string;
}

export const diskReader: FileReader = {
  status(path) {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) return undefined;
    return {
      kind: status.isFile() ? 'file' : status.isDirectory() ? 'folder' : 'other',
      size: status.size,
      modifiedMs: status.mtimeMs,
      inode: status.ino,
    };
  },
  text: (path) => readFileSync(path, 'utf8'),
  realPath: (path) => realpathSync.native(path),
};

export type BoundedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'absent' | 'not-a-file' | 'too-large' | 'unreadable' };

/** Reads a regular file of at most `maxBytes`; the size is asked first, so that a larger one costs nothing. */
export function readBounded(reader: FileReader, path: string, maxBytes: number): BoundedText {
  try {
    const status = reader.status(path);
    if (status === undefined) return { ok: false, reason: 'absent' };
    if (status.kind !== 'file') return { ok: false, reason: 'not-a-file' };
    if (status.size > maxBytes) return { ok: false, reason: 'too-large' };
    return { ok: true, text: reader.text(path) };
  } catch {
    return { ok: false, reason: 'unreadable' };
  }
}

/** What is at `path`; undefined when nothing is there or it may not be looked at (for example below a file). */
export function kindOf(reader: FileReader, path: string): FileStatus['kind'] | undefined {
  try {
    return reader.status(path)?.kind;
  } catch {
    return undefined;
  }
}

/** The path with every link resolved, or the path itself where that is impossible. */
export function realPathOr(reader: FileReader, path: string): string {
  try {
    return reader.realPath(path);
  } catch {
    return path;
  }
}
