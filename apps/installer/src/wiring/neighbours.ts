/**
 * Handlers of others beside ours, told apart by their content. A switch that we had put on is theirs to keep once a user has
 * added a hook that needs it: putting it back would stop that hook without a word.
 */
import type { Node } from 'jsonc-parser';
import type { ConfigFile, ConfigOperation } from '@openviking/memory-core/full';
import { sha256 } from '../files/image.ts';
import { plainValue, propertyOf } from '../json/document.ts';
import { isHandler } from './handlers.ts';
import type { WorkingText } from './working-text.ts';

/** Whether the value at `path` puts every handler of the file on: true, in an object that holds their lists. */
export function isSwitch(
  { path, value }: { readonly path: readonly string[]; readonly value: unknown },
  operations: readonly ConfigOperation[],
): boolean {
  const around = path.slice(0, -1);
  return (
    value === true &&
    operations.some(
      (operation) =>
        isHandler(operation) &&
        operation.kind !== 'item' &&
        operation.path.length > around.length &&
        around.every((key, index) => operation.path[index] === key),
    )
  );
}

/** A digest of each handler that is nobody's of ours, in all lists that stand beside those of the operations. Pure. */
export function neighboursIn(working: WorkingText, file: Pick<ConfigFile, 'operations' | 'owns'>): readonly string[] {
  const parents = new Map(
    file.operations
      .filter((operation) => isHandler(operation) && operation.kind !== 'item')
      .map(({ path }) => [JSON.stringify(path.slice(0, -1)), path.slice(0, -1)] as const),
  );
  return [...parents.values()].flatMap((parent) =>
    working.keysAt(parent).flatMap((name) => handlersIn(working.at([...parent, name]), file.owns)),
  );
}

/** True when one of the handlers was not there before, or not as it is now. */
export function hasNewNeighbour(now: readonly string[], before: readonly string[]): boolean {
  const known = [...before];
  return now.some((digest) => {
    const index = known.indexOf(digest);
    if (index === -1) return true;
    known.splice(index, 1);
    return false;
  });
}

function handlersIn(list: Node | undefined, owns: ConfigFile['owns']): readonly string[] {
  if (list?.type !== 'array') return [];
  return (list.children ?? []).flatMap((element) => {
    const inner = element.type === 'object' ? propertyOf(element, 'hooks')?.children?.[1] : undefined;
    const nodes = inner?.type === 'array' ? (inner.children ?? []) : [element];
    return nodes.map(plainValue).flatMap((value) => (owns(value) === undefined ? [sha256(JSON.stringify(value))] : []));
  });
}
