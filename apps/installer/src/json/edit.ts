/**
 * The smallest text changes that add, replace or remove one member of a JSON file. A library that re-serialises loses
 * comments and spellings, so these work on offsets; what an insertion needs to be undone exactly is returned with it.
 */
import { createScanner } from 'jsonc-parser';
import type { Node } from 'jsonc-parser';
import type { JsonValue } from '@openviking/memory-core/hot';
import { withoutMark } from './document.ts';
import { indentAt, renderMember, renderValue, startsLine, styleOf } from './style.ts';
import { TOKEN } from './token.ts';
import type { JsonDocument } from './document.ts';

export interface Insertion {
  readonly text: string;
  /** What stood between the brackets of a container that had no member: an exact removal puts it back. */
  readonly hollow?: string;
}

/**
 * Adds a member as the first of its object (`key` given) or list. In a container whose members have lines of their own
 * only lines are added; on one line it goes before the first member.
 */
export function insertFirst({ text, root }: JsonDocument, container: Node, value: JsonValue, key?: string): Insertion {
  const style = styleOf(text, root);
  const render = (indent: string | undefined): string =>
    key === undefined ? renderValue(value, style, indent) : renderMember(key, value, style, indent);
  const open = container.offset + 1;
  const first = container.children?.[0];
  if (first === undefined) {
    const end = container.offset + container.length - 1;
    const hollow = text.slice(open, end);
    const kept = hollow.trimEnd();
    if (!style.multiline && !/[\r\n]/.test(hollow)) {
      return { text: splice(text, open, end, `${kept}${render(undefined)}`), hollow };
    }
    const base = indentAt(text, container.offset);
    const tail = hollow.slice(kept.length);
    const closing = /[\r\n]/.test(tail) ? tail : style.newline + base;
    const inner = `${kept}${style.newline}${base}${style.unit}${render(base + style.unit)}${closing}`;
    return { text: splice(text, open, end, inner), hollow };
  }
  const line = endOfBracketLine(text, open, first.offset);
  if (line === undefined) {
    return { text: splice(text, first.offset, first.offset, `${render(undefined)},${gapOf(style.comma)}`) };
  }
  const indent = indentAt(text, first.offset);
  return { text: splice(text, line.offset, line.offset, `${line.newline}${indent}${render(indent)},`) };
}

/** Puts another value in the place of a node. */
export function replaceValue({ text, root }: JsonDocument, node: Node, value: JsonValue): string {
  const style = styleOf(text, root);
  const spread = style.multiline && /[\r\n]/.test(text.slice(node.offset, node.offset + node.length));
  return replaceRaw(text, node, renderValue(value, style, spread ? indentAt(text, node.offset) : undefined));
}

/** Puts a value back as it was spelled. */
export function replaceRaw(text: string, node: Node, raw: string): string {
  return splice(text, node.offset, node.offset + node.length, raw);
}

/**
 * Removes one member (a property, or an element of a list) with its comma and its line. Comments stay. `hollow` is what
 * the insertion returned; it is used when the container ends up without members.
 */
export function removeMember(text: string, container: Node, member: Node, hollow?: string): string {
  const siblings = container.children ?? [];
  const previous = siblings[siblings.indexOf(member) - 1];
  const end = member.offset + member.length;
  const ownComma = commaBetween(text, end, container.offset + container.length - 1);
  let result = text;
  if (ownComma !== undefined) {
    result = cut(result, member.offset, end, ownComma);
  } else if (previous === undefined) {
    result = cut(result, member.offset, end);
  } else {
    const before = commaBetween(text, previous.offset + previous.length, member.offset);
    if (before !== undefined && /^[ \t]*$/.test(text.slice(before + 1, member.offset))) {
      result = splice(result, before, end, '');
    } else {
      result = cut(result, member.offset, end);
      if (before !== undefined) result = splice(result, before, before + 1, '');
    }
  }
  return siblings.length === 1 ? emptied(result, container, text.length, hollow) : result;
}

/** White space left in a container without members goes, unless the file had it before. */
function emptied(result: string, container: Node, oldLength: number, hollow: string | undefined): string {
  const open = container.offset + 1;
  const end = container.offset + container.length - 1 - (oldLength - result.length);
  const inner = result.slice(open, end);
  if (hollow !== undefined && bare(inner) === bare(hollow)) return splice(result, open, end, hollow);
  return inner.trim() === '' ? splice(result, open, end, '') : result;
}

/** Removes a stretch and, with it, the comma at `comma`; takes the line break along where the line held nothing else. */
function cut(text: string, start: number, end: number, comma?: number): string {
  let result = text;
  let stop = end;
  if (comma !== undefined) {
    // A comment may stand between the member and its comma.
    if (/^\s*$/.test(text.slice(end, comma))) stop = comma + 1;
    else result = splice(text, comma, comma + 1, '');
  }
  let after = stop;
  while (result[after] === ' ' || result[after] === '\t') after += 1;
  const endsLine = after >= result.length || result[after] === '\n' || result[after] === '\r';
  if (!startsLine(result, start)) return splice(result, start, endsLine ? stop : after, '');
  if (!endsLine) {
    const isComment = result[after] === '/';
    return splice(result, start, isComment ? stop : after, '');
  }
  let begin = start - indentAt(result, start).length;
  if (result[begin - 1] === '\n') begin -= 1;
  if (result[begin - 1] === '\r') begin -= 1;
  return splice(result, Math.max(begin, 0), after, '');
}

function commaBetween(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(withoutMark(text), true);
  scanner.setPosition(from);
  return scanner.scan() === TOKEN.comma && scanner.getTokenOffset() < to ? scanner.getTokenOffset() : undefined;
}

/** Where the line of an opening bracket ends, comments on it included; undefined when a member stands on that line. */
function endOfBracketLine(
  text: string,
  from: number,
  firstMember: number,
): { readonly offset: number; readonly newline: string } | undefined {
  const scanner = createScanner(withoutMark(text), false);
  scanner.setPosition(from);
  for (let token = scanner.scan(); scanner.getTokenOffset() < firstMember; token = scanner.scan()) {
    if (token === TOKEN.lineBreak) {
      return { offset: scanner.getTokenOffset(), newline: scanner.getTokenValue() };
    }
  }
  return undefined;
}

function gapOf(comma: string): string {
  return comma.slice(comma.indexOf(',') + 1);
}

function bare(text: string): string {
  return text.replace(/\s+/g, '');
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
