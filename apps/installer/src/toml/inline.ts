/** Members of `{ … }` and `[ … ]`: added as the last one, taken out with one comma. */
import type { AST } from 'toml-eslint-parser';

type Container = AST.TOMLInlineTable | AST.TOMLArray;
type Member = { readonly range: readonly [number, number] };

export function membersOf(container: Container): readonly Member[] {
  return container.type === 'TOMLArray' ? container.elements : container.body;
}

/** `hollow`: what stood between the brackets of a container without members. */
export function appendInline(
  text: string,
  container: Container,
  rendered: string,
): { readonly text: string; readonly hollow?: string } {
  const last = membersOf(container).at(-1);
  if (last !== undefined) {
    const [, end] = last.range;
    return { text: `${text.slice(0, end)}, ${rendered}${text.slice(end)}` };
  }
  const [open, close] = [container.range[0] + 1, container.range[1] - 1];
  const hollow = text.slice(open, close);
  const pad = container.type === 'TOMLArray' ? '' : ' ';
  // A comment between the brackets goes on to the end of its line, so ours comes before it.
  const inner = hollow.trim() === '' ? `${pad}${rendered}${pad}` : ` ${rendered} ${hollow}`;
  return { text: text.slice(0, open) + inner + text.slice(close), hollow };
}

/** Removes one member with one of the commas beside it; `hollow` returns to a container that ends up without any. */
export function removeInline(text: string, container: Container, member: Member, hollow: string | undefined): string {
  const members = membersOf(container);
  const index = members.indexOf(member);
  const [start, end] = member.range;
  const previous = members[index - 1];
  const next = members[index + 1];
  if (previous !== undefined && /^\s*,\s*$/.test(text.slice(previous.range[1], start))) {
    return text.slice(0, previous.range[1]) + text.slice(end);
  }
  if (next !== undefined && /^\s*,\s*$/.test(text.slice(end, next.range[0]))) {
    return text.slice(0, start) + text.slice(next.range[0]);
  }
  const after = /^\s*,/.exec(text.slice(end, container.range[1]))?.[0].length ?? 0;
  if (members.length > 1) {
    if (after > 0) return text.slice(0, start) + text.slice(end + after);
    // The last one, behind a comment: the comma before it may stay only in a list.
    if (container.type === 'TOMLArray') return text.slice(0, start) + text.slice(end);
    const comma = text.indexOf(',', previous?.range[1] ?? start);
    return text.slice(0, comma) + text.slice(comma + 1, start) + text.slice(end);
  }
  const [open, close] = [container.range[0] + 1, container.range[1] - 1];
  const rest = text.slice(open, start) + text.slice(end + after, close);
  const bare = (inner: string): string => inner.replace(/\s+/g, '');
  const inner = hollow !== undefined && bare(rest) === bare(hollow) ? hollow : rest.trim() === '' ? '' : rest;
  return text.slice(0, open) + inner + text.slice(close);
}
