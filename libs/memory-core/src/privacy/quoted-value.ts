/** Values in string literals, escaped as often as the texts are nested that hold them: where they begin and end. */
import { JUDGED, type Value } from './examined-text.ts';
import { isSecret } from './named-secret.ts';
import type { Named } from './promising-name.ts';

/** Three of them begin a text of several lines. */
const QUOTE = /[fbnru]{0,2}(\\{0,7})(["'`])(?:\1\2\1\2)?/iy;

/** Longest quoted value that is looked at, in UTF-16 units. */
const LONGEST_VALUE = 8_192;

/**
 * A string literal: its content, up to the quote that is escaped as often as the first. A double quote ends every other
 * literal too: it may belong to JSON around it.
 */
export function quotedValue(
  text: string,
  at: number,
  named: Named,
  style: 'quoted' | 'listed',
  shouted: boolean,
): Value | undefined {
  QUOTE.lastIndex = at;
  const quote = QUOTE.exec(text);
  if (quote === null) return undefined;
  const escapes = (quote[1] ?? '').length;
  const start = at + quote[0].length;
  const end = contentEnd(text, start, quote[2] ?? '"', escapes);
  return isSecret(named.family, text.slice(start, Math.min(end, start + JUDGED)), style, shouted)
    ? { start, end }
    : undefined;
}

/** End of a string literal whose content begins at `start` behind a quote with so many escapes. */
export function contentEnd(text: string, start: number, quote: string, escapes: number): number {
  const limit = Math.min(text.length, start + LONGEST_VALUE);
  let backslashes = 0;
  for (let index = start; index < limit; index += 1) {
    const character = text[index];
    if (character === '\\') backslashes += 1;
    else {
      if (character === '\n') return index - backslashes;
      // A quote that is escaped less often ends an outer string, and ours with it.
      if (character === quote) {
        // An even number are backslashes of their own.
        if (backslashes % 2 === 0 || (escapes > 0 && backslashes <= escapes)) return index - backslashes;
      } else if (character === '"' || (backslashes < escapes && character === "'")) return index - backslashes;
      backslashes = 0;
    }
  }
  return limit - backslashes;
}
