/**
 * What the host has written to stdin by the time the hook looks: all of it, nearly always, for starting takes Node longer
 * than writing takes the host. Read straight from the descriptor it costs nothing; the stream that Node opens around the
 * descriptor costs every hook 2 to 3 ms (decision 0021).
 *
 * A read from an open pipe stands still while nothing is in it, and the deadline with it. Node has no public way to ask or
 * to switch that off; its own streams do so through the binding used here, which is deprecated (DEP0111) and not to be
 * relied on: whatever about it is not as known, the payload comes through the stream.
 */
import { fstatSync, readSync } from 'node:fs';
import { nodeBinding } from './node-binding.ts';

const CHUNK_BYTES = 64 * 1024;
/** A host that writes faster than we read must not hold up the deadline. */
const MOST_CHUNKS = 16;
const STDIN = 0;

/** The pieces that have arrived, perhaps none. What comes later is still in the pipe. Never waits, never throws. */
export function arrived(): Buffer[] {
  const chunks: Buffer[] = [];
  try {
    const status = fstatSync(STDIN);
    if (!status.isFIFO() && !status.isSocket()) return chunks;
    const { Pipe, constants } = nodeBinding('pipe_wrap');
    // Opening is what makes the descriptor one that does not wait; nothing else is done with the pipe.
    if (new Pipe(constants.SOCKET).open(STDIN) !== 0) return chunks;
    for (let length = CHUNK_BYTES; length === CHUNK_BYTES && chunks.length < MOST_CHUNKS;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      length = readSync(STDIN, chunk);
      if (length > 0) chunks.push(chunk.subarray(0, length));
    }
  } catch {
    // EAGAIN: nothing there yet, or nothing more. Or no binding here: all is left to the stream.
  }
  return chunks;
}
