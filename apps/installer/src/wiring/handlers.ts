/**
 * Finds single handlers inside an event's list. What the installer owns is one handler, never the group around it: users
 * put their own handlers beside ours.
 */
import type { Node } from 'jsonc-parser';
import type { BlockOperation, ConfigFile, ConfigOperation, TreeOperation } from '@openviking/memory-core/full';
import { plainValue, propertyOf } from '../json/document.ts';

/** What is an element of a list: of an event's, or of a list of texts. */
export type HandlerOperation = Extract<ConfigOperation, { kind: 'handler' | 'flat-handler' | 'item' }>;

export function treeOperations(operations: readonly ConfigOperation[]): readonly TreeOperation[] {
  return operations.filter((operation) => operation.kind !== 'block');
}

export function blockOperations(operations: readonly ConfigOperation[]): readonly BlockOperation[] {
  return operations.filter((operation) => operation.kind === 'block');
}

export interface FoundHandler {
  readonly node: Node;
  /** The list that holds it: the `hooks` of its group, or the event's own. */
  readonly list: Node;
  /** Absent for a handler that is itself an element of the event's list. */
  readonly group?: Node;
  readonly owner: 'current' | 'earlier';
}

export function isHandler(operation: ConfigOperation): operation is HandlerOperation {
  return operation.kind === 'handler' || operation.kind === 'flat-handler' || operation.kind === 'item';
}

/**
 * Our handlers in an event's list, in file order. One that stands in the form of another kind of client (a bare handler
 * among groups, a group among bare handlers) never works there: whoever wrote it, it counts as an earlier installer's.
 */
export function ownedHandlers(
  event: Node,
  kind: HandlerOperation['kind'],
  owns: ConfigFile['owns'],
): readonly FoundHandler[] {
  if (kind === 'item') return ownedItems(event, owns);
  const found: FoundHandler[] = [];
  for (const element of event.children ?? []) {
    if (element.type !== 'object') continue;
    const list = propertyOf(element, 'hooks')?.children?.[1];
    const handlers = list?.type === 'array' ? (list.children ?? []) : [];
    for (const node of handlers) {
      const owner = owns(plainValue(node));
      if (list === undefined || owner === undefined) continue;
      found.push({ node, list, group: element, owner: kind === 'handler' ? owner : 'earlier' });
    }
    const owner = handlers.length > 0 ? undefined : owns(plainValue(element));
    if (owner === undefined) continue;
    found.push({ node: element, list: event, owner: kind === 'flat-handler' ? owner : 'earlier' });
  }
  return found;
}

function ownedItems(list: Node, owns: ConfigFile['owns']): readonly FoundHandler[] {
  return (list.children ?? []).flatMap((node) => {
    const owner = node.type === 'string' ? owns(plainValue(node)) : undefined;
    return owner === undefined ? [] : [{ node, list, owner }];
  });
}
