/**
 * Where our plugin stands in a client's settings file. Its commands rewrite that file in their own hand, so what they
 * changed is found by meaning: our id among the plugins, and our marketplace among the known ones, where it is the one of
 * ours. A member of the same name anywhere else is the user's.
 */
import { isObject } from '@openviking/memory-core/full';
import type { JsonObject, JsonValue } from '@openviking/memory-core/full';
import { parseDocument, placeOf, plainValue, valueAt } from '../json/document.ts';
import { equal } from '../wiring/merge.ts';
import { WorkingText } from '../wiring/working-text.ts';

/** How a client knows our plugin. */
export interface PluginNames {
  /** `<plugin>@<marketplace>` */
  readonly id: string;
  readonly marketplace: string;
  /** What predecessors called plugin and marketplace. */
  readonly earlier: readonly string[];
  /** Folders and addresses from which a marketplace of our name is ours, or a predecessor's. */
  readonly places: readonly string[];
}

/** The maps of a settings file that the commands write. */
const PLUGINS = 'enabledPlugins';
const MARKETPLACES = 'extraKnownMarketplaces';

/** Paths of the members that are ours, in file order. */
export function mentionsIn(value: JsonValue, names: PluginNames): readonly (readonly string[])[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, members]) =>
    isObject(members)
      ? Object.entries(members)
          .filter(([name, member]) => isOurs(key, name, member, names))
          .map(([name]) => [key, name])
      : [],
  );
}

/** A marketplace of our name that somebody else has added: our commands must not touch it. */
export function foreignMarketplace(value: JsonValue, names: PluginNames): readonly string[] | undefined {
  const members = isObject(value) ? value[MARKETPLACES] : undefined;
  const member = isObject(members) ? members[names.marketplace] : undefined;
  return member === undefined || isFrom(member, names.places) ? undefined : [MARKETPLACES, names.marketplace];
}

/** True when one of the texts in the entry of a marketplace is one of the places, or a folder in one. */
export function isFrom(value: JsonValue, places: readonly string[]): boolean {
  if (typeof value === 'string') return places.some((place) => isWithin(value, place));
  return typeof value === 'object' && value !== null && Object.values(value).some((part) => isFrom(part, places));
}

function isWithin(text: string, place: string): boolean {
  const [plain, whole] = [text, place].map((name) => name.replace(/[/\\]+$/, '').replace(/\.git$/, ''));
  if (plain === undefined || whole === undefined || plain === '') return false;
  // Clients shorten the address of a repository to its last two names.
  const isShort = /^[\w.-]+\/[\w.-]+$/.test(plain) && whole.endsWith(`/${plain}`);
  return plain === whole || plain.startsWith(`${whole}/`) || plain.startsWith(`${whole}\\`) || isShort;
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

/**
 * The text without our members; everything else stays to the byte. `removed` counts them. A map that is empty then goes
 * too, when `before` is given and had none.
 */
export function withoutMentions(
  text: string,
  path: string,
  names: PluginNames,
  before?: JsonValue,
): { readonly text: string; readonly removed: number } {
  const working = new WorkingText(parseDocument(text, path), path);
  const { root } = working.document;
  const mentions = root === undefined ? [] : mentionsIn(plainValue(root), names);
  for (const mention of mentions) working.removeProperty(mention);
  for (const map of isObject(before) ? [PLUGINS, MARKETPLACES].filter((name) => !(name in before)) : []) {
    const node = working.at([map]);
    if (node?.type === 'object' && node.children?.length === 0) working.removeProperty([map]);
  }
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
    const kept: JsonValue = isObject(member) ? membersWithout(key, member, names) : member;
    if (!isObject(kept) || Object.keys(kept).length > 0) bare[key] = kept;
  }
  return bare;
}

function membersWithout(key: string, members: JsonObject, names: PluginNames): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name, member]) => !isOurs(key, name, member, names)));
}

function isOurs(key: string, name: string, member: JsonValue, names: PluginNames): boolean {
  const { id, marketplace, earlier, places } = names;
  if (key === PLUGINS) return name === id || earlier.includes(name);
  if (key !== MARKETPLACES) return false;
  return earlier.includes(name) || (name === marketplace && isFrom(member, places));
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
