/**
 * Redacts values by the name that stands beside them: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, "the password is …",
 * "密码是…". Formats say nothing about passwords; only their surroundings give them away.
 */
import { Source, stickyText } from './examined-text.ts';
import { WordFinder } from './name-finder.ts';
import { isSecret } from './named-secret.ts';
import { isShouted, nameAt, type Named } from './promising-name.ts';
import { contentEnd } from './quoted-value.ts';
import { endOfName, NAME_WORDS } from './secret-words.ts';
import { valueAfter } from './value-after.ts';

const EVERY_WORD: ReadonlySet<string> = new Set(NAME_WORDS);

/** From the end of one value to the beginning of the one that takes its place. */
const CHANGE = /(\\{0,7}")[ \t]{1,4}->[ \t]{1,4}\1(?=[^"\\\n]{1,200}\1)(?!\[redacted:)/y;

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
