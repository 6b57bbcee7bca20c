/**
 * The value that belongs to a name: assigned, said in a sentence, in the next element or cell, or just beside it. Each way that
 * is missing here is a way in which passwords get through.
 */
import { bareAssigned, bareValue } from './bare-value.ts';
import { blockValue } from './block-value.ts';
import { JUDGED, stickyLength, type Source, type Value } from './examined-text.ts';
import { isNameLike, isSecret } from './named-secret.ts';
import { isShouted, namePrefix, type Named } from './promising-name.ts';
import { quotedValue } from './quoted-value.ts';
import { isLocation, looksRandom } from './secret-values.ts';
import { endOfName } from './secret-words.ts';

const ASSIGNED =
  /(\\{0,7}["'`]?\]?\)?(?:\?|!(?!=))?)(?:[ \t]\[[^\]\n]{0,40}\])?[ \t]{0,24}(=>|:=|={1,3}|:|：|＝|,(?=[ \t]*\\{0,7}["'`]))[ \t]{0,24}/y;
const NAMED_PAIR =
  /\\{0,7}["'`]?[ \t]*(?:,|:?[ \t]{0,4}\{)?(?:\s|\\+[nrt]){0,60}\\{0,7}["']?(?:\w{0,12}value|default)\\{0,7}["']?[ \t]*[:=][ \t]*/iy;
/** The end of an element that holds a name, and the beginning of the next one, which holds its value. */
const NEXT_ELEMENT =
  /<\/(?:key|name|param-name|th|td|dt)>(?:\s|\\+[nrt]){0,40}<(?:string|value|param-value|td|dd|code)>/iy;
/** The value of an element may be in one of its own. */
const INNER_ELEMENT = /(?:(?:<|&lt;|\\u003c)(?:value|plaintext)(?:>|&gt;|\\u003e))?/iy;
/** The field of a form and its content, as browsers send them. */
const PART_HEAD = /\\{0,7}"(?:\r?\n|(?:\\+r)?\\+n){2}(?=\S)/y;
const PART_VALUE = /[^\s"'\\]{1,8192}(?=\r?\n|\\+[nr])/y;

/** What an element holds, before its end. */
const ELEMENT_VALUE = /[^\s<>&"'\\]{3,200}(?=(?:<|&lt;|\\u003c)\\?\/)/iy;
/** `is …`, `for the staging server is …`: begins with one of {@link SAID_WORDS}. */
const SAID =
  /(?:[ \t]{1,3}(?:for|of|to|on)(?:[ \t]{1,3}[\w.-]{1,40}){1,3})?[ \t]{1,3}(?:ist?|was|=|est?|jest)[ \t:]{1,3}/iy;
const SAID_WORDS: readonly string[] = ['for', 'of', 'to', 'on', 'is', 'was', '=', 'es', 'jes'];
const SAID_BEYOND_ASCII =
  /[ \t]{0,3}(?:就是|改成了?|改为|设置?[为成]|換成|换成了?|用的是|填|是|为|為|は|는|은|è|é|är)[ \t:：]{0,3}/y;
/** Behind an option: blanks, or the next item of a list in YAML. */
const FLAG_GAP = /[ \t]{1,4}|(?:\n|\\+n)[ \t]{0,40}- /y;
/** Between the cells of a table. */
const COLUMN_GAP = /[ \t]{2,40}|[ \t]{0,40}\|[ \t]{1,40}/y;

/** The secret that is assigned to, or said of, the name whose word ends at `wordEnd`. */
export function valueAfter(source: Source, wordStart: number, wordEnd: number, named: Named): Value | undefined {
  const { text } = source;
  const end = endOfName(text, wordEnd);
  if (end === undefined) return undefined;
  const prefix = namePrefix(text, wordStart);
  const shouted = isShouted(prefix + text.slice(wordStart, end));
  const next = behindBlanks(text, end);

  // Behind most words there is a letter or the end of a sentence, and no expression is needed to see that.
  ASSIGNED.lastIndex = end;
  const assigned = /[A-Za-z0-9.;]/.test(next.charAt(0)) ? null : ASSIGNED.exec(text);
  if (assigned !== null) {
    const isInList = assigned[2] === ',';
    if (isInList && !/["'`]/.test(assigned[1] ?? '')) return undefined;
    // In a list of arguments an option's value is the next one.
    const listed = isInList && !prefix.startsWith('-');
    const at = end + assigned[0].length;
    if (assigned[2] === ':' && /[|>!#\r\n\\]/.test(text.charAt(at))) {
      const block = blockValue(text, at, wordStart, named, shouted);
      if (block !== undefined) return block;
    }
    return (
      quotedValue(text, at, named, listed ? 'listed' : 'quoted', shouted) ??
      (isInList ? undefined : bareAssigned(source, at, named, assigned, shouted, prefix)) ??
      pairedValue(source, end, named, shouted)
    );
  }
  const part = /["\\]/.test(text.charAt(end)) ? stickyLength(PART_HEAD, text, end) : 0;
  if (part > 0) {
    const value = { start: end + part, end: end + part + stickyLength(PART_VALUE, text, end + part) };
    return isSecret(named.family, source.judged(value), 'quoted', false) ? value : undefined;
  }
  const gap = stickyLength(FLAG_GAP, text, end);
  if (gap > 0 && (prefix.startsWith('-') || (shouted && isSetBefore(text, wordStart - prefix.length)))) {
    return (
      quotedValue(text, end + gap, named, 'quoted', shouted) ??
      bareValue(source, end + gap, named, true, shouted, prefix)
    );
  }
  const said = saidLength(text, end, next);
  if (said > 0) {
    return quotedValue(text, end + said, named, 'quoted', false) ?? saidValue(source, end + said, named);
  }
  return (
    elementValue(text, end, wordStart, named) ??
    pairedValue(source, end, named, shouted) ??
    (gap > 0 ? besideValue(source, end + gap, wordStart, named) : undefined) ??
    columnValue(source, end, named)
  );
}

/** True behind a command that sets a variable: `ENV`, `setx`, `set -x`. */
function isSetBefore(text: string, at: number): boolean {
  return /(?:^|\s|\\n|["'])(?:ENV|ARG|setx|set[ \t]+-\w{1,4})[ \t]+$/.test(text.slice(Math.max(0, at - 24), at));
}

/** `<password>…</password>`, or the element that follows one with the name. */
function elementValue(text: string, end: number, wordStart: number, named: Named): Value | undefined {
  let start = end;
  if (/^(?:>|&gt;|\\u003e)/i.test(text.slice(end, end + 6))) {
    if (!/(?:<|&lt;|\\u003c)(?:[\w.-]{1,40}:)?[\w.-]*$/i.test(text.slice(Math.max(0, wordStart - 60), wordStart)))
      return undefined;
    start += text.charAt(end) === '>' ? 1 : text.charAt(end) === '&' ? 4 : 6;
  } else {
    const next = text.charAt(end) === '<' ? stickyLength(NEXT_ELEMENT, text, end) : 0;
    if (next === 0) return undefined;
    start += next;
  }
  start += stickyLength(INNER_ELEMENT, text, start);
  const value = { start, end: start + stickyLength(ELEMENT_VALUE, text, start) };
  // As build tools keep it, encrypted with a key that lies beside.
  if (named.family === 'password' && /^\{[A-Za-z0-9+/]{16,200}={0,2}\}$/.test(text.slice(value.start, value.end)))
    return value;
  return isSecret(named.family, text.slice(value.start, Math.min(value.end, start + JUDGED)), 'quoted', false)
    ? value
    : undefined;
}

/** The next cell of a table: only what has a digit, and ends its line or cell. */
function columnValue(source: Source, end: number, named: Named): Value | undefined {
  const gap = named.family === 'password' ? stickyLength(COLUMN_GAP, source.text, end) : 0;
  if (gap === 0) return undefined;
  const value = source.bare(end + gap, 'code', '');
  const judged = source.judged(value);
  const isWhole = /^[ \t]*(?:$|[\r\n|"]|\\+[nr])/.test(source.text.slice(value.end, value.end + 24));
  return isWhole && isSecret('password', judged, 'loose', false) && !isNameLike(judged) ? value : undefined;
}

/** `name: DB_PASSWORD, value: …` */
function pairedValue(source: Source, at: number, named: Named, shouted: boolean): Value | undefined {
  const gap = source.hasValues ? stickyLength(NAMED_PAIR, source.text, at) : 0;
  if (gap === 0) return undefined;
  return (
    quotedValue(source.text, at + gap, named, 'quoted', shouted) ??
    bareValue(source, at + gap, named, true, shouted, '')
  );
}

function saidValue(source: Source, at: number, named: Named): Value | undefined {
  const value = source.bare(at, 'code', '.:!?');
  return isSecret(named.family, source.judged(value), 'said', false) ? value : undefined;
}

/** What stands before a password in a `.netrc`, and in files with a line for each part. */
const AFTER_LOGIN = /(?:\b|\\n)login[ \t]+\S{1,80}?(?:(?:\s|\\+n)+account[ \t]+\S{1,40}?)?(?:\s|\\+n)+$/;
const AFTER_USER_LINE = /(?:\b|\\n)user(?:name)?[ \t]+\S{1,80}?(?:\r?\n|(?:\\+r)?\\+n)[ \t]*$/;

/** A value with nothing but a blank between: only what looks random, or what stands in a `.netrc`. */
function besideValue(source: Source, at: number, wordStart: number, named: Named): Value | undefined {
  const value = source.bare(at, 'code', '');
  const judged = source.judged(value);
  const before = source.text.slice(Math.max(0, wordStart - 120), wordStart);
  const login = named.family === 'password' && source.hasLogins && AFTER_LOGIN.test(before);
  if (!login && named.family === 'password' && AFTER_USER_LINE.test(before)) {
    return isSecret('password', judged, 'loose', false) ? value : undefined;
  }
  const quoted = named.family === 'password' ? quotedValue(source.text, at, named, 'quoted', false) : undefined;
  if (quoted !== undefined) return quoted.end - quoted.start >= 6 ? quoted : undefined;
  const secret =
    login || source.text.charCodeAt(wordStart) > 127
      ? isSecret('password', judged, login ? 'quoted' : 'said', false)
      : looksRandom(judged, 20) && !isLocation(judged);
  return secret ? value : undefined;
}

/** The first characters behind a name and the blanks after it, in lower case; empty at the end of the text. */
function behindBlanks(text: string, end: number): string {
  let at = end;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return text.slice(at, at + 3).toLowerCase();
}

/** Length of what stands between a name and the value that is said of it; 0 when nothing is said. */
function saidLength(text: string, end: number, next: string): number {
  if (next > '\u007f') return stickyLength(SAID_BEYOND_ASCII, text, end);
  return SAID_WORDS.some((word) => next.startsWith(word)) ? stickyLength(SAID, text, end) : 0;
}
