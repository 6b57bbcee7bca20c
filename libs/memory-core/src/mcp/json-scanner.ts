/**
 * Checks JSON-RPC messages byte by byte and picks out what the proxy has to know: id, method, result or error, and where
 * the elements of a batch lie. A 20 MB tool result passes through without ever becoming a JavaScript string or object,
 * and what is not JSON is found before a byte of it reaches stdout.
 */

/** The part of a message that routing needs. Values are as JSON text, so that an id goes back exactly as it came. */
export interface Envelope {
  /** JSON text of the id: `7`, `"a"` or `null`; absent when the message has none. */
  readonly id: string | undefined;
  readonly method: string | undefined;
  readonly hasResult: boolean;
  readonly hasError: boolean;
}

/** One element of a batch: byte range, and its envelope unless it is not an object. */
export interface BatchElement {
  readonly start: number;
  readonly end: number;
  readonly envelope: Envelope | undefined;
}

export type ScanResult =
  | { readonly kind: 'message'; readonly envelope: Envelope }
  | { readonly kind: 'batch'; readonly elements: readonly BatchElement[] }
  /** JSON, but neither an object nor an array. */
  | { readonly kind: 'scalar' }
  /** Not JSON. */
  | { readonly kind: 'invalid' };

const VALUE = 0;
const FIRST_KEY = 1;
const KEY = 2;
const COLON = 3;
const FIRST_ELEMENT = 4;
const AFTER_VALUE = 5;
const STRING = 6;
const ESCAPE = 7;
const UNICODE = 8;
const LITERAL = 9;
const NUMBER_MINUS = 10;
const NUMBER_ZERO = 11;
const NUMBER_DIGITS = 12;
const NUMBER_POINT = 13;
const NUMBER_FRACTION = 14;
const NUMBER_E = 15;
const NUMBER_E_SIGN = 16;
const NUMBER_E_DIGITS = 17;
const END = 18;
const INVALID = 19;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const OBJECT = 1;
const ARRAY = 2;

/** One more than anybody sends in a batch; further elements are checked but not listed, so that memory stays bounded. */
export const BATCH_LIMIT = 1000;

/** Ids and method names are short; a longer one is cut off here and thereby refused. */
const CAPTURE_LIMIT = 64 * 1024;

/**
 * A validator that is fed chunks. It owns them while scanning: line breaks between tokens are overwritten with spaces, so
 * that a pretty-printed answer becomes one line.
 */
export class JsonScanner {
  private state = VALUE;
  private readonly stack: number[] = [];
  /** Bytes of the chunks before the current one. */
  private base = 0;
  private literal = '';
  private literalAt = 0;
  private unicodeLeft = 0;
  /** True while the string being read is a key. */
  private inKey = false;

  private root: 'object' | 'array' | 'scalar' | undefined;
  private readonly elements: BatchElement[] = [];
  private elementStart = 0;
  private envelope: MutableEnvelope = emptyEnvelope();

  /** The key at envelope depth whose value comes next. */
  private key: string | undefined;
  private captured: Buffer[] | undefined;
  private capturedBytes = 0;
  private captureFrom = -1;

  /** Scans one more chunk; false as soon as the text cannot be JSON. */
  push(chunk: Uint8Array): boolean {
    const length = chunk.length;
    if (this.captured !== undefined) this.captureFrom = 0;
    let at = 0;
    while (at < length) {
      const byte = chunk[at] as number;
      switch (this.state) {
        case STRING: {
          if (byte === QUOTE) {
            this.state = AFTER_VALUE;
            this.endCapture(chunk, at + 1);
            if (this.inKey) {
              this.inKey = false;
              this.state = COLON;
            } else this.endValue(at + 1);
          } else if (byte === BACKSLASH) this.state = ESCAPE;
          else if (byte < SPACE) this.state = INVALID;
          else {
            // The bulk of every large message: run to the next byte that means something.
            let next = at + 1;
            while (next < length) {
              const inside = chunk[next] as number;
              if (inside === QUOTE || inside === BACKSLASH || inside < SPACE) break;
              next++;
            }
            at = next;
            continue;
          }
          at++;
          continue;
        }
        case ESCAPE:
          if (byte === 0x75) {
            this.state = UNICODE;
            this.unicodeLeft = 4;
          } else this.state = ESCAPABLE.has(byte) ? STRING : INVALID;
          at++;
          continue;
        case UNICODE:
          if (!isHex(byte)) this.state = INVALID;
          else if (--this.unicodeLeft === 0) this.state = STRING;
          at++;
          continue;
        case LITERAL:
          if (byte !== this.literal.charCodeAt(this.literalAt)) this.state = INVALID;
          else if (++this.literalAt === this.literal.length) {
            this.state = AFTER_VALUE;
            this.endCapture(chunk, at + 1);
            this.endValue(at + 1);
          }
          at++;
          continue;
        case INVALID:
          return false;
        default:
          break;
      }
      if (this.state >= NUMBER_MINUS && this.state <= NUMBER_E_DIGITS) {
        const next = nextInNumber(this.state, byte);
        if (next !== undefined) {
          this.state = next;
          at++;
          continue;
        }
        if (!mayEndNumber(this.state)) {
          this.state = INVALID;
          return false;
        }
        this.state = AFTER_VALUE;
        this.endCapture(chunk, at);
        this.endValue(at);
      }
      if (byte <= SPACE) {
        if (byte === 0x0a || byte === 0x0d) chunk[at] = SPACE;
        else if (byte !== SPACE && byte !== 0x09) this.state = INVALID;
        at++;
        continue;
      }
      this.token(byte, at);
      at++;
    }
    if (this.captured !== undefined) this.capture(chunk, length);
    this.base += length;
    return this.state !== INVALID;
  }

