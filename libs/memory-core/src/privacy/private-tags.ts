/**
 * Takes out what the user marked `<private>`. It errs towards taking too much: a block that is never closed reaches to
 * the end, a closing tag without an opening one hides what stands before it (a file read from the middle), and a tag
 * counts wherever it stands, also in a quotation. What is marked never leaves the hook process.
 */
import { isMention, scanTags } from './tags.ts';
import type { Tag } from './tags.ts';
import { TOO_DEEP, DEEPEST } from './deep.ts';

const NAMES: ReadonlySet<string> = new Set(['private']);
/** Without this there is no tag in a text: the name as it is, or with a character in it that is not plain. */
const TRACE = /private|[^\t\n\r -~]/i;

/**
 * Blocks that one text of a message has left open for the next: a file is read in pages, and a private passage may begin
 * on one of them, fill others and end on a third. Begin a message with `{ depth: 0 }`.
 */
export interface OpenBlocks {
  depth: number;
}

/**
 * `text` without its private blocks; the rest is unchanged to the character. With `open`, blocks go on from the texts
 * before and into those that follow; a tag that is only mentioned (`` `<private>` ``) does not reach beyond its text.
 */
export function stripPrivate(text: string, open?: OpenBlocks): string {
  const ranges = privateRanges(text, open);
  return ranges.length === 0 ? text : without(text, 0, text.length, ranges);
}

/**
 * The same for a JSON value. The strings of one array are read as the lines of one text: a block may open in one and
 * close in a later one. Keys are stripped like values.
 */
export function stripPrivateDeep<Value>(value: Value, open?: OpenBlocks): Value {
  return strip(value, open, 0) as Value;
}

function strip(value: unknown, open: OpenBlocks | undefined, depth: number): unknown {
  if (typeof value === 'string') return stripPrivate(value, open);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return TOO_DEEP;
  if (Array.isArray(value)) {
    const lines = stripLines(
      value.filter((item): item is string => typeof item === 'string'),
      open,
    );
    let next = 0;
    return value.map((item: unknown) => (typeof item === 'string' ? lines[next++] : strip(item, open, depth + 1)));
  }
  return Object.fromEntries(
    // The names of members are no text that goes on.
    Object.entries(value).map(([key, item]) => [stripPrivate(key), strip(item, open, depth + 1)] as const),
  );
}

function stripLines(lines: readonly string[], open: OpenBlocks | undefined): readonly string[] {
  if (lines.length === 0) return lines;
  const text = lines.join('\n');
  const ranges = privateRanges(text, open);
  if (ranges.length === 0) return lines;
  let start = 0;
  return lines.map((line) => {
    const from = start;
    start += line.length + 1;
    return without(text, from, from + line.length, ranges);
  });
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function privateRanges(text: string, open: OpenBlocks = { depth: 0 }): readonly Range[] {
  const ranges: Range[] = [];
  const opened: Tag[] = [];
  let start = 0;
  for (const tag of TRACE.test(text) ? scanTags(text, NAMES) : []) {
    const isInside = open.depth + opened.length > 0;
    if (tag.kind === 'open') {
      if (!isInside) start = tag.start;
      opened.push(tag);
    } else if (tag.kind === 'close') {
      if (opened.pop() === undefined) open.depth = Math.max(0, open.depth - 1);
      if (!isInside) ranges.splice(0, ranges.length, { start: 0, end: tag.end });
      else if (open.depth + opened.length === 0) ranges.push({ start, end: tag.end });
    }
  }
  if (open.depth + opened.length > 0) ranges.push({ start, end: text.length });
  open.depth += opened.filter((tag) => !isMention(text, tag)).length;
  return ranges;
}

function without(text: string, start: number, end: number, ranges: readonly Range[]): string {
  let result = '';
  let from = start;
  for (const range of ranges) {
    if (range.end <= from) continue;
    if (range.start >= end) break;
    result += text.slice(from, Math.max(from, range.start));
    from = Math.min(end, range.end);
  }
  return result + text.slice(from, end);
}
