/**
 * Applies a change to every string of a JSON value, keys included. Tool inputs come from models and hosts: a value that
 * is nested beyond reason is left out instead of overflowing the stack of a hook.
 */

export const DEEPEST = 256;
/** Stands where a value was nested too deeply to be looked at, and so must not be passed on. */
export const TOO_DEEP = '[left out: nested too deeply]';

/**
 * A copy of `value` in which every string has gone through `change`; keys too, unless `keys` is `keep`. Other values stay
 * as they are.
 */
export function mapStrings<Value>(
  value: Value,
  change: (text: string) => string,
  keys: 'change' | 'keep' = 'change',
): Value {
  return map(value, change, keys === 'change' ? change : (key) => key, 0) as Value;
}

function map(
  value: unknown,
  change: (text: string) => string,
  changeKey: (key: string) => string,
  depth: number,
): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item: unknown) => map(item, change, changeKey, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [changeKey(key), map(item, change, changeKey, depth + 1)] as const),
  );
}
