/**
 * Cuts long texts where a reader would: between characters as they are seen, never inside a surrogate pair, an accented
 * letter or a joined emoji, and with a mark that says how much is missing. Half a character is invalid on the wire.
 */

/** Longest stretch around a cut that is looked at to find the character it falls into, in UTF-16 units. */
const GRAPHEME_REACH = 256;
/** A longer character is a stack of accents, not something to be kept whole. */
const LONGEST_GRAPHEME = 64;

/**
 * `text` itself when it has at most `maxChars` code points; else its beginning and a mark, together at most `maxChars`
 * code points. Applied twice it changes nothing more.
 */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const total = countCodePoints(text);
  if (total <= maxChars) return text;
  const room = maxChars - [...cutMark(total)].length;
  const end = characterStart(text, unitsOf(text, room > 0 ? room : maxChars));
  return room > 0 ? text.slice(0, end) + cutMark(total - countCodePoints(text, end)) : text.slice(0, end);
}

/** Tokens as the budgets count them: 1.5 for a character at or above U+3000, a quarter for any other, rounded up. */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x3000) quarters += 1;
    else {
      quarters += 6;
      if (startsPair(text, index)) index += 1;
    }
  }
  return Math.ceil(quarters / 4);
}

function cutMark(missing: number): string {
  return ` … [cut: ${missing} more characters]`;
}

function startsPair(text: string, index: number): boolean {
  const high = text.charCodeAt(index);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(index + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}

function countCodePoints(text: string, end = text.length): number {
  let count = 0;
  for (let index = 0; index < end; index += 1) {
    count += 1;
    if (startsPair(text, index)) index += 1;
  }
  return count;
}

/** UTF-16 units of the first `codePoints` code points. */
function unitsOf(text: string, codePoints: number): number {
  let index = 0;
  for (let count = 0; count < codePoints && index < text.length; count += 1) index += startsPair(text, index) ? 2 : 1;
  return index;
}

/** `position`, or the start of the visible character that it would cut in two when that start is near. */
function characterStart(text: string, position: number): number {
  if (position >= text.length || isPlain(text, position)) return position;
  let from = Math.max(0, position - GRAPHEME_REACH);
  // Flags are pairs of letters: counting them must begin at a sure boundary.
  for (let index = position - 1; index > from; index -= 1) {
    if (text.charCodeAt(index) < 128) {
      from = index;
      break;
    }
  }
  const window = text.slice(from, position + GRAPHEME_REACH);
  const segment = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
    .segment(window)
    .containing(position - from);
  const start = segment === undefined ? position : from + segment.index;
  return position - start <= LONGEST_GRAPHEME ? start : position;
}

/** Two ASCII characters, other than CR LF, never form one visible character. */
function isPlain(text: string, position: number): boolean {
  const before = text.charCodeAt(position - 1);
  const after = text.charCodeAt(position);
  return before < 128 && after < 128 && !(before === 13 && after === 10);
}
