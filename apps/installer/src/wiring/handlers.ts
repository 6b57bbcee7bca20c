/**
 * Finds single handlers inside lists of groups. What the installer owns is one handler, never the group around it: users
 * put their own handlers beside ours.
 */
import type { Node } from 'jsonc-parser';
import type { ConfigFile } from '@openviking/memory-core/hot';
import { plainValue, propertyOf } from '../json/document.ts';

export interface FoundHandler {
  readonly node: Node;
  /** The `hooks` list of its group. */
  readonly list: Node;
  readonly group: Node;
  readonly owner: 'current' | 'earlier';
}

/** Our handlers in a list of groups, in file order. Anything of another shape is not ours. */
export function ownedHandlers(groups: Node, owns: ConfigFile['owns']): readonly FoundHandler[] {
  const found: FoundHandler[] = [];
  for (const group of groups.children ?? []) {
    const list = group.type === 'object' ? propertyOf(group, 'hooks')?.children?.[1] : undefined;
    if (list?.type !== 'array') continue;
    for (const node of list.children ?? []) {
      const owner = owns(plainValue(node));
      if (owner !== undefined) found.push({ node, list, group, owner });
    }
  }
  return found;
}
