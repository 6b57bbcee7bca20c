/**
 * Finds secrets by their format. Nearly every text that passes holds none, so the search must cost next to nothing: a look
 * for a run of characters that is long enough, one walk over the text with a table of first letters, and an expression
 * only where a known start stands.
 */
import { FORMAT_RUN, SHAPE_RUN, WORD_BEGINNING } from './format-starts.ts';
import { formatRules, shapeRules } from './rules.ts';
import type { FormatRule } from './rules.ts';
import { looksRandom } from './secret-values.ts';

interface Start {
  readonly text: string;
  readonly rule: FormatRule;
  /** Made when the start is first met: most never are. */
  whole: RegExp | undefined;
}

interface Shape {
  readonly id: string;
  readonly anchor: RegExp;
  readonly whole: RegExp;
  readonly random: boolean;
}

/** Everything is ASCII: three characters make an index. */
const ASCII = 128;

interface Tables {
  /** Number of the group of starts with these two first characters; 0 where there is none. */
  readonly pairs: Uint8Array;
  /** Per group and third character, 1 where some start of the group goes on like that. */
  readonly thirds: Uint8Array;
  /** By number; the longest start comes first, so that the most exact rule decides. */
  readonly groups: readonly (readonly Start[])[];
}

/** Both made at first use: most texts need neither. */
let tables: Tables | undefined;
let shapes: readonly Shape[] | undefined;

function makeTables(): Tables {
  const pairs = new Uint8Array(ASCII * ASCII);
  const groups: Start[][] = [[]];
  for (const rule of formatRules()) {
    for (const text of rule.starts) {
      const key = text.charCodeAt(0) * ASCII + text.charCodeAt(1);
      pairs[key] ||= groups.push([]) - 1;
      groups[pairs[key]]?.push({ text, rule, whole: undefined });
    }
  }
  const thirds = new Uint8Array(groups.length * ASCII);
  groups.forEach((group, number) => {
    for (const { text } of group) {
      if (text.length === 2) thirds.fill(1, number * ASCII, (number + 1) * ASCII);
      else thirds[number * ASCII + text.charCodeAt(2)] = 1;
    }
    group.sort((a, b) => b.text.length - a.text.length);
  });
  return { pairs, thirds, groups };
}

function makeShapes(): readonly Shape[] {
  return shapeRules().map((rule) => ({
    id: rule.id,
    anchor: new RegExp(rule.anchor, 'g'),
    whole: new RegExp(`(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))(?:${rule.pattern})`, 'g'),
    random: rule.random,
  }));
}

/** `text` with every secret of a known format replaced by its mark. */
export function redactFormats(text: string): string {
  if (!FORMAT_RUN.test(text)) return text;
  tables ??= makeTables();
  const result = redactStarts(text, tables);
  return redactBesideAccessKey(SHAPE_RUN.test(result) ? redactShapes(result) : result);
}

function redactStarts(text: string, { pairs, thirds, groups }: Tables): string {
  let result = '';
  let from = 0;
  let first = text.charCodeAt(0);
  let second = text.charCodeAt(1);
  for (let index = 0; index + 2 < text.length; index += 1) {
    const third = text.charCodeAt(index + 2);
    if ((first | second | third) < ASCII) {
      const group = pairs[first * ASCII + second] ?? 0;
      if (group !== 0 && thirds[group * ASCII + third] === 1 && (index === from || beginsWord(text, index))) {
        const match = matchAt(text, index, groups[group] ?? []);
        if (match !== undefined && !liesInData(text, index)) {
          result += `${text.slice(from, index)}[redacted:${match.id}]`;
          from = match.end;
          index = match.end - 1;
          first = text.charCodeAt(index + 1);
          second = text.charCodeAt(index + 2);
          continue;
        }
      }
    }
    first = second;
    second = third;
  }
  return from === 0 ? text : result + text.slice(from);
}

/** Longest beginning of a secret that is held against its rule, in UTF-16 units. */
const RULE_REACH = 2_048;

function matchAt(text: string, at: number, candidates: readonly Start[]): { id: string; end: number } | undefined {
  for (const start of candidates) {
    if (!text.startsWith(start.text, at)) continue;
    start.whole ??= new RegExp(`^${start.text.replace(/[.+*?^$()[\]{}|\\]/g, '\\$&')}(?:${start.rule.rest})`);
    const found = start.whole.exec(text.slice(at, at + RULE_REACH))?.[0];
    if (found === undefined || (start.rule.random && !looksRandom(found.slice(0, 256)))) continue;
    // A token that is longer still goes on with what tokens are made of.
    const more = found.length < RULE_REACH ? 0 : (/^[\w.+/=-]*/.exec(text.slice(at + RULE_REACH))?.[0].length ?? 0);
    return { id: start.rule.id, end: at + found.length + more };
  }
  return undefined;
}

/** Longest distance from the start of a shape to behind its anchor, and from its anchor to its end. */
const SHAPE_REACH = 128;

function redactShapes(text: string): string {
  shapes ??= makeShapes();
  return shapes.reduce(redactShape, text);
}

function redactShape(text: string, shape: Shape): string {
  let result = '';
  let from = 0;
  shape.anchor.lastIndex = 0;
  for (let anchor = shape.anchor.exec(text); anchor !== null; anchor = shape.anchor.exec(text)) {
    if (anchor.index < from) continue;
    const start = Math.max(from, anchor.index - SHAPE_REACH);
    const window = text.slice(start, anchor.index + SHAPE_REACH);
    shape.whole.lastIndex = 0;
    const found = shape.whole.exec(window);
    if (found === null || (shape.random && !looksRandom(found[0]))) continue;
    result += `${text.slice(from, start + found.index)}[redacted:${shape.id}]`;
    from = start + found.index + found[0].length;
  }
  return from === 0 ? text : result + text.slice(from);
}

/** Exports of credentials put the secret right beside the id, without a name. */
function redactBesideAccessKey(text: string): string {
  if (!text.includes('[redacted:aws-access-key]')) return text;
  return text.replace(
    /(\[redacted:aws-access-key\](?:[\s,:;|"']|\\[nrt"]){1,8})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/g,
    '$1[redacted:aws-secret-key]',
  );
}

const BEGINNING = new RegExp(WORD_BEGINNING, 'y');

function beginsWord(text: string, at: number): boolean {
  BEGINNING.lastIndex = at;
  return BEGINNING.test(text);
}

/** Longest stretch of base64 before a find that is looked through, in UTF-16 units. */
const DATA_REACH = 4_096;

/** True inside a picture or a checksum, where chance makes any short start. */
function liesInData(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (before !== 43 && before !== 47) return false; // only behind + and / can a start lie in base64
  const stretch = /[A-Za-z0-9+/]*$/.exec(text.slice(Math.max(0, at - DATA_REACH), at))?.[0] ?? '';
  if (stretch.length >= DATA_REACH) return true;
  return /(?:base64,|sha(?:1|256|384|512)-)$/.test(
    text.slice(Math.max(0, at - stretch.length - 8), at - stretch.length),
  );
}
