/**
 * Finds tags of given names in free text, however they are spelled: any case, with blanks and attributes, full-width,
 * with zero-width characters inside, or escaped as JSON and HTML do. One scanner for all who must not be fooled by a
 * spelling: the envelope, the cleaner and `<private>`. Linear: every character is looked at a bounded number of times.
 */

export interface Tag {
  /** Lower case, with `-` for every dash and underscore. */
  readonly name: string;
  readonly kind: 'open' | 'close' | 'void';
  readonly start: number;
  /** Behind the closing bracket, or behind the name when there is none. */
  readonly end: number;
  /** What stands between name and closing bracket. */
  readonly attributes: string;
  /** False when no closing bracket follows before the next tag. */
  readonly complete: boolean;
}

const OPENING_BRACKET = /[<＜﹤]|\\u003c|&lt;|&#0{0,4}60;|&#x0{0,4}3c;/gi;
/** How an opening bracket begins where it is not written as `<`. */
const OTHER_SPELLINGS: readonly string[] = ['&', '\\', '＜', '﹤'];
const NEXT_BRACKET = /([>＞﹥]|\\u003e|&gt;|&#0{0,4}62;|&#x0{0,4}3e;)|[<＜﹤]|\\u003c|&lt;/gi;
/** Attributes longer than this are no attributes. */
const LONGEST_ATTRIBUTES = 2_048;
const LONGEST_NAME = 40;
const PLAIN_NAME = /[A-Za-z0-9_-]*/y;

const BLANK = /\s/u;
/** Made where they are needed: to read classes of characters takes longer than all else that a hook does before its start. */
let invisible: RegExp | undefined;
let nameGoesOn: RegExp | undefined;

/** Characters that a reader does not see: they may stand anywhere inside a name. */
function isInvisible(character: string): boolean {
  invisible ??= /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{M}]/u;
  return invisible.test(character);
}

function goesOnWith(codePoint: number): boolean {
  if (codePoint < 128) return /[A-Za-z0-9.:]/.test(String.fromCharCode(codePoint));
  nameGoesOn ??= /[\p{L}\p{N}]/u;
  return nameGoesOn.test(String.fromCodePoint(codePoint));
}

/** All tags with one of `names` (given in lower case with `-`), in order of appearance. */
export function scanTags(text: string, names: ReadonlySet<string>): Tag[] {
  const found: Tag[] = [];
  const initials = new Set([...names].map((name) => name.charCodeAt(0)));
  const read = (start: number, length: number): void => {
    const tag = readTag(text, start, start + length, names, initials);
    if (tag !== undefined) found.push(tag);
  };
  // Most texts write brackets in one way, if at all, and need no expression.
  if (OTHER_SPELLINGS.some((first) => text.includes(first))) {
    OPENING_BRACKET.lastIndex = 0;
    for (let bracket = OPENING_BRACKET.exec(text); bracket !== null; bracket = OPENING_BRACKET.exec(text)) {
      read(bracket.index, bracket[0].length);
    }
  } else {
    for (let start = text.indexOf('<'); start !== -1; start = text.indexOf('<', start + 1)) read(start, 1);
  }
  return found;
}

/** True for a tag between two quotation marks or backticks (`` `<private>` ``): somebody talks about it. */
export function isMention(text: string, tag: Tag): boolean {
  const before = text[tag.start - 1];
  const after = text[tag.end];
  if (before === undefined || after === undefined) return false;
  return (
    ('`"\''.includes(before) && before === after) ||
    (before === '“' && after === '”') ||
    (before === '‘' && after === '’')
  );
}

function readTag(
  text: string,
  start: number,
  afterBracket: number,
  names: ReadonlySet<string>,
  initials: ReadonlySet<number>,
): Tag | undefined {
  let position = skipUnseen(text, afterBracket);
  const slash = slashLength(text, position);
  if (slash > 0) position = skipUnseen(text, position + slash);

  // Most brackets of ordinary text end here.
  const first = text.charCodeAt(position);
  if (first < 128 && !initials.has(first | 0x20)) return undefined;

  const { name, end: nameEnd } = readName(text, position);
  if (!names.has(name)) return undefined;
  const next = text.codePointAt(nameEnd);
  if (next !== undefined && goesOnWith(next)) return undefined;

  const rest = text.slice(nameEnd, nameEnd + LONGEST_ATTRIBUTES);
  NEXT_BRACKET.lastIndex = 0;
  const bracket = NEXT_BRACKET.exec(rest);
  const complete = bracket?.[1] !== undefined;
  const attributes = complete ? rest.slice(0, bracket.index) : '';
  return {
    name,
    kind: slash > 0 ? 'close' : /[/／]\s*$/u.test(attributes) ? 'void' : 'open',
    start,
    end: complete ? nameEnd + bracket.index + bracket[0].length : nameEnd,
    attributes,
    complete,
  };
}

/** The name in lower case with `-` for every dash, and the position behind its last visible character. */
function readName(text: string, from: number): { readonly name: string; readonly end: number } {
  PLAIN_NAME.lastIndex = from;
  const plain = PLAIN_NAME.exec(text)?.[0] ?? '';
  const next = text.charCodeAt(from + plain.length);
  // Nearly always the name is plain ASCII and a visible character or a blank ends it.
  if (!(next >= 128 || next < 32) || next === 9 || next === 10 || next === 13) {
    return { name: plain.toLowerCase().replaceAll('_', '-'), end: from + plain.length };
  }
  let name = '';
  let end = from;
  let position = from;
  while (position < text.length && name.length <= LONGEST_NAME) {
    const character = String.fromCodePoint(text.codePointAt(position) ?? 0);
    if (/[\t\n\r]/.test(character)) break;
    const visible = fold(character);
    if (visible !== '' && !/^[a-z0-9-]$/.test(visible)) break;
    name += visible;
    position += character.length;
    if (visible !== '') end = position;
  }
  return { name, end };
}

/** A character as the plain one it stands for; empty when nobody sees it. */
function fold(character: string): string {
  if (isInvisible(character)) return '';
  if (/[_\p{Pd}]/u.test(character)) return '-';
  return character.normalize('NFKD').toLowerCase();
}

/** Length of the slash of a closing tag: plain, full-width, or escaped as some do in JSON. */
function slashLength(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit === 0x2f || unit === 0xff0f) return 1;
  return unit === 0x5c && text.charCodeAt(at + 1) === 0x2f ? 2 : 0;
}

function skipUnseen(text: string, from: number): number {
  let position = from;
  // Most names stand right behind the bracket.
  const first = text.charCodeAt(from);
  if (first > 0x20 && first < 0x7f) return from;
  while (position < text.length) {
    const character = String.fromCodePoint(text.codePointAt(position) ?? 0);
    if (!BLANK.test(character) && !isInvisible(character)) break;
    position += character.length;
  }
  return position;
}
