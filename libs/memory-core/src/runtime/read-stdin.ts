/**
 * Reads the host's payload. It is taken as soon as one whole JSON value has arrived: some hosts keep the pipe open, and a
 * hook that waits for its end would hold the user up until the deadline.
 * What has arrived is read from the descriptor, the rest through `process.stdin`, and on purpose: `readSync` hangs on an open
 * pipe, `fs.read` keeps the process from exiting on Node 20, and a `net.Socket` on descriptor 0 throws for files and
 * `/dev/null`.
 */
import { parseObject } from '../fs/json-object.ts';
import { arrived } from './arrived.ts';

/** A longer payload is no hook payload. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The payload object; undefined when there is none, or it is no JSON object. Never rejects. */
export function readPayload(): Promise<Record<string, unknown> | undefined> {
  const payload = collector();
  for (const chunk of arrived()) {
    const taken = payload.take(chunk);
    if (taken !== undefined) return Promise.resolve(taken.value);
  }
  return readStream(process.stdin, payload);
}

/** The same from a stream, behind what the collector has already. */
export function readStream(
  input: NodeJS.ReadStream,
  payload = collector(),
): Promise<Record<string, unknown> | undefined> {
  return new Promise((resolve) => {
    if (input.isTTY) {
      resolve(undefined);
      return;
    }
    const finish = (value: Record<string, unknown> | undefined): void => {
      input.removeAllListeners('data');
      input.removeAllListeners('end');
      // A tick later: a stream that is paused while it hands out data reads on once, meets the end, and to close itself Node
      // opens stderr, which costs a hook a millisecond.
      process.nextTick(() => input.pause());
      resolve(value);
    };
    input.on('data', (chunk: Buffer | string) => {
      const taken = payload.take(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      if (taken !== undefined) finish(taken.value);
    });
    input.on('end', () => finish(payload.end()));
    input.on('error', () => finish(undefined));
  });
}

interface Collector {
  /** The next piece. Undefined while the value goes on; a value of undefined means that there is no payload. */
  take(bytes: Buffer): { readonly value: Record<string, unknown> | undefined } | undefined;
  /** Nothing more comes. */
  end(): Record<string, unknown> | undefined;
}

function collector(): Collector {
  const chunks: Buffer[] = [];
  let size = 0;
  const scanner = createValueScanner();
  return {
    take(bytes) {
      chunks.push(bytes);
      size += bytes.length;
      if (size > MAX_BYTES) return { value: undefined };
      // Mostly the first piece is all: reading it takes the engine a fraction of what looking for its end takes us.
      const value = chunks.length === 1 && endsLikeObject(bytes) ? parse(bytes) : undefined;
      if (value !== undefined) return { value };
      const end = scanner(bytes);
      // What stands behind the value in the same piece is none of the payload.
      return end === undefined
        ? undefined
        : { value: parse(Buffer.concat(chunks).subarray(0, size - bytes.length + end)) };
    },
    end: () => parse(Buffer.concat(chunks)),
  };
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
