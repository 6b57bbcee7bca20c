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
      file: path,
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
  const wanted = entryOf(content.split('\n')[0] ?? '')?.shape;
  const lines = linesOf(text);
  let hasContent = false;
  let value: 'none' | 'items' | 'other' = 'other';
  let isAsked = false;
  for (const [index, { content: line }] of lines.entries()) {
    if (isBlank(line)) continue;
    if (/^[ \t]/.test(line)) {
      if (value === 'none') value = 'other';
      continue;
    }
    if (line.startsWith('%') || (line === '---' && !hasContent)) {
      hasContent ||= line === '---';
      continue;
    }
    hasContent = true;
    const entry = entryOf(line);
    // The items of a list may stand at the indentation of its key.
    if (wanted === 'map' && entry?.shape === 'list' && value !== 'other') {
      value = 'items';
      continue;
    }
    // Text of one value may stand at the very left only where it is in brackets or quotes: neither is a map or a list.
    if (entry?.shape === wanted && (entry?.part !== 'value' || isAsked)) {
      value = entry?.isOpen === true ? 'none' : 'other';
      isAsked = entry?.part === 'key';
      continue;
    }
    throw new Refusal({
      code: 'config/shape',
      file: path,
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

interface Entry {
  readonly shape: 'list' | 'map';
  /** Of an entry that is written in two: `? key` and `: value`. */
  readonly part?: 'key' | 'value';
  /** Nothing but a comment, an anchor or a tag follows on the line. */
  readonly isOpen: boolean;
}

/** A key in quotes or without, behind its anchor or tag, or another's anchor in its place; up to the colon. */
const KEY =
  /^(?:(?:[&!]\S*\s+)*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>@`%"'{}[\],?:-](?:[^#]|(?<!\s)#)*?)\s*|\*\S+\s+):(?=\s|$)/;

/** What an entry of the outermost level begins on this line; undefined for a line that begins none. */
function entryOf(line: string): Entry | undefined {
  if (/^-(\s|$)/.test(line)) return { shape: 'list', isOpen: false };
  const [mark] = /^[?:](?=\s|$)/.exec(line) ?? [];
  if (mark !== undefined) {
    return { shape: 'map', part: mark === '?' ? 'key' : 'value', isOpen: isOpen(line.slice(1)) };
  }
  const [key] = KEY.exec(line) ?? [];
  return key === undefined ? undefined : { shape: 'map', isOpen: isOpen(line.slice(key.length)) };
}

function isOpen(rest: string): boolean {
  return /^(?:\s+[&!]\S*)*\s*(?:(?<=\s)#.*)?$/.test(rest);
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
