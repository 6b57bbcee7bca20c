/**
 * What we add to a TOML file as tables of their own stands between two comments at its end. A user sees at a glance what is
 * ours, and taking it out leaves every other line as it was.
 */
import type { TomlDocument } from './document.ts';

export const BLOCK_BEGIN = '# >>> added by openviking-install >>>';
export const BLOCK_END = '# <<< added by openviking-install <<<';

export interface TomlBlock {
  readonly begin: { readonly start: number; readonly end: number };
  /** Absent: somebody has deleted the line. */
  readonly end?: { readonly start: number; readonly end: number };
}

/** Our block; undefined when there is none. A mark inside a text is none. */
export function blockIn({ text, comments }: TomlDocument): TomlBlock | undefined {
  const marks = (mark: string) => comments.filter(({ start, end }) => text.slice(start, end).trimEnd() === mark);
  const begin = marks(BLOCK_BEGIN).at(-1);
  if (begin === undefined) return undefined;
  const end = marks(BLOCK_END).findLast(({ start }) => start > begin.start);
  return end === undefined ? { begin } : { begin, end };
}

export function newlineOf(text: string): '\n' | '\r\n' {
  return /\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
}

/** What comes between the text of a file and a block after it, and what comes after the block. */
export function jointFor(text: string): { readonly before: string; readonly after: string } {
  const newline = newlineOf(text);
  if (text.replace(/^\uFEFF/, '') === '') return { before: '', after: newline };
  return text.endsWith('\n') ? { before: newline, after: newline } : { before: newline + newline, after: '' };
}

/** Puts lines at the top of the block, which is made where there is none. */
export function withLines(document: TomlDocument, lines: readonly string[]): string {
  const { text } = document;
  const newline = newlineOf(text);
  const block = blockIn(document);
  if (block === undefined) {
    const { before, after } = jointFor(text);
    return text + before + [BLOCK_BEGIN, ...lines, BLOCK_END].join(newline) + after;
  }
  const at = block.begin.end;
  const isEmpty = block.end !== undefined && text.slice(at, block.end.start).trim() === '';
  return text.slice(0, at) + newline + lines.join(newline) + (isEmpty ? '' : newline) + text.slice(at);
}

/**
 * Takes the two marks out, and what `joint` says stood before them. Whatever else is between them stays. Only the marks of
 * an empty block take the blank line before them along.
 */
export function withoutBlock(document: TomlDocument, joint: string | undefined): string {
  const { text } = document;
  const block = blockIn(document);
  if (block?.end === undefined) return text;
  const line = lineStart(text, block.begin.start);
  const from = text.startsWith('\uFEFF', line) ? line + 1 : line;
  const to = block.end.end;
  const inner = text.slice(block.begin.end, block.end.start);
  if (inner.trim() !== '') {
    const after = cutLine(text, block.end.start, block.end.end);
    return cutLine(after, block.begin.start, block.begin.end);
  }
  const endsFile = to === text.length;
  // The user may have brought other line breaks in since.
  const newline = newlineOf(text.slice(block.begin.end));
  const guessed = endsFile ? newline + newline : newline;
  const before = joint ?? guessed;
  const start = text.slice(0, from).endsWith(before) ? from - before.length : from;
  // A file without a final line break got its block without one, too.
  const hadFinalBreak = before.split('\n').length < 3;
  const rest = text.slice(to);
  const after = hadFinalBreak ? rest.replace(/^\r?\n/, '') : rest;
  return text.slice(0, start) + after;
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line ends that holds `offset`, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  const end = at < 0 ? text.length : at;
  return text[end - 1] === '\r' && end > offset ? end - 1 : end;
}

/** Removes a stretch, and its line where it held nothing else. A comment beside it stays. */
export function cutLine(text: string, start: number, end: number): string {
  const from = lineStart(text, start);
  const lead = text.slice(from, start).replace(/^\uFEFF/, '');
  const until = lineEnd(text, end);
  const isAlone = lead.trim() === '' && text.slice(end, until).trim() === '';
  if (!isAlone) {
    const gap = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
    return text.slice(0, start) + text.slice(lead.trim() === '' ? end + gap : end);
  }
  const first = text.startsWith('\uFEFF') && from === 0 ? 1 : from;
  const next = text.indexOf('\n', until);
  if (next >= 0) return text.slice(0, first) + text.slice(next + 1);
  // The last line, without a line break: the one before it goes.
  return text.slice(0, first).replace(/\r?\n$/, '');
}