  /** The verdict, once everything was pushed. */
  finish(): ScanResult {
    if (this.state >= NUMBER_MINUS && this.state <= NUMBER_E_DIGITS && this.stack.length === 0) {
      // A number at the top level ends with the text.
      return { kind: mayEndNumber(this.state) ? 'scalar' : 'invalid' };
    }
    if (this.state !== END) return { kind: 'invalid' };
    if (this.root === 'array') return { kind: 'batch', elements: this.elements };
    if (this.root === 'object') return { kind: 'message', envelope: this.envelope };
    return { kind: 'scalar' };
  }

  /** A structural byte, or the first byte of a value. */
  private token(byte: number, at: number): void {
    switch (this.state) {
      case FIRST_ELEMENT:
        if (byte === 0x5d) this.close(ARRAY, at);
        else this.startValue(byte, at);
        return;
      case VALUE:
        this.startValue(byte, at);
        return;
      case FIRST_KEY:
      case KEY:
        if (byte === QUOTE) {
          this.state = STRING;
          this.inKey = true;
          if (this.atEnvelope()) this.startCapture(at);
        } else if (byte === 0x7d && this.state === FIRST_KEY) this.close(OBJECT, at);
        else this.state = INVALID;
        return;
      case COLON:
        this.state = byte === 0x3a ? VALUE : INVALID;
        return;
      case AFTER_VALUE:
        if (byte === 0x2c) {
          this.state = this.stack.at(-1) === OBJECT ? KEY : VALUE;
        } else if (byte === 0x7d) this.close(OBJECT, at);
        else if (byte === 0x5d) this.close(ARRAY, at);
        else this.state = INVALID;
        return;
      default:
        this.state = INVALID;
    }
  }

  private startValue(byte: number, at: number): void {
    const depth = this.stack.length;
    if (depth === 0) this.root = byte === 0x7b ? 'object' : byte === 0x5b ? 'array' : 'scalar';
    if (depth === 1 && this.root === 'array') {
      this.elementStart = this.base + at;
      this.envelope = emptyEnvelope(byte === 0x7b);
    }
    if (this.atEnvelope() && this.key !== undefined) {
      if (this.key === 'result') this.envelope.hasResult = true;
      else if (this.key === 'error') this.envelope.hasError = true;
      else if (byte !== 0x7b && byte !== 0x5b) this.startCapture(at);
      // An id or method that is an object or a list is none; the last of two equal keys counts, as in JSON.parse.
      else this.store(this.key, undefined);
    }
    if (byte === QUOTE) {
      this.state = STRING;
      this.inKey = false;
    } else if (byte === 0x7b) {
      this.stack.push(OBJECT);
      this.state = FIRST_KEY;
    } else if (byte === 0x5b) {
      this.stack.push(ARRAY);
      this.state = FIRST_ELEMENT;
    } else if (byte === 0x2d) this.state = NUMBER_MINUS;
    else if (byte === 0x30) this.state = NUMBER_ZERO;
    else if (byte >= 0x31 && byte <= 0x39) this.state = NUMBER_DIGITS;
    else if (byte === 0x74) this.startLiteral('true');
    else if (byte === 0x66) this.startLiteral('false');
    else if (byte === 0x6e) this.startLiteral('null');
    else this.state = INVALID;
  }

