/**
 * One block of whole lines at the end of a YAML file, between two comments that hold its name. Nothing else of the file is
 * touched or understood, so comments, anchors and tags of any kind stay; what can be seen from the outside is checked: that
 * the outermost level is a list or a map like ours, and that no mark is torn off.
 */
import { applyPatch, createPatch } from 'diff';
import { Refusal } from '../cli/refusal.ts';

export interface BlockPlace {
  /** From the start of the first mark's line to the end of the last mark's, without its line break. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function marksOf(name: string): { readonly begin: string; readonly end: string } {
  return { begin: `# >>> ${name}: added by openviking-install >>>`, end: `# <<< ${name} <<<` };
}

/** The block of that name; undefined for none. Throws a refusal where one of its marks is gone. */
export function findBlock(text: string, name: string, path: string): BlockPlace | undefined {
  const marks = marksOf(name);
  const lines = linesOf(text);
  const first = lines.find(({ content }) => content === marks.begin);
  const last = lines.findLast(({ content }) => content === marks.end);
  if (first === undefined && last === undefined) return undefined;
  if (first === undefined || last === undefined || last.start < first.start) {
    const present = first ?? last;
    const line = lines.findIndex((candidate) => candidate === present) + 1;
    const missing = first === undefined ? marks.begin : marks.end;
    throw new Refusal({
      code: 'config/markers-torn',
      say: (t) => t.markersTorn(path, line, missing),
      next: (t) => t.markersTornNext,
      place: { line, column: 1 },
    });
  }
  return { start: first.start, end: last.end, text: text.slice(first.next, last.start) };
}

/** A block as lines of a file. */
export function renderBlock(name: string, content: string, newline: string): string {
  const marks = marksOf(name);
  return [marks.begin, ...content.split('\n'), marks.end].join(newline);
}

/**
 * Throws a refusal where entries of ours cannot be added to the end of the file: its outermost level is another than that
 * of `content`, or in brackets, or it has several documents.
 */
export function requireSameShape(text: string, content: string, path: string): void {
  const wanted = shapeOf(content.split('\n')[0] ?? '');
  const lines = linesOf(text);
  for (const [index, { content: line }] of lines.entries()) {
    const isDirective =
      line.startsWith('%') ||
      (line === '---' &&
        lines.slice(0, index).every(({ content: earlier }) => isBlank(earlier) || earlier.startsWith('%')));
    if (isBlank(line) || isDirective || /^[ \t]/.test(line)) continue;
    const shape = shapeOf(line);
    // Text of one value may stand at the very left only where it is in brackets or quotes: neither is a map or a list.
    if (shape === wanted) continue;
    throw new Refusal({
      code: 'config/shape',
      say: (t) => t.otherYaml(path, index + 1, wanted === 'list' ? 'list' : 'map'),
      next: (t) => t.brokenFileNext,
      place: { line: index + 1, column: 1 },
    });
  }
}

/**
 * A new version of our block, with what the user has changed in it: their change is carried over as a patch, and where it
 * fits nowhere any more their block stays.
 */
export function mergedBlock(theirs: string, wrote: string | undefined, ours: string): string {
  if (wrote === undefined || theirs === wrote || theirs === ours) return ours;
  const patched = applyPatch(`${ours}\n`, createPatch('block', `${wrote}\n`, `${theirs}\n`, '', '', { context: 0 }));
  return patched === false ? theirs : patched.replace(/\n$/, '');
}

function shapeOf(line: string): 'list' | 'map' | undefined {
  if (/^-(\s|$)/.test(line)) return 'list';
  return /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>@`%"'{}[\],?:-](?:[^#]|(?<!\s)#)*?)\s*:(\s|$)/.test(line)
    ? 'map'
    : undefined;
}

function isBlank(line: string): boolean {
  return line.trim() === '' || /^\s*#/.test(line);
}

interface Line {
  readonly start: number;
  /** Before the line break. */
  readonly end: number;
  /** Start of the next line. */
  readonly next: number;
  readonly content: string;
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (const match of text.slice(start).matchAll(/\r?\n|$/g)) {
    const end = (text.startsWith('\uFEFF') ? 1 : 0) + match.index;
    lines.push({ start, end, next: end + match[0].length, content: text.slice(start, end) });
    start = end + match[0].length;
  }
  return lines;
}
