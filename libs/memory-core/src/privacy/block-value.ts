/** Values that stand below their name on lines of their own, as YAML has them: a search along the line misses all of these. */
import { JUDGED, type Value } from './examined-text.ts';
import { isSecret } from './named-secret.ts';
import type { Named } from './promising-name.ts';
import { quotedValue } from './quoted-value.ts';

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
export function blockValue(
  text: string,
  at: number,
  wordStart: number,
  named: Named,
  shouted: boolean,
): Value | undefined {
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
