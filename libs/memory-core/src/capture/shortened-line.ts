/**
 * A line of JSON that is too long to be parsed in a hook's memory, with its long strings cut: what makes a line long is one
 * tool's output or one picture, while the user's words and the answer are short and stay whole.
 */
import { readSync } from 'node:fs';

/** Bytes that are kept of each string: the most with which the whole line fits. */
const LONGEST_STRINGS: readonly number[] = [1024 * 1024, 128 * 1024, 8 * 1024];
/** Longest line that is passed on, in bytes. */
const LONGEST_RESULT = 8 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** The line between the byte offsets; empty where even its short strings are too many. */
export function shortenedLine(descriptor: number, start: number, end: number): string {
  for (const longest of LONGEST_STRINGS) {
    const parts = shorten(descriptor, start, end, longest);
    if (parts !== undefined) return Buffer.concat(parts).toString('utf8');
  }
  return '';
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** Bytes that may still belong to an escape right behind its backslash. */
const WHOLE_ESCAPE = 5;

/** Undefined when it is still too long. Cuts between characters, never inside an escape. */
function shorten(descriptor: number, start: number, end: number, longest: number): readonly Buffer[] | undefined {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const parts: Buffer[] = [];
  let total = 0;
  let inString = false;
  let escape = 0;
  let length = 0;
  let keep = true;
  for (let position = start; position < end;) {
    const read = readSync(descriptor, chunk, 0, Math.min(chunk.length, end - position), position);
    if (read === 0) break;
    let kept = 0;
    for (let index = 0; index < read; index += 1) {
      if (inString && !keep && escape === 0) {
        index = endOfPlain(chunk, index, read);
        if (index === read) break;
      }
      const byte = chunk[index] ?? 0;
      if (inString && escape > 0) escape = escape < WHOLE_ESCAPE ? escape - 1 : byte === LETTER_U ? 4 : 0;
      else if (byte === QUOTE) {
        inString = !inString;
        // The quote itself is not counted.
        length = -1;
        keep = true;
      } else if (inString && (byte & 0xc0) !== 0x80) {
        keep = length < longest;
        if (byte === BACKSLASH) escape = WHOLE_ESCAPE;
      }
      if (!keep) continue;
      chunk[kept] = byte;
      kept += 1;
      length += 1;
    }
    total += kept;
    if (total > LONGEST_RESULT) return undefined;
    parts.push(Buffer.from(chunk.subarray(0, kept)));
    position += read;
  }
  return parts;
}

/** Where what is left out of a string may end: at the next quote or backslash, or at the chunk's end. */
function endOfPlain(chunk: Buffer, from: number, read: number): number {
  let index = from;
  while (index < read && chunk[index] !== QUOTE && chunk[index] !== BACKSLASH) index += 1;
  return index;
}
