/**
 * What a client's commands have added to a settings file, as operations of our own: with them the file gets its additions
 * in the hand of its author (order, comments and numbers stay), and can be given back later by the same rules as any other.
 */
import { isObject } from '@openviking/memory-core/full';
import type { ConfigFile, ConfigOperation, JsonValue } from '@openviking/memory-core/full';
import { treeOperations } from '../wiring/handlers.ts';
import { isFrom, mentionsIn } from './mentions.ts';
import type { PluginNames } from './mentions.ts';

/**
 * Our plugin in the file, as operations. Whatever else has changed while the client's commands ran was somebody else, and
 * stays when we go.
 */
export function learnOperations(now: JsonValue, names: PluginNames): readonly ConfigOperation[] {
  return mentionsIn(now, names).flatMap((path): readonly ConfigOperation[] => {
    const [map = '', name = ''] = path;
    const members = isObject(now) ? now[map] : undefined;
    const value = isObject(members) ? members[name] : undefined;
    if (isObject(value)) return [{ kind: 'entry', path, value }];
    return isScalar(value) ? [{ kind: 'scalar', path, value }] : [];
  });
}

/** A settings file with both: what the declaration wants of it, and what the client's commands have put there. */
export function withLearned(
  path: string,
  declared: ConfigFile | undefined,
  learned: readonly ConfigOperation[],
  names: PluginNames,
  folder: string,
): Extract<ConfigFile, { readonly format: 'json' }> {
  return {
    format: 'json',
    path,
    create: 'always',
    operations: treeOperations([...(declared?.operations ?? []), ...learned]),
    check: declared?.check ?? (() => []),
    owns(value, name) {
      const owner = declared?.owns(value, name);
      if (owner !== undefined || name !== names.marketplace || !isObject(value)) return owner;
      if (isFrom(value, [folder])) return 'current';
      return isFrom(value, names.places) ? 'earlier' : undefined;
    },
  };
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
