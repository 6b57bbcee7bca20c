/**
 * Builds FTS5 MATCH expressions. Users type quotes, `NEAR`, `*`, emoji and NUL; a syntax error here would make recall
 * fail for exactly that prompt, so only letters, marks and digits ever get in, each word inside quotes.
 */
import type { QueryWord } from './words.ts';

const SAFE = /^[\p{L}\p{N}\p{M}ー]+$/u;

/** The MATCH expression of one word; undefined when it holds anything but letters, marks and digits. */
export function matchWord(word: QueryWord): string | undefined {
  if (!SAFE.test(word.text)) return undefined;
  return word.prefix ? `"${word.text}"*` : `"${word.text}"`;
}

/** Any of `expressions`, each made by `matchWord`. */
export function matchAny(expressions: readonly string[]): string {
  return expressions.join(' OR ');
}
