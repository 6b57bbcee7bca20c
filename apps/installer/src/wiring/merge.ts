/**
 * What one of our handlers or entries becomes in an upgrade, whatever the format of its file: the user's own changes stay,
 * and so does everything that the user has added to it.
 */
import { isObject } from '@openviking/memory-core/full';
import type { ConfigOperation, JsonObject, JsonValue, UserKey } from '@openviking/memory-core/full';
import { samePath } from './record.ts';
import type { ConfigRecord } from './record.ts';

/** What is an object of ours in the file. */
export type ObjectOperation = Extract<ConfigOperation, { kind: 'entry' | 'handler' | 'flat-handler' }>;

/**
 * Three-way merge of one of our objects: `written` is what we left, `theirs` what is there now. A key that the user added
 * stays; a key that the user changed stays where it is theirs to change; everything else becomes ours.
 */
export function merged(theirs: JsonValue, operation: ObjectOperation, known: ConfigRecord): JsonObject {
  const ours = operation.kind === 'entry' ? operation.value : operation.handler;
  if (!isObject(theirs)) return ours;
  const written = known.written.find(({ path }) => samePath(path, operation.path))?.value;
  const userKeys = operation.userKeys ?? [];
  // Without a receipt, the other keys of another form (`args` beside a shell command) may be ours.
  const base = written ?? (theirs['type'] === ours['type'] ? {} : theirs);
  const result: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(theirs)) {
    if (!(key in ours) && !(key in base) && !isAliasOf(userKeys, key)) result[key] = value;
  }
  for (const [key, value] of Object.entries(ours)) {
    const userKey = userKeys.find((candidate) => candidate.key === key);
    result[key] = (userKey === undefined ? undefined : userValue(userKey, theirs, written)) ?? value;
  }
  for (const { key } of userKeys) {
    if (!(key in ours) && theirs[key] !== undefined) result[key] = theirs[key];
  }
  return result;
}

function userValue(
  { key, alias }: UserKey,
  theirs: JsonObject,
  written: JsonObject | undefined,
): JsonValue | undefined {
  if (theirs[key] !== undefined) return equal(theirs[key], written?.[key]) ? undefined : theirs[key];
  const spelled = alias === undefined ? undefined : theirs[alias.key];
  if (alias === undefined || typeof spelled !== 'number' || equal(spelled, written?.[alias.key])) return undefined;
  // Seconds and milliseconds must not turn into 28.999999999999996.
  return Number((spelled * alias.factor).toPrecision(12));
}

function isAliasOf(userKeys: readonly UserKey[], key: string): boolean {
  return userKeys.some(({ alias }) => alias?.key === key);
}

/** Deep equality of JSON values; the order of keys does not count. */
export function equal(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => key in other && equal((one as JsonObject)[key], (other as JsonObject)[key]))
  );
}
