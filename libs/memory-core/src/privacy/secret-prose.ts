/**
 * Passwords as people say them: before their name ("… is my password", "… 是我的密码"), behind a verb ("changed the password
 * to …"), behind a heading in bold, or in the column of a table. In a sentence nearly every word stands beside some name, so
 * only what is built like a password is one.
 */
import { isExpression, isLocation, isPlaceholder } from './secret-values.ts';
import { endOfName, lowerCase, PASSWORD_WORDS, SHORT_NAME, SHORT_NAME_WORDS } from './secret-words.ts';

/** A word and the quotation marks around it. Chinese goes on without a blank. */
const VALUE = '(?:\\\\{0,7}["\'`“‘「])?([^\\s"\'`“”‘’「」<>|，。；、：（）()\\\\]{6,64})(?:\\\\{0,7}["\'`”’」])?';
/** What may stand between the verb and the word for a password. */
const WHOSE =
  '(?:[ \\t]+(?:the|my|our|your|his|her|their|a|an|its|new|old|current|correct|right|[\\w-]{2,20})){0,4}[ \\t]+(?:\\*\\*)?';

const BEFORE: readonly RegExp[] = [
  new RegExp(`${VALUE}[ \\t]+(?:is|was|are|ist|est|es)${WHOSE}$`, 'i'),
  new RegExp(`\\b(?:use|using|try|with|enter|type|take|set)[ \\t]+${VALUE}[ \\t]+(?:as|for)(?:${WHOSE}|[ \\t]+)$`, 'i'),
  new RegExp(
    `${VALUE}[ \\t]{0,3}(?:就?是|作为|作為|当作?|當作?|做|设为|設為|为|為|は)[ \\t]{0,3}(?:[我你您他她这這该該本]\\S{0,2}|[\\u4e00-\\u9fff]{0,8})的?[ \\t]{0,3}$`,
  ),
];
/** Behind it the sentence ends or goes on; another noun would be what is spoken of. */
const ENDED =
  /^(?:\*\*)?[ \t]*(?:$|[^\w \t\\-]|\\+["'nrt]|\b(?:for|of|on|in|to|at|and|but|so|now|please|here|by|until|which|that|when|if|as|everywhere)\b)/i;

/** What stands between the word and a value behind it. */
const AFTER = new RegExp(
  '^(?:' +
    [
      '(?:[ \\t]{1,3}[\\w@.-]{1,40}){0,3}?[ \\t]{1,3}(?:to|should be|must be|will be|is now|is set to)[ \\t]{1,3}',
      '[ \\t]is generated for \\S{1,60}:[ \\t]',
      '[ \\t]{0,3}(?:->|→|—|–|-|=>)[ \\t]{1,3}',
      '[ \\t]{0,3}[(（][ \\t]{0,2}',
      '(?:\\*{1,2}|__|<\\/\\w{1,10}>|\\})[ \\t]{0,3}[:：]?[ \\t]{1,3}',
      '[:：][ \\t]{0,3}(?:\\*{1,2}|__|<\\/\\w{1,10}>|\\})[ \\t]{0,3}',
      '[ \\t]{1,2}',
    ].join('|') +
    ')',
  'i',
);
/** Announced on one line, given on the next. */
const NEXT_LINE =
  /^[^\n\\.;]{0,80}:[ \t]*(?:\r?\n|(?:\\+r)?\\+n){1,2}[ \t]{0,8}(?=[^\s\\]{8,64}(?:\s|$|\\+["'nr]|["']))/;
const VALUE_HERE = new RegExp(`^${VALUE}`);

/** Parts of a name with a number: `utf-8`, `oauth2`, `v1.2`. */
const NAME_PARTS = /^(?:[A-Za-z]{0,2}[a-z]*|[A-Z]+)[0-9]{0,4}$/;

/** Where a value could be at all: of letters alone there is none. */
const HAS_VALUE = /[!-~]{0,63}[0-9!@#$%^&*~+?](?:[!-~]{5}|(?<=[!-~]{6}))/;
const SHORT_NAMES = new RegExp(SHORT_NAME, 'g');

/** How far from the word its value may begin, in UTF-16 units. */
const REACH = 120;

/** `text` with the passwords redacted that somebody says in it; `occurring` has the words that may stand in it. */
export function redactProse(text: string, occurring: ReadonlySet<string>): string {
  const ranges: (readonly [number, number])[] = [];
  const words = PASSWORD_WORDS.filter((word) => occurring.has(word));
  const lower = words.length === 0 ? '' : lowerCase(text);
  for (const word of words) {
    for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length)) {
      ranges.push(...saidBeside(text, at, at + word.length));
    }
  }
  if (SHORT_NAME_WORDS.some((word) => occurring.has(word))) {
    for (const { 0: head, index } of text.matchAll(SHORT_NAMES)) ranges.push(...valueAt(text, index + head.length, 3));
  }
  if (words.length > 0 && text.includes('|')) ranges.push(...inTables(text));
  let result = '';
  let from = 0;
  for (const [start, end] of ranges.sort(([a], [b]) => a - b)) {
    if (start < from) continue;
    result += `${text.slice(from, start)}[redacted:password]`;
    from = end;
  }
  return from === 0 ? text : result + text.slice(from);
}

type Ranges = readonly (readonly [number, number])[];

function saidBeside(text: string, start: number, wordEnd: number): Ranges {
  const end = endOfName(text, wordEnd);
  if (end === undefined) return [];
  const after = text.slice(end, end + REACH);
  const from = Math.max(0, start - REACH);
  const before = text.slice(from, start);
  if (HAS_VALUE.test(before) && ENDED.test(after)) {
    for (const pattern of BEFORE) {
      const found = pattern.exec(before);
      const value = found?.[1];
      if (found === null || value === undefined) continue;
      const at = from + found.index + found[0].indexOf(value);
      // Cut off at its beginning, or the end of a longer word.
      if (/[\w/.@-]/.test(text.charAt(at - 1))) continue;
      if (isLikePassword(value, 2)) return [[at, at + value.length]];
    }
  }
  if (!HAS_VALUE.test(after)) return [];
  const next = NEXT_LINE.exec(after)?.[0];
  if (next !== undefined) {
    const given = valueAt(text, end + next.length, 2);
    if (given.length > 0) return given;
  }
  const between = AFTER.exec(after)?.[0];
  return between === undefined ? [] : valueAt(text, end + between.length, 3);
}

function valueAt(text: string, at: number, kinds: number): Ranges {
  const found = VALUE_HERE.exec(text.slice(at, at + REACH));
  const value = found?.[1]?.replace(/[.,:?;]{1,4}$/, '');
  if (found === null || value === undefined || !isLikePassword(value, kinds)) return [];
  const start = at + found[0].indexOf(value);
  const end = start + value.length;
  return text.charAt(end) === '(' ? [] : [[start, end]];
}

/** Built as nobody writes a word: of at least so many kinds of characters, or where two will do, of eight with a digit. */
function isLikePassword(value: string, kinds: number): boolean {
  if (value.length < 6 || isPlaceholder(value) || isLocation(value) || isExpression(value)) return false;
  // Of another script it is a sentence; addresses, calls and markup are none either.
  if (!/^[!-~]+$/.test(value) || /^[\w.+-]+@[\w-]+\.|:\/\/|[[\]{}()<>=]|^[/\\.-]/.test(value)) return false;
  const has = [/[a-z]/, /[A-Z]/, /[0-9]/, /[!@#$%^&*~+?]/].filter((kind) => kind.test(value)).length;
  const isMixed = /[A-Za-z]/.test(value) && /[0-9]/.test(value);
  if (!isMixed) return has >= 3 && /[a-z].*[!@#$%^&*~+?]\S/.test(value);
  const parts = value.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/).filter((part) => part !== '');
  if (parts.length > 1 && parts.every((part) => NAME_PARTS.test(part))) return has >= 4;
  return has >= 3 || (kinds === 2 && value.length >= 8);
}

const BREAK = '(?:\\r?\\n|(?:\\\\+r)?\\\\+n)';
const ROW = '[ \\t]*\\|[^\\n\\\\]{0,500}\\|[ \\t]*';
/** The line below the head of a table. */
const RULE = /\|(?:[ \t]*:?-{2,60}:?[ \t]*\|){1,40}[ \t]*/g;
const HEAD_BEFORE = new RegExp(`(?:^|\\n|\\\\n|")(${ROW})${BREAK}[ \\t]*$`);
const BEHIND_BREAK = new RegExp(`(?<=${BREAK})`);
const ROWS_BEHIND = new RegExp(`(?:${BREAK}${ROW})+`, 'y');
/** Longest line of a table, in UTF-16 units. */
const LONGEST_ROW = 500;
const CELL = /[^|\n\\]+(?=\|)/g;

/** The cells below the name of a password in tables as Markdown has them. */
function inTables(text: string): Ranges {
  const ranges: (readonly [number, number])[] = [];
  let until = 0;
  for (const { 0: rule, index } of text.matchAll(RULE)) {
    if (index < until) continue;
    const head = HEAD_BEFORE.exec(text.slice(Math.max(0, index - LONGEST_ROW), index))?.[1] ?? '';
    const columns = cellsOf(head).map(([, cell]) => isPasswordName(cell));
    if (!columns.includes(true)) continue;
    let at = index + rule.length;
    ROWS_BEHIND.lastIndex = at;
    for (const row of (ROWS_BEHIND.exec(text)?.[0] ?? '').split(BEHIND_BREAK)) {
      cellsOf(row).forEach(([start, cell], column) => {
        if (columns[column] === true)
          ranges.push(...valueAt(text, at + start + (cell.length - cell.trimStart().length), 2));
      });
      at += row.length;
    }
    until = at;
  }
  return ranges;
}

function cellsOf(row: string): readonly (readonly [number, string])[] {
  const first = row.indexOf('|') + 1;
  return [...row.slice(first).matchAll(CELL)].map(({ 0: cell, index }) => [first + index, cell] as const);
}

function isPasswordName(cell: string): boolean {
  const name = lowerCase(cell).replace(/[\s*`_]+$/, '');
  return PASSWORD_WORDS.some((word) => name.endsWith(word));
}
