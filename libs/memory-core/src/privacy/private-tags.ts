/**
 * Takes out what the user marked `<private>`. It errs towards taking too much: a block that is never closed reaches to
 * the end, a closing tag without an opening one hides what stands before it (a file read from the middle), and a tag
 * counts wherever it stands, also in a quotation. What is marked never leaves the hook process.
 */
import { scanTags } from './tags.ts';
import { TOO_DEEP, DEEPEST } from './deep.ts';

const NAMES: ReadonlySet<string> = new Set(['private']);

/** `text` without its private blocks; the rest is unchanged to the character. */
export function stripPrivate(text: string): string {
  const ranges = privateRanges(text);
  return ranges.length === 0 ? text : without(text, 0, text.length, ranges);
}

/**
 * The same for a JSON value. The strings of one array are read as the lines of one text: a block may open in one and
 * close in a later one. Keys are stripped like values.
 */
export function stripPrivateDeep<Value>(value: Value): Value {
  return strip(value, 0) as Value;
}

function strip(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return stripPrivate(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return TOO_DEEP;
  if (Array.isArray(value)) {
    const lines = stripLines(value.filter((item): item is string => typeof item === 'string'));
    let next = 0;
    return value.map((item: unknown) => (typeof item === 'string' ? lines[next++] : strip(item, depth + 1)));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [stripPrivate(key), strip(item, depth + 1)] as const),
  );
}

function stripLines(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return lines;
  const ranges = privateRanges(lines.join('\n'));
  if (ranges.length === 0) return lines;
  const text = lines.join('\n');
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

function privateRanges(text: string): readonly Range[] {
  const ranges: Range[] = [];
  let depth = 0;
  let opened = 0;
  for (const tag of scanTags(text, NAMES)) {
    if (tag.kind === 'open') {
      if (depth === 0) opened = tag.start;
      depth += 1;
    } else if (tag.kind === 'close') {
      if (depth === 0) {
        ranges.length = 0;
        ranges.push({ start: 0, end: tag.end });
      } else {
        depth -= 1;
        if (depth === 0) ranges.push({ start: opened, end: tag.end });
      }
    }
  }
  if (depth > 0) ranges.push({ start: opened, end: text.length });
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
