/**
 * JSON-RPC messages as bytes. The proxy forwards what it received and writes only the few messages that are its own, so
 * nothing a client or server says is lost in re-serialising it.
 */
import { JsonScanner, type Envelope, type ScanResult } from './json-scanner.ts';

/** Longest message in either direction, in bytes. */
export const MESSAGE_LIMIT = 64 * 1024 * 1024;

/** One whole message: valid JSON, one line, as it came. */
export interface Message {
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
  readonly envelope: Envelope;
}

/** What a piece of input turned out to be. */
export type Assembled =
  | { readonly kind: 'message'; readonly message: Message }
  /** Elements of a batch; undefined where one is no JSON object. */
  | { readonly kind: 'batch'; readonly elements: readonly (Message | undefined)[] }
  | { readonly kind: 'scalar' | 'invalid' | 'too-long' | 'empty' };

/** Collects the bytes of one message while checking them; stops holding bytes as soon as they cannot become one. */
export class MessageAssembler {
  size = 0;
  private chunks: Uint8Array[] = [];
  private readonly scanner = new JsonScanner();
  private verdict: 'open' | 'invalid' | 'too-long' = 'open';
  private blank = true;

  constructor(private readonly limit = MESSAGE_LIMIT) {}

  /** Takes the chunk over: its bytes may be changed (line breaks between tokens). */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.size += chunk.length;
    if (this.blank)
      this.blank = chunk.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a);
    if (this.verdict !== 'open') return;
    if (this.size > this.limit) this.verdict = 'too-long';
    else if (!this.scanner.push(chunk)) this.verdict = 'invalid';
    if (this.verdict === 'open') this.chunks.push(chunk);
    else this.chunks = [];
  }

  /** Bytes held at this moment. */
  get held(): number {
    return this.verdict === 'open' ? this.size : 0;
  }

  finish(): Assembled {
    if (this.blank) return { kind: 'empty' };
    if (this.verdict !== 'open') return { kind: this.verdict };
    const result: ScanResult = this.scanner.finish();
    if (result.kind === 'message') {
      return { kind: 'message', message: { chunks: this.chunks, size: this.size, envelope: result.envelope } };
    }
    if (result.kind !== 'batch') return { kind: result.kind };
    const whole = Buffer.concat(this.chunks);
    return {
      kind: 'batch',
      elements: result.elements.map(({ start, end, envelope }) =>
        envelope === undefined ? undefined : { chunks: [whole.subarray(start, end)], size: end - start, envelope },
      ),
    };
  }
}

export type MessageKind = 'request' | 'notification' | 'response' | 'malformed';

/** What a message is by its members. MCP allows no request with a null id. */
export function kindOf({ id, method, hasResult, hasError }: Envelope): MessageKind {
  if (method !== undefined) {
    if (id === undefined) return 'notification';
    return id === 'null' ? 'malformed' : 'request';
  }
  return id !== undefined && (hasResult || hasError) ? 'response' : 'malformed';
}

/** Equal for two spellings of one id (`"\u0061"` and `"a"`, `1` and `1.0`), different for `1` and `"1"`. */
export function idKey(id: string): string {
  return JSON.stringify(JSON.parse(id));
}

/** The parsed message; only for the few whose content the proxy reads. Undefined when it is longer than `limit`. */
export function parseMessage(message: Message, limit = 1024 * 1024): Record<string, unknown> | undefined {
  if (message.size > limit) return undefined;
  return JSON.parse(Buffer.concat(message.chunks).toString('utf8')) as Record<string, unknown>;
}

/** A message of our own. */
export function compose(value: Readonly<Record<string, unknown>>): Message {
  const assembler = new MessageAssembler();
  assembler.push(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...value })));
  const assembled = assembler.finish();
  if (assembled.kind !== 'message') throw new TypeError('not a JSON-RPC message');
  return assembled.message;
}

/** An answer to the request with this id (JSON text), written without touching the id. */
export function composeAnswer(id: string, answer: { result: unknown } | { error: unknown }): Message {
  const body = JSON.stringify(answer).slice(1);
  const assembler = new MessageAssembler();
  assembler.push(Buffer.from(`{"jsonrpc":"2.0","id":${id},${body}`));
  const assembled = assembler.finish();
  if (assembled.kind !== 'message') throw new TypeError('not a JSON-RPC answer');
  return assembled.message;
}
