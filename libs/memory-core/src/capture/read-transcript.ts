/**
 * Reads what a client has added to its own transcript since the last look: by byte offset, never the whole file again,
 * and never more than one line in memory. A file that was reset, replaced or shortened is noticed and read from its start.
 */
import { readSync } from 'node:fs';
import type { TranscriptLine } from '../contract/transcript.ts';
import type { TranscriptPosition } from '../spool/record.ts';
import type { OpenTranscript } from './open-transcript.ts';
import { shortenedLine } from './shortened-line.ts';

/** A longer line is passed on shortened: parsing it whole would cost more memory than a hook may take. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** The complete lines from `position` on, or from the start when `position` is of another file or an earlier content. */
export function linesFrom(
  transcript: OpenTranscript,
  position: TranscriptPosition | undefined,
): Iterable<TranscriptLine> {
  const { descriptor, size } = transcript;
  return readLines(descriptor, position !== undefined && transcript.covers(position) ? position.offset : 0, size);
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
          ? shortenedLine(descriptor, lineStart, position + newline)
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
