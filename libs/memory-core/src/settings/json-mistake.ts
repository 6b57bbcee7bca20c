/**
 * Finds the first mistake in a JSON text as people keep it in configuration files, with line and column: the wording of
 * the engine's error differs between Node versions, and a settings file "with an error somewhere" is one that gets deleted.
 */
import { blankExtras, withoutByteOrderMark } from './tolerant-json.ts';

export interface JsonMistake {
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units, a byte order mark not counted. */
  readonly column: number;
  readonly message: string;
}

/** Undefined exactly when `parseTolerantJson` reads the text. Linear, at any depth of nesting. */
export function findJsonMistake(text: string): JsonMistake | undefined {
  const source = withoutByteOrderMark(text);
  const mistake = firstMistake(blankExtras(source));
  if (mistake === undefined) return undefined;
  const before = source.slice(0, mistake.offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1, message: mistake.message };
}

interface Mistake {
  readonly offset: number;
  readonly message: string;
}

const BLANKS = /[ \t\n\r]*/y;
const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|(?:true|false|null)(?![\w$])/y;
/** Up to the closing quote, or to what cannot stand inside. */
const TEXT = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const CLOSING = { object: '}', array: ']' } as const;

/** Over a text in which only what strict JSON knows is left. */
function firstMistake(source: string): Mistake | undefined {
  const open: ('object' | 'array')[] = [];
  /** Right behind an opening bracket, where the closing one may follow at once. */
  let isFirst = false;
  let at = 0;
  for (;;) {
    at = endOf(BLANKS, source, at);
    const around = open.at(-1);
    if (around !== undefined && isFirst && source[at] === CLOSING[around]) {
      open.pop();
      at += 1;
    } else {
      if (around === 'object') {
        if (source[at] !== '"') return missing(source, at, around, 'a key in double quotes');
        const key = textEnd(source, at);
        if (typeof key !== 'number') return key;
        at = endOf(BLANKS, source, key);
        if (source[at] !== ':') return missing(source, at, around, 'a colon');
        at = endOf(BLANKS, source, at + 1);
      }
      const character = source[at];
      if (character === '{' || character === '[') {
        open.push(character === '{' ? 'object' : 'array');
        isFirst = true;
        at += 1;
        continue;
      }
      const end = character === '"' ? textEnd(source, at) : scalarEnd(source, at);
      if (typeof end !== 'number') return end;
      at = end;
    }
    // Behind a value, and behind every container that ends with it.
    for (;;) {
      at = endOf(BLANKS, source, at);
      const container = open.at(-1);
      if (container === undefined) return at < source.length ? wrong(source, at, 'text after the end') : undefined;
      if (source[at] === ',') break;
      if (source[at] !== CLOSING[container]) {
        return missing(source, at, container, `a comma or \`${CLOSING[container]}\``);
      }
      open.pop();
      at += 1;
    }
    isFirst = false;
    at += 1;
  }
}

/** Behind the text that starts at `start`. */
function textEnd(source: string, start: number): number | Mistake {
  const at = endOf(TEXT, source, start);
  const character = source[at];
  if (character === '"') return at + 1;
  if (character === '\\') return { offset: at, message: 'unknown escape sequence' };
  return character === undefined || character === '\n' || character === '\r'
    ? { offset: start, message: 'this text is not closed on its line' }
    : { offset: at, message: 'a control character inside a text must be escaped' };
}

function scalarEnd(source: string, at: number): number | Mistake {
  const end = endOf(NUMBER_OR_WORD, source, at);
  if (end > at) return end;
  return wrong(
    source,
    at,
    at < source.length ? 'no JSON value starts here' : 'the text ends where a value should follow',
  );
}

function missing(source: string, at: number, container: string, expected: string): Mistake {
  return wrong(source, at, at < source.length ? `${expected} expected here` : `the text ends inside an ${container}`);
}

function wrong(source: string, offset: number, message: string): Mistake {
  return { offset, message: source.startsWith('/*', offset) ? 'this comment is never closed' : message };
}

/** `at` itself where nothing matches. */
function endOf(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(source)?.[0].length ?? 0);
}
