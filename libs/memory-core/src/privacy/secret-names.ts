/**
 * Redacts values by the name that stands beside them: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, "the password is …",
 * "密码是…". Formats say nothing about passwords; only their surroundings give them away.
 */
import { endOfName, lowerCase, NAME_WORDS, qualifierOfKey } from './secret-words.ts';
import { isExpression, isLocation, isPlaceholder, looksRandom } from './secret-values.ts';

/** How much a name promises: any value of a `password` is one, a `token` may be a word of a grammar. */
type Family = 'password' | 'secret' | 'token';

interface Named {
  readonly family: Family;
  /** Stands in the mark. */
  readonly kind: string;
}

const EVERY_WORD: ReadonlySet<string> = new Set(NAME_WORDS);

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
/** From the end of one value to the beginning of the one that takes its place. */
const CHANGE = /(\\{0,7}")[ \t]{1,4}->[ \t]{1,4}\1(?=[^"\\\n]{1,200}\1)(?!\[redacted:)/y;
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

/** Three of them begin a text of several lines. */
const QUOTE = /[fbnru]{0,2}(\\{0,7})(["'`])(?:\1\2\1\2)?/iy;
/** A value in code, a sentence or an address: ends where those go on. */
const BARE = /[^\s"'`<>,;(){}[\]\\|，。；、）】」]+/y;
/** A value behind `NAME=` in a shell or an environment file: ends at a blank. */
const BARE_WORD = /(?:[^\s"'`\\]|\\(?![nrtu"'\\/]))+/y;
/** Longest quoted value that is looked at, in UTF-16 units. */
const LONGEST_VALUE = 8_192;

/** A value is judged by its beginning; however long it is, it is redacted whole. */
const JUDGED = 256;

/** Reads runs of characters. Many words may stand in one run: its end is looked for once. */
class RunReader {
  readonly #pattern: RegExp;
  readonly #text: string;
  #start = 0;
  #end = 0;

  constructor(pattern: RegExp, text: string) {
    this.#pattern = new RegExp(pattern.source, 'y');
    this.#text = text;
  }

  /** End of the run that goes on at `at`; `at` itself when there is none. */
  endOf(at: number): number {
    if (at >= this.#start && at < this.#end) return this.#end;
    this.#pattern.lastIndex = at;
    const length = this.#pattern.exec(this.#text)?.[0].length ?? 0;
    this.#start = at;
    this.#end = at + length;
    return this.#end;
  }
}

/** Finds the words in order. By plain search: one expression for all of them takes milliseconds to become machine code. */
class WordFinder {
  readonly #lower: string;
  /** Where each word stands next; those that do not stand anywhere are left out. */
  readonly #next: { readonly word: string; at: number }[];

  /** `words`: those of {@link NAME_WORDS} that may occur, or more. */
  constructor(text: string, words: ReadonlySet<string>) {
    this.#lower = lowerCase(text);
    this.#next = NAME_WORDS.filter((word) => words.has(word))
      .map((word) => ({ word, at: this.#lower.indexOf(word) }))
      .filter(({ at }) => at !== -1);
  }

  /** The first word at or behind `from`. */
  find(from: number): { readonly index: number; readonly length: number } | undefined {
    let index = Infinity;
    let length = 0;
    for (const next of this.#next) {
      if (next.at < from) {
        const at = this.#lower.indexOf(next.word, from);
        next.at = at === -1 ? Infinity : at;
      }
      if (next.at < index) {
        index = next.at;
        length = next.word.length;
      }
    }
    return index === Infinity ? undefined : { index, length };
  }
}

/** A text under examination. */
class Source {
  readonly text: string;
  /** False where nothing is called a value: then there are no pairs of name and value. */
  readonly hasValues: boolean;
  /** False where nothing is called a login, as the lines of a `.netrc` have one. */
  readonly hasLogins: boolean;
  readonly #bare: RunReader;
  readonly #word: RunReader;

  constructor(text: string, occurring: ReadonlySet<string>) {
    this.text = text;
    this.hasValues = occurring.has('value') || occurring.has('default');
    this.hasLogins = occurring.has('login');
    this.#bare = new RunReader(BARE, text);
    this.#word = new RunReader(BARE_WORD, text);
  }

  /** The bare value at `at`, without marks of punctuation at its end. */
  bare(at: number, kind: 'code' | 'word', trailing: string): Value {
    let end = (kind === 'code' ? this.#bare : this.#word).endOf(at);
    // Only a few: more of them are no end of a sentence.
    const least = Math.max(at, end - 8);
    while (end > least && trailing.includes(this.text.charAt(end - 1))) end -= 1;
    return { start: at, end };
  }

  /** As much of a value as is needed to judge it. */
  judged(value: Value): string {
    return this.text.slice(value.start, Math.min(value.end, value.start + JUDGED));
  }
}

/** `text` with every value redacted that its name gives away; `occurring` has the words that may stand in it. */
export function redactNamed(text: string, occurring: ReadonlySet<string>): string {
  const words = new WordFinder(text, occurring);
  let found = words.find(0);
  if (found === undefined) return text;
  let result = '';
  let from = 0;
  const source = new Source(text, occurring);
  for (; found !== undefined; found = words.find(found.index + 1)) {
    const { index, length } = found;
    const named = nameAt(text, index, text.slice(index, index + length));
    if (named === undefined) continue;
    const value = valueAfter(source, index, index + length, named);
    if (value === undefined || value.start < from) continue;
    const quote = value.quote ?? '';
    result += `${text.slice(from, value.start)}${quote}[redacted:${named.kind}]${quote}`;
    from = value.end;
    // `"old" -> "new"`, as plans of changes have it.
    const change = quote === '' ? stickyText(CHANGE, text, from) : '';
    if (change !== '') {
      result += `${text.slice(from, from + change.length)}[redacted:${named.kind}]`;
      from = contentEnd(text, from + change.length, '"', (change.length - change.replaceAll('\\', '').length) / 2);
    }
    found = { index: from - 1, length: 0 };
  }
  return from === 0 ? text : result + text.slice(from);
}

/** The value of a JSON member called `name`: redacted when the name gives it away, else as it is. */
export function redactNamedValue(name: string, value: string): string {
  const words = new WordFinder(name, EVERY_WORD);
  let named: Named | undefined;
  for (let found = words.find(0); found !== undefined; found = words.find(found.index + found.length)) {
    const wordEnd = found.index + found.length;
    if (endOfName(name, wordEnd) === name.length) {
      named = nameAt(name, found.index, name.slice(found.index, wordEnd));
    }
  }
  if (named === undefined) return value;
  const content = value.trim();
  return isSecret(named.family, content, 'quoted', isShouted(name)) ? `[redacted:${named.kind}]` : value;
}

function nameAt(text: string, index: number, word: string): Named | undefined {
  const lower = word.toLowerCase();
  if (lower > '\u007f') return { family: /[钥鑰证證牌]/.test(word) ? 'secret' : 'password', kind: zhKind(word) };
  const before = text[index - 1] ?? '';
  // A word inside a longer one counts only where a new part of the name begins: `dbPassword`, `db_password`.
  const begins =
    !/[A-Za-z]/.test(before) || (/^[A-Z]/.test(word) && /[a-z]/.test(before)) || isEscapeLetter(text, index);
  if (lower === 'key') {
    const qualifier = qualifierOfKey(text, index);
    if (qualifier === undefined) return begins && before === '_' ? { family: 'token', kind: 'key' } : undefined;
    if (/aws|amazon/i.test(text.slice(Math.max(0, index - 24), index)))
      return { family: 'secret', kind: 'aws-secret-key' };
    return { family: 'secret', kind: /api[_\-. ]?$/i.test(qualifier) ? 'api-key' : 'secret-key' };
  }
  if (lower === 'token') return { family: 'token', kind: 'token' };
  if (lower === 'secret' || lower === '_auth' || lower.startsWith('credential'))
    return { family: 'secret', kind: 'secret' };
  if (lower === 'psk' && !begins) return undefined;
  if (lower === 'pass' || lower === 'pwd') {
    // `pass` alone is many things, `db_pass` a password.
    const isPassword = /[_.-]/.test(before) || USER.test(text.slice(Math.max(0, index - 80), index));
    return begins ? { family: isPassword ? 'password' : 'secret', kind: 'password' } : undefined;
  }
  return { family: 'password', kind: 'password' };
}

function zhKind(word: string): string {
  if (/[钥鑰]/.test(word)) return 'secret-key';
  return /[证證牌]/.test(word) ? 'token' : 'password';
}

/** True when the letter before `index` belongs to an escape such as `\n`. */
function isEscapeLetter(text: string, index: number): boolean {
  return text[index - 2] === '\\' && /[nrt]/.test(text[index - 1] ?? '');
}

interface Value {
  readonly start: number;
  readonly end: number;
  /** Set for a bare number in JSON: its mark is a string. */
  readonly quote?: string;
}

/** The secret that is assigned to, or said of, the name whose word ends at `wordEnd`. */
function valueAfter(source: Source, wordStart: number, wordEnd: number, named: Named): Value | undefined {
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

/** A line break, as it is or as JSON writes it. */
const BREAK = '(?:\\r?\\n|(?:\\\\+r)?\\\\+n)';
/** What may stand behind the name in YAML where the value begins on the next line: a type, the kind of block, a remark. */
const BLOCK_HEAD = new RegExp(
  `(?:![\\w!/.-]{0,60}[ \\t]*)?(?:([|>])[0-9+-]{0,2})?[ \\t]*(?:#[^\\n\\\\]{0,200})?(?=${BREAK})`,
  'y',
);
/** A line that is indented and has no blank inside. */
const BLOCK_LINE = new RegExp(
  `(?:${BREAK}[ \\t]*){0,3}${BREAK}([ \\t]+)([^\\s"'\`\\\\]+)[ \\t]*(?=$|${BREAK}|\\\\{0,7}["'])`,
  'y',
);
const INDENTED_LINE = new RegExp(`(?:${BREAK}[ \\t]*){0,3}${BREAK}([ \\t]+)[^\\s\\\\]`, 'y');
const QUOTED_LINE = new RegExp(`(${BREAK})([ \\t]+)(?=\\\\{0,7}["'])`, 'y');
/** The beginning of a line of YAML up to the word in its name. */
const LINE_HEAD = /(?:^|\n|\\n|["'`>])([ \t]*)(?:- )?(?:\\{0,7}["'])?[\w.-]*$/;
/** More lines are a document. */
const MOST_LINES = 60;

/** The value of a name in YAML that stands on lines of its own, indented below it. */
function blockValue(text: string, at: number, wordStart: number, named: Named, shouted: boolean): Value | undefined {
  const outer = LINE_HEAD.exec(text.slice(Math.max(0, wordStart - 120), wordStart))?.[1]?.length;
  BLOCK_HEAD.lastIndex = at;
  const head = BLOCK_HEAD.exec(text);
  if (outer === undefined || head === null) return undefined;
  let position = at + head[0].length;
  const isBlock = head[1] !== undefined;
  QUOTED_LINE.lastIndex = position;
  const quoted = isBlock ? null : QUOTED_LINE.exec(text);
  if (quoted !== null) {
    const isInside = (quoted[2] ?? '').length > outer;
    return isInside ? quotedValue(text, position + quoted[0].length, named, 'quoted', shouted) : undefined;
  }
  let start: number | undefined;
  let end = position;
  let indent = outer + 1;
  let content = '';
  for (let lines = 0; lines <= MOST_LINES; lines += 1) {
    INDENTED_LINE.lastIndex = position;
    const any = INDENTED_LINE.exec(text);
    if (any === null || (any[1] ?? '').length < indent) break;
    BLOCK_LINE.lastIndex = position;
    const line = BLOCK_LINE.exec(text);
    // Lines with blanks are a text, and more of them than one are a map or a list where no block is announced.
    if (line === null || lines === MOST_LINES || (!isBlock && lines > 0)) return undefined;
    const word = line[2] ?? '';
    indent = Math.max(indent, (line[1] ?? '').length);
    end = position + line[0].replace(/[ \t]+$/, '').length;
    start ??= end - word.length;
    content += word;
    position += line[0].length;
  }
  if (start === undefined || (!isBlock && /[:{[(]$/.test(content))) return undefined;
  const isValue = isSecret(named.family, content.slice(0, JUDGED), isBlock ? 'quoted' : 'tight', shouted);
  return isValue ? { start, end } : undefined;
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

function bareAssigned(
  source: Source,
  at: number,
  named: Named,
  assigned: RegExpExecArray,
  shouted: boolean,
  prefix: string,
): Value | undefined {
  const quote = /^\\{0,7}"/.exec(assigned[1] ?? '')?.[0];
  if (quote === undefined || assigned[2] !== ':') {
    return bareValue(source, at, named, assigned[0] === '=', shouted, prefix);
  }
  // JSON: what is not quoted is a number, or no value at all.
  const number = stickyLength(/-?[0-9]{4,40}(?![\w.])/y, source.text, at);
  return number > 0 && named.family === 'password' ? { start: at, end: at + number, quote } : undefined;
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

function bareValue(
  source: Source,
  at: number,
  named: Named,
  tight: boolean,
  shouted: boolean,
  prefix: string,
): Value | undefined {
  const query = /[?&]/.test(prefix);
  const environment = shouted && tight && !query;
  let value = environment ? source.bare(at, 'word', '') : source.bare(at, 'code', '.:?');
  if (tight && !environment) {
    const ends = source.judged(value).search(/[&#]/);
    if (ends !== -1) value = { start: at, end: at + ends };
  }
  const judged = source.judged(value);
  const behind = source.text.charAt(value.end);
  if (/[([]/.test(behind) || isExpression(judged) || (judged.endsWith('=') && behind === '>')) return undefined;
  const style = environment ? 'environment' : tight ? 'tight' : 'loose';
  if (isSecret(named.family, judged, style, shouted)) return value;
  return named.kind === 'password' && isPlainSecret(source.text, value, judged, { at, tight, shouted, prefix, named })
    ? value
    : undefined;
}

/** A user beside a password. */
const USER =
  /(?:\b|\\n)(?:user(?:[ _-]?(?:name|id))?|login|uid|account|host(?:name)?|server|e?mail)\\{0,7}["']?[ \t]*[:=]/i;

/** So much text around a value is looked at for what shows a configuration, in UTF-16 units. */
const SURROUNDINGS = 160;

/**
 * True for a simple word that is a password by its surroundings: a line of a configuration, an option, a part of an
 * address or of a connection string. In code a simple word is a variable.
 */
function isPlainSecret(
  text: string,
  value: Value,
  judged: string,
  { at, tight, shouted, prefix, named }: { at: number; tight: boolean; shouted: boolean; prefix: string; named: Named },
): boolean {
  if (!/^[A-Z]?[a-z]{5,}(?:-[a-z]+)*[0-9]{0,4}$|^[A-Za-z0-9]*[0-9][A-Za-z0-9]*$/.test(judged) || judged.length < 6)
    return false;
  if (!isSecret('password', judged, 'quoted', false)) return false;
  const before = text.slice(Math.max(0, at - SURROUNDINGS), at);
  const behind = text.slice(value.end, value.end + SURROUNDINGS);
  const beside = `${before}\n${behind}`;
  const hasUser = USER.test(beside);
  const endsLine = /^[ \t]*(?:$|[\r\n]|\\+[nr])/.test(behind);
  if (tight) {
    if (named.family !== 'password' && !hasUser) return false;
    if (prefix.startsWith('-') || /[?&]/.test(prefix)) return /^(?:$|[\s"'&#\\])/.test(behind);
    return hasUser ? /^(?:$|[\s"'\\;,&])/.test(behind) : /^(?:$|[\s"'\\])/.test(behind);
  }
  const startsLine = /(?:^|[\r\n]|\\+[nr]|["'])[ \t]*(?:- )?[\w.-]+[ \t]*[:=][ \t]*$/.test(before);
  if (!endsLine && !/^\\{0,7}["']/.test(behind)) return false;
  if (!startsLine) return false;
  if (hasUser || (shouted && /:[ \t]+$/.test(before))) return true;
  if (named.family !== 'password') return /[0-9]/.test(judged) && /[A-Za-z]/.test(judged) && !isNameLike(judged);
  return (
    /[a-z][_.-]\w*[ \t]*[:=][ \t]*$|(?:^|[\n"']|\\+n)[ \t]*[a-z][\w.-]*:[ \t]+$/.test(before) ||
    /(?:^|[\n"']|\\+n)\[[\w .:-]{1,60}\][ \t]*(?:[\r\n]|\\+[rn])/.test(before)
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

/**
 * A string literal: its content, up to the quote that is escaped as often as the first. A double quote ends every other
 * literal too: it may belong to JSON around it.
 */
function quotedValue(
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

function contentEnd(text: string, start: number, quote: string, escapes: number): number {
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

type Style =
  /** A string literal behind an assignment. */
  | 'quoted'
  /** A string literal in a list: often just another name. */
  | 'listed'
  /** `NAME=value` in capitals. */
  | 'environment'
  /** `name=value`, `--name value`. */
  | 'tight'
  /** `name: value`, `name = value`: as often code as a value. */
  | 'loose'
  /** In a sentence. */
  | 'said';

function isSecret(family: Family, value: string, style: Style, shouted: boolean): boolean {
  if (isPlaceholder(value)) return false;
  if (/\s/.test(value)) return family === 'password' && style === 'quoted' && isSpaced(value);
  const digit = /[0-9]/.test(value);
  const letter = /[A-Za-z]/.test(value);
  const special = /[!@#$%^&*~+?]/.test(value);
  if (family === 'password') {
    if (isLocation(value) || value.length < 4) return false;
    if (/pass|пароль|密码/i.test(value) && !digit && !special) return false;
    if (style === 'quoted' || style === 'environment') return true;
    if (style === 'tight') return value.length >= 6 ? digit || special : digit && letter;
    if (!letter) return digit && style === 'said';
    return value.length >= 6 && ((digit && !/^[A-Z][a-z]+[0-9]$/.test(value)) || special);
  }
  if (isLocation(value)) return false;
  if (family === 'secret') {
    if (style === 'environment' && shouted) return value.length >= 6 && (digit || value.length >= 10);
    if (style === 'quoted')
      return value.length >= 8 && ((digit && letter && !isNameLike(value)) || looksRandom(value, 12));
    if (style === 'tight') return value.length >= 8 && digit && letter && !isNameLike(value);
    return looksRandom(value, 12);
  }
  if (style === 'environment' && shouted) return value.length >= 8 && digit && letter && !isNameLike(value);
  return looksRandom(value, style === 'quoted' ? 16 : 20);
}

/** Words of a message about passwords, or of a label. */
const OF_MESSAGES =
  /^(?:an?|the|is|are|be|to|of|for|in|on|at|or|and|not|no|must|should|can(?:not)?|your|my|new|old|with|from|than|least|too|please|enter|passw(?:or)?[dt]s?|characters?|digits?|step|page|min|max|de|el|la|le|und|der|die|das)$/i;

/** A password of few words, one of which is built like one; messages are not. */
function isSpaced(value: string): boolean {
  const words = value.split(' ');
  return (
    value.length <= 64 &&
    words.length <= 5 &&
    /[A-Za-z]/.test(value) &&
    /[0-9!@#$%^&*~+]/.test(value) &&
    /^[!-~]+(?: [!-~]+)*$/.test(value) &&
    !/[.:?,]$|[(){}<>=[\]]/.test(value) &&
    !words.some((word) => OF_MESSAGES.test(word))
  );
}

/** `api-v2`, `oauth2_client`, `Key1`: words with a number. */
function isNameLike(value: string): boolean {
  return (
    /^[A-Za-z]+(?:[_.:/-][A-Za-z]+)*[_.:/-]?v?[0-9]{0,2}$/.test(value) ||
    /^[A-Za-z]+[0-9][a-z]*(?:[_.-][A-Za-z]+)+$/.test(value)
  );
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

/** What belongs to the name before the word, with a leading `--`, `?` or `&`. */
function namePrefix(text: string, wordStart: number): string {
  return /(?:--?|[?&])?[\w.-]*$/.exec(text.slice(Math.max(0, wordStart - 40), wordStart))?.[0] ?? '';
}

function isShouted(name: string): boolean {
  return /[A-Z]/.test(name) && !/[a-z]/.test(name.replace(/^\\?[nrt](?=[A-Z])/, ''));
}

function stickyText(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function stickyLength(pattern: RegExp, text: string, at: number): number {
  return stickyText(pattern, text, at).length;
}
