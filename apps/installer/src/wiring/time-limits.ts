/**
 * Finds hooks that the user gave less time than they plan with. The host ends such a hook before it has answered, and
 * neither of the two says a word about it.
 */
import type { ConfigFile } from '@openviking/memory-core/hot';
import type { Node } from 'jsonc-parser';
import { propertyOf } from '../json/document.ts';
import { nodeAt, readConfig } from './format.ts';
import { isHandler, ownedHandlers } from './handlers.ts';

export interface ShortLimit {
  /** The client's name of the event. */
  readonly event: string;
  readonly key: string;
  readonly value: number;
  /** What the hook plans with, in the same unit. */
  readonly planned: number;
  readonly offset: number;
}

/** Pure; `text` parses. */
export function shortLimits(text: string, file: ConfigFile): readonly ShortLimit[] {
  const { root } = readConfig(text, file);
  return file.operations.flatMap((operation) => {
    if (!isHandler(operation) || operation.kind === 'item') return [];
    // The nodes of every format are those of JSON.
    const list = nodeAt(root, operation.path) as Node | undefined;
    if (list === undefined) return [];
    const keys = (operation.userKeys ?? []).filter(({ isTimeLimit }) => isTimeLimit === true);
    return ownedHandlers(list, operation.kind, file.owns).flatMap(({ node }) =>
      keys.flatMap(({ key }): readonly ShortLimit[] => {
        const property = propertyOf(node, key);
        const value: unknown = property?.children?.[1]?.value;
        const planned = operation.handler[key];
        if (property === undefined || typeof value !== 'number' || typeof planned !== 'number') return [];
        const event = operation.path.at(-1) ?? '';
        return value < planned ? [{ event, key, value, planned, offset: property.offset }] : [];
      }),
    );
  });
}
