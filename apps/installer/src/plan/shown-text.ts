/**
 * A file's text as it may be shown. The context of a diff repeats lines of other programs, and a client's configuration
 * holds their keys; a diff ends up in logs and in chats. What is written is never touched by this.
 */
import { redactDeep, redactSecrets } from '@openviking/memory-core/full';
import type { JsonObject, JsonValue } from '@openviking/memory-core/full';
import type { Node } from 'jsonc-parser';
import { Refusal } from '../cli/refusal.ts';
import { parseDocument, plainValue } from '../json/document.ts';
import { replaceRaw } from '../json/edit.ts';

/** `text` with every secret replaced by a mark; line breaks stay, so that a diff of two such texts keeps its places. */
export function shownText(text: string, path: string): string {
  return maskedJson(text, path).replace(/[^\r\n]+/g, (line) => redactSecrets(line));
}

/** In JSON a secret may be known by its key, or by the argument before it, on another line. */
function maskedJson(text: string, path: string): string {
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
  compare(root, redactDeep(plainValue(root)), changes);
  // From the end, so that earlier offsets stay right.
  return changes
    .sort((one, other) => other.node.offset - one.node.offset)
    .reduce((result, { node, shown }) => replaceRaw(result, node, JSON.stringify(shown)), text);
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
