/**
 * Newline-delimited JSON from a stream, one line at a time and only as fast as the reader asks. A line that is too long
 * or is no JSON is thrown away while it arrives, so that garbage costs no memory and the next line is read as usual.
 */
import { MessageAssembler, MESSAGE_LIMIT, type Assembled } from './message.ts';

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** What one line of the client is. */
export type ClientLine = Exclude<Assembled, { kind: 'empty' }>;

/** Yields what each non-blank line is. The last line needs no line feed. */
export async function* readLines(
  input: AsyncIterable<Uint8Array | string>,
  limit = MESSAGE_LIMIT,
): AsyncGenerator<ClientLine, void, undefined> {
  let line = new MessageAssembler(limit);
  let first = true;
  for await (const piece of input) {
    let chunk = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (first && BYTE_ORDER_MARK.every((byte, index) => chunk[index] === byte)) chunk = chunk.subarray(3);
    first = false;
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      line.push(chunk.subarray(from, end));
      from = end + 1;
      const assembled = line.finish();
      line = new MessageAssembler(limit);
      if (assembled.kind !== 'empty') yield assembled;
    }
    line.push(chunk.subarray(from));
  }
  const rest = line.finish();
  if (rest.kind !== 'empty') yield rest;
}
