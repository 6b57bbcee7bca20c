/**
 * What a client's commands have added to a settings file, as operations of our own: with them the file gets its additions
 * in the hand of its author (order, comments and numbers stay), and can be given back later by the same rules as any other.
 */
import { isObject } from '@openviking/memory-core/full';
import type { ConfigFile, ConfigOperation, JsonObject, JsonValue } from '@openviking/memory-core/full';
import { equal } from '../wiring/wire-config.ts';
import type { PluginNames } from './mentions.ts';

/** The operations that turn `before` into `now`; undefined when something else than additions and values changed. */
export function learnOperations(before: JsonObject, now: JsonObject): readonly ConfigOperation[] | undefined {
  const operations: ConfigOperation[] = [];
  return additions(before, now, [], operations) ? operations : undefined;
}

function additions(
  before: JsonObject,
  now: JsonObject,
  path: readonly string[],
  operations: ConfigOperation[],
): boolean {
  // The client drops an object of its own that is empty; anything else that is gone was somebody's.
  const isGone = (key: string): boolean => !(key in now) && !isEmptyObject(before[key]);
  if (Object.keys(before).some(isGone)) return false;
  return Object.entries(now).every(([key, value]) => {
    const old = before[key];
    const here = [...path, key];
    if (isObject(value)) {
      if (isObject(old)) return additions(old, value, here, operations);
      if (old !== undefined) return false;
      // On the first level: one of the client's own maps. Below it: one entry.
      if (path.length === 0) return additions({}, value, here, operations);
      operations.push({ kind: 'entry', path: here, value });
      return true;
    }
    if (equal(old, value)) return true;
    if (isObject(old) || Array.isArray(old) || !isScalar(value)) return false;
    operations.push({ kind: 'scalar', path: here, value });
    return true;
  });
}

/** A settings file with both: what the declaration wants of it, and what the client's commands have put there. */
export function withLearned(
  path: string,
  declared: ConfigFile | undefined,
  learned: readonly ConfigOperation[],
  names: PluginNames,
  folder: string,
): ConfigFile {
  return {
    format: 'json',
    path,
    create: 'always',
    operations: [...(declared?.operations ?? []), ...learned],
    check: declared?.check ?? (() => []),
    owns(value, name) {
      const owner = declared?.owns(value, name);
      if (owner !== undefined || name !== names.marketplace || !isObject(value)) return owner;
      return JSON.stringify(value).includes(JSON.stringify(folder).slice(1, -1)) ? 'current' : 'earlier';
    },
  };
}

function isScalar(value: JsonValue): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isEmptyObject(value: JsonValue | undefined): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
