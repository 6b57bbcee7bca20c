/**
 * Secrets that are not written as they are used: with full-width letters, with characters that nobody sees between them, or
 * percent-encoded as in an address. Whoever reads the memory reads them all the same.
 */
import { DISGUISE } from './secret-words.ts';

const TRACE = new RegExp(DISGUISE, 'g');
/** What one disguised piece consists of; no quotes and no backslashes, so that a mark in its place leaves JSON valid. */
const PIECE = /[!#-&(-[\]-_a-~\u00AD\u200B-\u200D\u2060\uFEFF\uFF01-\uFF5E]/;
const CHARACTER = /%[2-7][0-9A-Fa-f]|[^]/g;
const MARK = /\[redacted:[\w-]+\]/g;

/** `text` with what `redact` finds in its disguised pieces replaced, from the first find of a piece to its last. */
export function redactDisguised(text: string, redact: (plain: string) => string): string {
  let result = '';
  let from = 0;
  TRACE.lastIndex = 0;
  for (let trace = TRACE.exec(text); trace !== null; trace = TRACE.exec(text)) {
    let start = trace.index;
    while (start > from && PIECE.test(text.charAt(start - 1))) start -= 1;
    let end = trace.index + 1;
    while (end < text.length && PIECE.test(text.charAt(end))) end += 1;
    const change = redactPiece(text.slice(start, end), redact);
    // The search for the next trace uses the same expression.
    TRACE.lastIndex = end;
    if (change === undefined) continue;
    result += text.slice(from, start) + change;
    from = end;
  }
  return from === 0 ? text : result + text.slice(from);
}

function redactPiece(piece: string, redact: (plain: string) => string): string | undefined {
  /** Where in the piece each character of the plain form begins. */
  const origin: number[] = [];
  let plain = '';
  for (const { 0: character, index } of piece.matchAll(CHARACTER)) {
    const shown = undisguised(character);
    if (shown !== '') origin.push(index);
    plain += shown;
  }
  const redacted = redact(plain);
  if (redacted === plain) return undefined;
  let head = 0;
  while (plain[head] === redacted[head]) head += 1;
  let tail = 0;
  const longest = Math.min(plain.length, redacted.length) - head;
  while (tail < longest && plain.at(-1 - tail) === redacted.at(-1 - tail)) tail += 1;
  const marks = redacted.slice(head, redacted.length - tail).match(MARK);
  // A mark shares a character with what stands beside it.
  if (marks === null) return (redacted.match(MARK) ?? []).join('');
  return (
    piece.slice(0, origin[head]) + marks.join('') + piece.slice(tail === 0 ? piece.length : origin[plain.length - tail])
  );
}

/** The character as it is meant; empty when nobody sees it. */
function undisguised(character: string): string {
  if (character.length === 3) return String.fromCharCode(Number.parseInt(character.slice(1), 16));
  const unit = character.charCodeAt(0);
  if (unit >= 0xff01 && unit <= 0xff5e) return String.fromCharCode(unit - 0xfee0);
  return unit < 127 ? character : '';
}
