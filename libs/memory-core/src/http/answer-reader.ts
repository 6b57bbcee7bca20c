/**
 * Reads one HTTP/1.1 answer as its bytes arrive (RFC 9112), however they are cut. Pure, so that every cut can be tried: a
 * reader that is right only where head and body come in one piece fails behind the first slow gateway.
 */

/** What has been read when the answer is whole. */
export interface Answer {
  readonly status: number;
  /** Names in lower case; what came twice is joined by a comma, cookies are a list. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** Why an answer cannot be read. */
export type Unreadable = 'BAD_ANSWER' | 'TOO_LARGE';

/** Longest head of an answer, in bytes; Node's own limit is a quarter of it. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Longest line with the size of a chunk. */
const MAX_LINE_BYTES = 4096;

type State = 'head' | 'counted' | 'chunk' | 'after-chunk' | 'size' | 'trailers' | 'until-close';

/** For one answer to one request that is no HEAD. `maxBytes`: longest body. */
export class AnswerReader {
  #state: State = 'head';
  #unread: Buffer = Buffer.alloc(0);
  /** Bytes of the body, or of the present chunk, that are still to come. */
  #missing = 0;
  #size = 0;
  readonly #body: Buffer[] = [];
  /** Up to where the end of the head is known not to be. */
  #searched = 0;
  #status = 0;
  #headers: Record<string, string | string[]> = {};

  constructor(readonly maxBytes: number) {}

  /** The next bytes. Undefined: the answer is not whole yet. What comes behind a whole answer is nobody's. */
  push(bytes: Buffer): Answer | Unreadable | undefined {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    for (;;) {
      const next = this.#step();
      if (next === 'wait') return undefined;
      if (next !== 'on') return next;
    }
  }

  /** The connection was closed: an answer without a length ends there, any other is cut off. */
  close(): Answer | undefined {
    return this.#state === 'until-close' ? this.#whole() : undefined;
  }

  #step(): Answer | Unreadable | 'on' | 'wait' {
    switch (this.#state) {
      case 'head':
        return this.#readHead();
      case 'counted':
        return this.#takeBody() ?? (this.#missing === 0 ? this.#whole() : 'wait');
      case 'until-close':
        this.#missing = this.#unread.length;
        return this.#takeBody() ?? 'wait';
      case 'size':
        return this.#readSize();
      case 'chunk': {
        const failure = this.#takeBody();
        if (failure !== undefined || this.#missing > 0) return failure ?? 'wait';
        this.#state = 'after-chunk';
        return 'on';
      }
      case 'after-chunk': {
        const line = this.#line();
        if (line === undefined) return this.#waitForLine();
        this.#state = 'size';
        return line === '' ? 'on' : 'BAD_ANSWER';
      }
      case 'trailers': {
        const line = this.#line();
        if (line === undefined) return this.#waitForLine();
        return line === '' ? this.#whole() : 'on';
      }
    }
  }

  #readHead(): Answer | Unreadable | 'on' | 'wait' {
    const end = this.#unread.indexOf('\r\n\r\n', this.#searched);
    this.#searched = Math.max(0, this.#unread.length - 3);
    if (end > MAX_HEAD_BYTES || (end === -1 && this.#unread.length > MAX_HEAD_BYTES)) return 'TOO_LARGE';
    if (end === -1) return 'wait';
    const [first = '', ...lines] = this.#unread.toString('latin1', 0, end).split('\r\n');
    this.#unread = this.#unread.subarray(end + 4);
    this.#searched = 0;
    const status = /^HTTP\/1\.[01] ([1-9][0-9]{2})(?: |$)/.exec(first)?.[1];
    const headers = status === undefined ? undefined : readHeaders(lines);
    if (headers === undefined) return 'BAD_ANSWER';
    this.#status = Number(status);
    this.#headers = headers;
    // 100 and 103 come before the answer; nobody has asked for another protocol.
    if (this.#status < 200) return this.#status === 101 ? 'BAD_ANSWER' : 'on';
    return this.#expectBody();
  }

  #expectBody(): Answer | Unreadable | 'on' {
    const { 'transfer-encoding': encoding, 'content-length': length } = this.#headers;
    if (this.#status === 204 || this.#status === 304) return this.#whole();
    if (encoding !== undefined) {
      // Nothing but chunks was asked for. Where there is a length as well, it does not count.
      if (!/^[ ,]*chunked[ ,]*$/i.test(String(encoding))) return 'BAD_ANSWER';
      this.#state = 'size';
    } else if (length === undefined) this.#state = 'until-close';
    else {
      const lengths = new Set(String(length).split(/ *, */));
      const [only = ''] = lengths;
      if (lengths.size !== 1 || !/^[0-9]{1,15}$/.test(only)) return 'BAD_ANSWER';
      this.#missing = Number(only);
      if (this.#missing > this.maxBytes) return 'TOO_LARGE';
      this.#state = 'counted';
    }
    return 'on';
  }

  #readSize(): Unreadable | 'on' | 'wait' {
    const line = this.#line();
    if (line === undefined) return this.#waitForLine();
    const size = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;.*)?$/.exec(line)?.[1];
    if (size === undefined) return 'BAD_ANSWER';
    this.#missing = Number.parseInt(size, 16);
    this.#state = this.#missing === 0 ? 'trailers' : 'chunk';
    return 'on';
  }

  /** Moves what is there, and belongs to the body, out of what is unread. */
  #takeBody(): Unreadable | undefined {
    const taken = this.#unread.subarray(0, this.#missing);
    this.#unread = this.#unread.subarray(taken.length);
    this.#missing -= taken.length;
    this.#size += taken.length;
    if (this.#size + this.#missing > this.maxBytes) return 'TOO_LARGE';
    if (taken.length > 0) this.#body.push(taken);
    return undefined;
  }

  /** The next line without its end; undefined when it is not there yet. */
  #line(): string | undefined {
    const end = this.#unread.indexOf('\r\n');
    if (end === -1) return undefined;
    const line = this.#unread.toString('latin1', 0, end);
    this.#unread = this.#unread.subarray(end + 2);
    return line;
  }

  #waitForLine(): 'wait' | 'BAD_ANSWER' {
    return this.#unread.length > MAX_LINE_BYTES ? 'BAD_ANSWER' : 'wait';
  }

  #whole(): Answer {
    return { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#body) };
  }
}

/**
 * Undefined when a line is no header. As with Node's own client, one that is folded (RFC 9112 section 5.2) is none, and
 * neither is one with half a line end in it.
 */
function readHeaders(lines: readonly string[]): Record<string, string | string[]> | undefined {
  const headers: Record<string, string | string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) return undefined;
    const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '');
    if (/[\0\r\n]/.test(value)) return undefined;
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (name === 'set-cookie') headers[name] = [...(before ?? []), value];
    else headers[name] = before === undefined ? value : `${String(before)}, ${value}`;
  }
  return headers;
}
