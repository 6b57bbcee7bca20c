/** A file's complete lines as the core hands them to a parser: half a line at the end waits for the next look. */
import type { TranscriptLine } from '../vendor/memory-core/hot.ts';

export function linesOf(file: string | Uint8Array): readonly TranscriptLine[] {
  const bytes = Buffer.from(file);
  const lines: TranscriptLine[] = [];
  for (let start = 0, end = bytes.indexOf(10); end !== -1; start = end + 1, end = bytes.indexOf(10, start)) {
    lines.push({ offset: start, text: bytes.subarray(start, end).toString('utf8') });
  }
  return lines;
}
