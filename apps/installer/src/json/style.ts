/**
 * How a file is written: an insertion that follows the hand of its author is the smallest change there is.
 */
import type { Node } from 'jsonc-parser';
import type { JsonValue } from '@openviking/memory-core/hot';

export interface JsonStyle {
  readonly newline: '\n' | '\r\n' | '\r';
  /** One level of indentation. */
  readonly unit: string;
  /** False for a file that is one line: what is inserted is one line too. */
  readonly multiline: boolean;
  /** Between key and value, the colon included. */
  readonly colon: string;
  /** Between the elements of one line. */
  readonly comma: string;
}

/** Reads the style off the text. `root` is undefined for an empty file. */
export function styleOf(text: string, root: Node | undefined): JsonStyle {
  const newline = (/\r\n|\n|\r/.exec(text)?.[0] ?? '\n') as JsonStyle['newline'];
  const first = root?.children?.[0];
  const multiline =
    root === undefined || first === undefined || /[\r\n]/.test(text.slice(root.offset, root.offset + root.length));
  const colon = colonOf(text, root) ?? (multiline ? ': ' : ':');
  const comma = commaOf(text, root) ?? (colon.endsWith(' ') ? ', ' : ',');
  return { newline, unit: unitOf(text, root), multiline, colon, comma };
}

/** White space at the start of the line that holds `offset`. */
export function indentAt(text: string, offset: number): string {
  const start = lineStart(text, offset);
  return /^[ \t]*/.exec(text.slice(start, offset).replace(/^\uFEFF/, ''))?.[0] ?? '';
}

/** True when only white space stands between the start of the line and `offset`. */
export function startsLine(text: string, offset: number): boolean {
  return /^[ \t]*$/.test(text.slice(lineStart(text, offset), offset));
}

/** A value as text: on one line, or spread over lines whose later ones start with `indent`. */
export function renderValue(value: JsonValue, style: JsonStyle, indent: string | undefined): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const deeper = indent === undefined ? undefined : indent + style.unit;
  const isList = Array.isArray(value);
  const members = isList
    ? (value as readonly JsonValue[]).map((element) => renderValue(element, style, deeper))
    : Object.entries(value).map(([key, member]) => renderMember(key, member as JsonValue, style, deeper));
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) return open + close;
  if (indent === undefined) return open + members.join(style.comma) + close;
  const lead = style.newline + (deeper ?? '');
  return `${open}${lead}${members.join(`,${lead}`)}${style.newline}${indent}${close}`;
}

/** `"key": value`. */
export function renderMember(key: string, value: JsonValue, style: JsonStyle, indent: string | undefined): string {
  return JSON.stringify(key) + style.colon + renderValue(value, style, indent);
}

function unitOf(text: string, root: Node | undefined): string {
  const queue = root === undefined ? [] : [root];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    const first = node.children?.[0];
    if (node.type !== 'property' && first !== undefined && startsLine(text, first.offset)) {
      const outer = indentAt(text, node.offset);
      const inner = indentAt(text, first.offset);
      if (inner.startsWith(outer) && inner.length > outer.length) return inner.slice(outer.length);
    }
    queue.push(...(node.children ?? []));
  }
  return '  ';
}

function colonOf(text: string, root: Node | undefined): string | undefined {
  const [key, value] = root?.children?.find((child) => child.type === 'property')?.children ?? [];
  if (key === undefined || value === undefined) return undefined;
  const between = text.slice(key.offset + key.length, value.offset);
  return /^[ \t]*:[ \t]*$/.test(between) ? between : undefined;
}

function commaOf(text: string, root: Node | undefined): string | undefined {
  const [one, other] = root?.children ?? [];
  if (one === undefined || other === undefined) return undefined;
  const between = text.slice(one.offset + one.length, other.offset);
  return /^[ \t]*,[ \t]*$/.test(between) ? between : undefined;
}

function lineStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start -= 1;
  return start;
}
