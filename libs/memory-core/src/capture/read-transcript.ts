/**
 * Reads what a client has added to its own transcript since the last look: by byte offset, never the whole file again,
 * and never more than one line in memory. A file that was reset, replaced or shortened is noticed and read from its start.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { TranscriptLine } from '../contract/transcript.ts';
import { sha256 } from '../session/short-hash.ts';
import type { TranscriptPosition } from '../spool/record.ts';

/** A longer line is passed on as an empty one: parsing it would cost more memory than a hook may take. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const HEAD_BYTES = 256;
const TAIL_BYTES = 64;

/** An open transcript. Close it when done. */
export interface OpenTranscript {
  readonly path: string;
  /** Behind the last complete line: half a line at the end is read when it is whole. */
  readonly end: TranscriptPosition;
  /** The complete lines from `position` on, or from the start when `position` is of another file or an earlier content. */
  lines(position: TranscriptPosition | undefined): Iterable<TranscriptLine>;
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
      path,
      end: at(endOfLastLine(descriptor, stat.size)),
      at,
      covers,
      lines: (position) =>
        readLines(descriptor, position !== undefined && covers(position) ? position.offset : 0, stat.size),
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

function* readLines(descriptor: number, from: number, size: number): Iterable<TranscriptLine> {
  const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, size - from)));
  let position = from;
  let lineStart = from;
  let parts: Buffer[] = [];
  let held = 0;
  let tooLong = false;
  while (position < size) {
    const read = readSync(descriptor, chunk, 0, Math.min(chunk.length, size - position), position);
    if (read === 0) return;
    let start = 0;
    for (;;) {
      const newline = chunk.indexOf(10, start);
      if (newline === -1 || newline >= read) break;
      const tail = chunk.subarray(start, newline);
      const text =
        tooLong || held + tail.length > MAX_LINE_BYTES
          ? ''
          : (held === 0 ? tail : Buffer.concat([...parts, tail])).toString('utf8');
      yield { offset: lineStart, text };
      parts = [];
      held = 0;
      tooLong = false;
      start = newline + 1;
      lineStart = position + start;
    }
    const rest = read - start;
    if (tooLong || held + rest > MAX_LINE_BYTES) {
      parts = [];
      held = 0;
      tooLong = true;
    } else if (rest > 0) {
      parts.push(Buffer.from(chunk.subarray(start, read)));
      held += rest;
    }
    position += read;
  }
  // What follows the last newline is half a line: it waits for the next look.
}
