/**
 * Reads the host's payload. It is taken as soon as one whole JSON value has arrived: some hosts keep the pipe open, and a
 * hook that waits for its end would hold the user up until the deadline.
 * `process.stdin` is used on purpose: `readSync` hangs on an open pipe, `fs.read` keeps the process from exiting on Node 20,
 * and a `net.Socket` on descriptor 0 throws for files and `/dev/null`.
 */
import { parseObject } from '../fs/json-object.ts';

/** A longer payload is no hook payload. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The payload object; undefined when there is none, or it is no JSON object. Never rejects. */
export function readPayload(input: NodeJS.ReadStream = process.stdin): Promise<Record<string, unknown> | undefined> {
  return new Promise((resolve) => {
    if (input.isTTY) {
      resolve(undefined);
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const scanner = createValueScanner();
    const finish = (value: Record<string, unknown> | undefined): void => {
      input.removeAllListeners('data');
      input.removeAllListeners('end');
      // A tick later: a stream that is paused while it hands out data reads on once, meets the end, and to close itself Node
      // opens stderr, which costs a hook a millisecond.
      process.nextTick(() => input.pause());
      resolve(value);
    };
    input.on('data', (chunk: Buffer | string) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      chunks.push(bytes);
      size += bytes.length;
      if (size > MAX_BYTES) return finish(undefined);
      // Mostly the first piece is all: reading it takes the engine a fraction of what looking for its end takes us.
      const whole = chunks.length === 1 && endsLikeObject(bytes) ? parse(bytes) : undefined;
      if (whole !== undefined) return finish(whole);
      const end = scanner(bytes);
      // What stands behind the value in the same piece is none of the payload.
      if (end !== undefined) finish(parse(Buffer.concat(chunks).subarray(0, size - bytes.length + end)));
    });
    input.on('end', () => finish(parse(Buffer.concat(chunks))));
    input.on('error', () => finish(undefined));
  });
}

function parse(bytes: Buffer): Record<string, unknown> | undefined {
  const text = bytes.toString('utf8');
  return parseObject(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
}

/** A closing brace, perhaps with one line end behind it. */
function endsLikeObject(bytes: Buffer): boolean {
  return bytes.at(-1) === 0x7d || (bytes.at(-2) === 0x7d && bytes.at(-1) === 0x0a);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Tells, byte by byte, when the braces and brackets that were opened are closed again. Every structural character of JSON
 * is ASCII and no byte of a UTF-8 sequence looks like one, so bytes suffice. Gives the number of bytes of the chunk that
 * belong to the value; undefined while it goes on.
 */
export function createValueScanner(): (chunk: Uint8Array) => number | undefined {
  let depth = 0;
  let inString = false;
  let escaped = false;
  return (chunk) => {
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === 0x7b || byte === 0x5b) depth += 1;
      else if (byte === 0x7d || byte === 0x5d) {
        depth -= 1;
        if (depth <= 0) return index + 1;
      }
    }
    return undefined;
  };
}
