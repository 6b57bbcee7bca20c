/**
 * A client's record as a file with places in it: every hook notes how far it reaches, and whoever reads it later must know
 * whether such a place is still what it was. Reading itself is `read-transcript.ts`, which a prompt does not need.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { sha256 } from '../session/short-hash.ts';
import type { TranscriptPosition } from '../spool/record.ts';

const HEAD_BYTES = 256;
const TAIL_BYTES = 64;

/** An open record. Close it when done. */
export interface OpenTranscript {
  readonly descriptor: number;
  /** Bytes when it was opened: what is written meanwhile is for the next look. */
  readonly size: number;
  /** Behind the last complete line: half a line at the end is read when it is whole. */
  readonly end: TranscriptPosition;
  /** True where `position` is a place in this very content, so that everything before it is what it was. */
  covers(position: TranscriptPosition): boolean;
  at(offset: number): TranscriptPosition;
  close(): void;
}

/** Opens the first of `paths` that exists; undefined when none does. */
export function openTranscript(paths: readonly string[]): OpenTranscript | undefined {
  for (const path of paths) {
    let descriptor: number;
    try {
      // Asked first: to open a named pipe is to wait for whoever writes into it.
      if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) continue;
      descriptor = openSync(path, 'r');
    } catch {
      continue;
    }
    const stat = fstatSync(descriptor);
    const identity = `${stat.ino}:${Math.trunc(stat.birthtimeMs)}`;
    const at = (offset: number): TranscriptPosition => ({
      path,
      identity,
      head: headOf(descriptor, stat.size),
      tail: tailOf(descriptor, offset),
      offset,
    });
    const covers = (position: TranscriptPosition): boolean =>
      position.path === path &&
      position.identity === identity &&
      position.offset <= stat.size &&
      headOf(descriptor, Number(position.head.split(':')[0])) === position.head &&
      (position.tail === undefined || tailOf(descriptor, position.offset) === position.tail);
    return {
      descriptor,
      size: stat.size,
      end: at(endOfLastLine(descriptor, stat.size)),
      at,
      covers,
      close: () => closeSync(descriptor),
    };
  }
  return undefined;
}

/** Length and hash of the first bytes; the length, because a young file has few. */
function headOf(descriptor: number, size: number): string {
  const length = Math.min(HEAD_BYTES, Number.isFinite(size) ? size : 0);
  return hashOf(descriptor, 0, length);
}

/** The same of the last bytes before a place: a file that was written anew may begin as it did before. */
function tailOf(descriptor: number, offset: number): string {
  const length = Math.min(TAIL_BYTES, offset);
  return hashOf(descriptor, offset - length, length);
}

function hashOf(descriptor: number, from: number, length: number): string {
  const buffer = Buffer.alloc(length);
  const read = length === 0 ? 0 : readSync(descriptor, buffer, 0, length, from);
  return `${read}:${sha256(buffer.subarray(0, read)).slice(0, 16)}`;
}

function endOfLastLine(descriptor: number, size: number): number {
  const chunk = Buffer.allocUnsafe(64 * 1024);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - (end === size ? 1 : chunk.length));
    const read = readSync(descriptor, chunk, 0, end - start, start);
    const newline = chunk.subarray(0, read).lastIndexOf(10);
    if (newline !== -1) return start + newline + 1;
    end = start;
  }
  return 0;
}
