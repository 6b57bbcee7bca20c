/**
 * Reads JSON as people keep it in configuration files: with comments, trailing commas and a byte order mark. A mistake is
 * reported with line and column of our own scanner: the wording of the engine's error differs between Node versions, and
 * a settings file "with an error somewhere" is one that gets deleted.
 */
import { parseTolerantJson } from './tolerant-json.ts';

export type JsoncResult =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      /** 1-based. */
      readonly line: number;
      /** 1-based, in UTF-16 code units, a byte order mark not counted. */
      readonly column: number;
      readonly message: string;
    };

/** Deeper nesting than this is refused by the tolerant pass, which recurses. */
const MAX_DEPTH = 500;

export class JsoncError extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Parses JSON with comments, trailing commas and a byte order mark, at the engine's speed unless broken. Never throws. */
export function parseJsonc(text: string): JsoncResult {
  const fast = parseTolerantJson(text);
  if (fast.ok) return fast;
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    return { ok: true, value: scanJsonc(source) };
  } catch (error) {
    if (error instanceof JsoncError) return { ok: false, ...position(source, error.offset), message: error.message };
    throw error;
  }
}

/** The scanner alone, over a text without byte order mark. Throws the position of the first mistake. */
export function scanJsonc(source: string): unknown {
  return new Scanner(source).document();
}

function position(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001f]+/y;
const WORD = /[A-Za-z0-9_$]+/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class Scanner {
  private readonly source: string;
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  document(): unknown {
    this.skipBlank();
    const value = this.value(0);
    this.skipBlank();
    if (this.at < this.source.length) this.fail('text after the end of the value');
    return value;
  }

  private fail(message: string, offset = this.at): never {
    throw new JsoncError(offset, message);
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private skipBlank(): void {
    for (;;) {
      const code = this.source.charCodeAt(this.at);
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
        this.at += 1;
      } else if (this.source.startsWith('//', this.at)) {
        while (this.at < this.source.length && !/[\n\r]/.test(this.source.charAt(this.at))) this.at += 1;
      } else if (this.source.startsWith('/*', this.at)) {
        const end = this.source.indexOf('*/', this.at + 2);
        if (end < 0) this.fail('this comment is never closed');
        this.at = end + 2;
      } else {
        return;
      }
    }
  }

  private value(depth: number): unknown {
    if (depth > MAX_DEPTH) this.fail(`nested more than ${MAX_DEPTH} levels deep`);
    const character = this.source.charAt(this.at);
    if (character === '{') return this.object(depth);
    if (character === '[') return this.array(depth);
    if (character === '"') return this.string();
    const number = this.match(NUMBER);
    if (number !== undefined) return Number(number);
    const start = this.at;
    switch (this.match(WORD)) {
      case 'true':
        return true;
      case 'false':
        return false;
      case 'null':
        return null;
    }
    return this.fail(
      character === '' ? 'the text ends where a value should follow' : 'no JSON value starts here',
      start,
    );
  }

  private object(depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    this.at += 1;
    this.skipBlank();
    while (this.source.charAt(this.at) !== '}') {
      if (this.source.charAt(this.at) !== '"') this.failIn('object', 'a key in double quotes');
      const key = this.string();
      this.skipBlank();
      if (this.source.charAt(this.at) !== ':') this.failIn('object', 'a colon');
      this.at += 1;
      this.skipBlank();
      // Not an assignment: the key "__proto__" would change the prototype instead of becoming a key.
      Object.defineProperty(result, key, {
        value: this.value(depth + 1),
        configurable: true,
        enumerable: true,
        writable: true,
      });
      this.separator('object', '}');
    }
    this.at += 1;
    return result;
  }

  private array(depth: number): unknown[] {
    const result: unknown[] = [];
    this.at += 1;
    this.skipBlank();
    while (this.source.charAt(this.at) !== ']') {
      result.push(this.value(depth + 1));
      this.separator('array', ']');
    }
    this.at += 1;
    return result;
  }

  /** Passes one comma, or stands before the closing bracket. A comma before the bracket is allowed, two are not. */
  private separator(container: string, close: string): void {
    this.skipBlank();
    const character = this.source.charAt(this.at);
    if (character === ',') {
      this.at += 1;
      this.skipBlank();
    } else if (character !== close) {
      this.failIn(container, `a comma or \`${close}\``);
    }
  }

  private failIn(container: string, expected: string): never {
    return this.fail(
      this.at < this.source.length ? `${expected} expected here` : `the text ends inside an ${container}`,
    );
  }

  private string(): string {
    const start = this.at;
    let result = '';
    this.at += 1;
    for (;;) {
      result += this.match(PLAIN_CHARACTERS) ?? '';
      const character = this.source.charAt(this.at);
      if (character === '"') {
        this.at += 1;
        return result;
      }
      if (character !== '\\') {
        if (character === '' || character === '\n' || character === '\r') {
          this.fail('this text is not closed on its line', start);
        }
        this.fail('a control character inside a text must be escaped');
      }
      const escape = this.source.charAt(this.at + 1);
      const hex = this.source.slice(this.at + 2, this.at + 6);
      if (escape === 'u' && /^[0-9a-fA-F]{4}$/.test(hex)) {
        result += String.fromCharCode(Number.parseInt(hex, 16));
        this.at += 6;
        continue;
      }
      const plain = Object.hasOwn(ESCAPES, escape) ? ESCAPES[escape] : undefined;
      if (plain === undefined) this.fail('unknown escape sequence');
      result += plain;
      this.at += 2;
    }
  }
}
