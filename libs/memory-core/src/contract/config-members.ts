/**
 * The members of an object in a configuration file, as clients read them. A name that stands there twice is one that most tools
 * never show: rules that looked at the first of them would judge a value that the client does not use.
 */
import type { ConfigNode } from './harness.ts';

/** Key, value and property of each member; none of what is no object. A key that occurs twice is listed twice. */
export function members(node: ConfigNode): readonly (readonly [string, ConfigNode, ConfigNode])[] {
  if (node.type !== 'object') return [];
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key === undefined || value === undefined ? [] : [[String(key.value), value, property] as const];
  });
}

/** The member that JSON.parse keeps: the last of that name. */
export function member(node: ConfigNode, name: string): ConfigNode | undefined {
  return members(node).findLast(([key]) => key === name)?.[1];
}

/** A number above zero. */
export function isPositive(node: ConfigNode): boolean {
  return typeof node.value === 'number' && node.value > 0;
}

/** A string with something in it. */
export function isFilledString(node: ConfigNode | undefined): boolean {
  return typeof node?.value === 'string' && node.value.length > 0;
}
