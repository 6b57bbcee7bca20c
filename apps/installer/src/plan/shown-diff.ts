/**
 * The unified diff of a file's two texts as it may be shown. Only what surrounds the change is looked at: a client's file may
 * hold megabytes of history, and searching all of it for secrets took longer than the installation.
 */
import { formatPatch, structuredPatch } from 'diff';
import { shownText } from './shown-text.ts';

/** Lines shown around a change. */
const CONTEXT = 3;
const NOWHERE = '/dev/null';

/** `old` or `fresh` is undefined where there is no file before or after. */
export function shownDiff(path: string, old: string | undefined, fresh: string | undefined): string {
  const [before, after] = [old ?? '', fresh ?? ''];
  const { head, tail } = surroundings(linesOf(before), linesOf(after));
  const shown = (text: string): string => {
    const lines = linesOf(text);
    const from = lengthOf(lines.slice(0, head));
    return shownText(text, path, { from, to: text.length - lengthOf(lines.slice(lines.length - tail)) });
  };
  const patch = structuredPatch(
    old === undefined ? NOWHERE : path,
    fresh === undefined ? NOWHERE : path,
    shown(before),
    shown(after),
    undefined,
    undefined,
    { context: CONTEXT },
  );
  for (const hunk of patch.hunks) {
    hunk.oldStart += head;
    hunk.newStart += head;
  }
  // Without the line of equals signs that patch files start with.
  return formatPatch(patch).replace(/^=+\n/, '');
}

/** How many lines at the beginning and at the end are the same and too far from what differs to be shown. */
function surroundings(
  old: readonly string[],
  fresh: readonly string[],
): { readonly head: number; readonly tail: number } {
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  return { head: Math.max(0, head - CONTEXT), tail: Math.max(0, tail - CONTEXT) };
}

/** With their ends, so that a line break that is missing at the end of a file is a difference. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}
