/**
 * A file's text as it may be shown. The context of a diff repeats lines of other programs, and a client's configuration
 * holds their keys; a diff ends up in logs and in chats. What is written is never touched by this.
 */
import { redactDeep, redactSecrets } from '@openviking/memory-core/full';
import type { JsonObject, JsonValue } from '@openviking/memory-core/full';
import type { Node } from 'jsonc-parser';
import { Refusal } from '../cli/refusal.ts';
import { parseDocument, plainValue } from '../json/document.ts';

/** Offsets in a text. */
export interface Extent {
  readonly from: number;
  readonly to: number;
}

/**
 * The part of `text` in that extent, whole lines, with every secret replaced by a mark; line breaks stay, so that a diff of
 * two such texts keeps its places. A client's file may hold megabytes that nobody is going to see.
 */
export function shownText(text: string, path: string, extent: Extent = { from: 0, to: text.length }): string {
  const masked = maskedJson(text, path, extent);
  // Nothing in front of the extent or behind it is masked.
  return masked
    .slice(extent.from, masked.length - (text.length - extent.to))
    .replace(/[^\r\n]+/g, (line) => redactSecrets(line));
}

/** In JSON a secret may be known by its key, or by the argument before it, on another line. */
function maskedJson(text: string, path: string, extent: Extent): string {
  let root: Node | undefined;
  try {
    ({ root } = parseDocument(text, path));
  } catch (error) {
    // No JSON, or broken: line by line then.
    if (error instanceof Refusal) return text;
    throw error;
  }
  if (root?.type !== 'object' && root?.type !== 'array') return text;
  const changes: { readonly node: Node; readonly shown: JsonValue }[] = [];
  const seen = within(root, extent);
  compare(seen, redactDeep(plainValue(seen)), changes);
  return (
    changes
      .map(({ node, shown }) => ({
        shown,
        from: Math.max(extent.from, node.offset),
        to: Math.min(extent.to, node.offset + node.length),
      }))
      .filter(({ from, to }) => from < to)
      .sort((one, other) => other.from - one.from)
      // From the end, so that earlier offsets stay right.
      .reduce((result, { from, to, shown }) => result.slice(0, from) + JSON.stringify(shown) + result.slice(to), text)
  );
}

/** The tree without the objects and arrays that lie outside of the extent: they say nothing about a value that is not in them. */
function within(node: Node, { from, to }: Extent): Node {
  const { children } = node;
  if (children === undefined) return node;
  const kept = children.filter((child) => {
    const value = child.type === 'property' ? child.children?.[1] : child;
    return value?.children === undefined || (value.offset < to && value.offset + value.length > from);
  });
  return { ...node, children: kept.map((child) => within(child, { from, to })) };
}

function compare(
  node: Node,
  shown: JsonValue | undefined,
  changes: { readonly node: Node; readonly shown: JsonValue }[],
): void {
  const children = node.children ?? [];
  if (node.type === 'object' && isObject(shown)) {
    for (const { children: [key, value] = [] } of children) {
      if (value !== undefined) compare(value, shown[redactSecrets(String(key?.value))], changes);
    }
  } else if (node.type === 'array' && Array.isArray(shown)) {
    for (const [index, item] of children.entries()) compare(item, (shown as readonly JsonValue[])[index], changes);
  } else if (node.type !== 'object' && node.type !== 'array') {
    if (shown !== undefined && node.value !== shown) changes.push({ node, shown });
  } else {
    // Cut off by the redactor: too deep to be looked through.
    changes.push({ node, shown: shown ?? null });
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
