/**
 * Where our plugin stands in a client's settings file. Its commands rewrite that file in their own hand, so what they
 * changed is found by meaning: a member named by our id, and one named by our marketplace, both one level down.
 */
import { isObject } from '@openviking/memory-core/full';
import type { JsonObject, JsonValue } from '@openviking/memory-core/full';
import { parseDocument, placeOf, plainValue, valueAt } from '../json/document.ts';
import { equal } from '../wiring/wire-config.ts';
import { WorkingText } from '../wiring/working-text.ts';

/** How a client knows our plugin. */
export interface PluginNames {
  /** `<plugin>@<marketplace>` */
  readonly id: string;
  readonly marketplace: string;
  /** What predecessors called plugin and marketplace. */
  readonly earlier: readonly string[];
}

/** Paths of the members that are ours, in file order. */
export function mentionsIn(value: JsonValue, names: PluginNames): readonly (readonly string[])[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    isObject(member)
      ? Object.keys(member)
          .filter((name) => isOurs(name, names))
          .map((name) => [key, name])
      : [],
  );
}

/** Where the user has switched our plugin off, with the line of it; undefined where that is not so, and in a broken file. */
export function switchedOffIn(
  text: string,
  path: string,
  names: PluginNames,
): { readonly path: readonly string[]; readonly line: number } | undefined {
  try {
    const { root } = parseDocument(text, path);
    const mentions = root === undefined ? [] : mentionsIn(plainValue(root), names);
    for (const mention of mentions) {
      const node = valueAt(root, mention);
      if (mention.at(-1) === names.id && node?.value === false) {
        return { path: mention, line: placeOf(text, node.offset).line };
      }
    }
    return undefined;
  } catch {
    return undefined;
  }
}

/** The text without our members; everything else stays to the byte. `removed` counts them. */
export function withoutMentions(
  text: string,
  path: string,
  names: PluginNames,
): { readonly text: string; readonly removed: number } {
  const working = new WorkingText(parseDocument(text, path), path);
  const { root } = working.document;
  const mentions = root === undefined ? [] : mentionsIn(plainValue(root), names);
  for (const mention of mentions) working.removeProperty(mention);
  return { text: working.text, removed: mentions.length };
}

/**
 * True when two versions of a file say the same apart from our plugin. The client leaves the objects empty that it had made
 * for us: an empty one is the same as none.
 */
export function sameButForUs(one: JsonValue, other: JsonValue, names: PluginNames): boolean {
  return equal(bareOf(one, names), bareOf(other, names));
}

function bareOf(value: JsonValue, names: PluginNames): JsonValue {
  if (!isObject(value)) return value;
  const bare: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    const kept: JsonValue | undefined = isObject(member) ? membersWithout(member, names) : member;
    if (!isObject(kept) || Object.keys(kept).length > 0) bare[key] = kept;
  }
  return bare;
}

function membersWithout(members: JsonObject, names: PluginNames): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !isOurs(name, names)));
}

function isOurs(name: string, { id, marketplace, earlier }: PluginNames): boolean {
  return name === id || name === marketplace || earlier.includes(name);
}

/** A file's text as a value; an empty one holds an empty object, as clients take it. Undefined when it is broken. */
export function valueOf(text: string | undefined, path: string): JsonValue | undefined {
  try {
    const { root } = parseDocument(text ?? '', path);
    return root === undefined ? {} : plainValue(root);
  } catch {
    return undefined;
  }
}