  private startLiteral(text: string): void {
    this.literal = text;
    this.literalAt = 1;
    this.state = LITERAL;
  }

  private close(kind: number, at: number): void {
    if (this.stack.pop() !== kind) {
      this.state = INVALID;
      return;
    }
    this.state = AFTER_VALUE;
    this.endValue(at + 1);
  }

  /** A whole value ends before `end` (position in the current chunk). */
  private endValue(end: number): void {
    const depth = this.stack.length;
    if (depth === 0) this.state = END;
    else if (depth === 1 && this.root === 'array') {
      const { isObject, ...envelope } = this.envelope;
      if (this.elements.length <= BATCH_LIMIT)
        this.elements.push({
          start: this.elementStart,
          end: this.base + end,
          envelope: isObject ? envelope : undefined,
        });
    }
    if (this.atEnvelope()) this.key = undefined;
  }

  /** True directly inside a message: the top-level object, or an object that is an element of the top-level array. */
  private atEnvelope(): boolean {
    const depth = this.stack.length;
    if (this.root === 'object') return depth === 1;
    return this.root === 'array' && depth === 2 && this.stack[1] === OBJECT;
  }

  private startCapture(at: number): void {
    this.captured = [];
    this.capturedBytes = 0;
    this.captureFrom = at;
  }

  private capture(chunk: Uint8Array, end: number): void {
    const length = end - this.captureFrom;
    this.capturedBytes += length;
    if (this.capturedBytes <= CAPTURE_LIMIT) this.captured?.push(Buffer.from(chunk.slice(this.captureFrom, end)));
  }

  private endCapture(chunk: Uint8Array, end: number): void {
    if (this.captured === undefined) return;
    this.capture(chunk, end);
    const text = this.capturedBytes <= CAPTURE_LIMIT ? Buffer.concat(this.captured).toString('utf8') : undefined;
    this.captured = undefined;
    if (this.inKey) {
      const key = text === undefined ? undefined : (JSON.parse(text) as string);
      this.key = key !== undefined && ENVELOPE_KEYS.has(key) ? key : undefined;
    } else if (this.key !== undefined) this.store(this.key, text);
  }

  private store(key: string, text: string | undefined): void {
    if (key === 'id') this.envelope.id = text === undefined || /^[tf]/.test(text) ? 'null' : text;
    else if (key === 'method') this.envelope.method = text?.startsWith('"') ? (JSON.parse(text) as string) : undefined;
  }
}

interface MutableEnvelope {
  id: string | undefined;
  method: string | undefined;
  hasResult: boolean;
  hasError: boolean;
  isObject: boolean;
}

const ENVELOPE_KEYS = new Set(['id', 'method', 'result', 'error']);
const ESCAPABLE = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));

function emptyEnvelope(isObject = true): MutableEnvelope {
  return { id: undefined, method: undefined, hasResult: false, hasError: false, isObject };
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** The number grammar of RFC 8259; undefined when `byte` is no part of the number. */
function nextInNumber(state: number, byte: number): number | undefined {
  const digit = byte >= 0x30 && byte <= 0x39;
  const exponent = byte === 0x65 || byte === 0x45;
  switch (state) {
    case NUMBER_MINUS:
      return byte === 0x30 ? NUMBER_ZERO : digit ? NUMBER_DIGITS : undefined;
    case NUMBER_ZERO:
      return byte === 0x2e ? NUMBER_POINT : exponent ? NUMBER_E : undefined;
    case NUMBER_DIGITS:
      return digit ? NUMBER_DIGITS : byte === 0x2e ? NUMBER_POINT : exponent ? NUMBER_E : undefined;
    case NUMBER_POINT:
      return digit ? NUMBER_FRACTION : undefined;
    case NUMBER_FRACTION:
      return digit ? NUMBER_FRACTION : exponent ? NUMBER_E : undefined;
    case NUMBER_E:
      return digit ? NUMBER_E_DIGITS : byte === 0x2b || byte === 0x2d ? NUMBER_E_SIGN : undefined;
    case NUMBER_E_SIGN:
    case NUMBER_E_DIGITS:
      return digit ? NUMBER_E_DIGITS : undefined;
    default:
      return undefined;
  }
}

function mayEndNumber(state: number): boolean {
  return state === NUMBER_ZERO || state === NUMBER_DIGITS || state === NUMBER_FRACTION || state === NUMBER_E_DIGITS;
}
