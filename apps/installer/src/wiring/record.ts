/**
 * What the installer did inside one configuration file, kept in the receipt: enough to take exactly that out again, also
 * after the user has changed the file around it.
 */
import type { JsonObject } from '@openviking/memory-core/hot';

export interface ConfigRecord {
  /** Objects and lists that were not there before, outer before inner. */
  readonly containers: readonly (readonly string[])[];
  /** Objects and lists that were there without a member: the white space and comments that stood between their brackets. */
  readonly hollows: readonly Hollow[];
  readonly scalars: readonly SetScalar[];
  /** Handlers and entries as they were written, by their path: the base of the next upgrade's three-way merge. */
  readonly written: readonly WrittenValue[];
  /**
   * What the client's rules objected to before us, as `code where` without positions in lists. Taking our scalars out may
   * bring these back and no others: a user may have filled by now what only our `version` makes readable.
   */
  readonly objections?: readonly string[];
  /** Digests of the handlers of others when we first put a switch on that counts for them too; see `neighbours.ts`. */
  readonly neighbours?: readonly string[];
  /** What stands between the user's text and a block of ours behind it. */
  readonly joint?: string;
  /** Blocks of text as they were written, by their name. */
  readonly blocks?: readonly { readonly path: readonly string[]; readonly text: string }[];
}

export interface Hollow {
  readonly path: readonly string[];
  readonly text: string;
}

export interface SetScalar {
  readonly path: readonly string[];
  readonly value: string | number | boolean;
  /** The earlier value as it was spelled; absent when there was none. */
  readonly before?: string;
}

export interface WrittenValue {
  readonly path: readonly string[];
  readonly value: JsonObject;
}

export const EMPTY_RECORD: ConfigRecord = { containers: [], hollows: [], scalars: [], written: [] };

/** A violation under a name that survives the moving of list elements. */
export function objectionOf({ code, where }: { readonly code: string; readonly where: string }): string {
  return `${code} ${where.replace(/\[\d+\]/g, '[]')}`;
}

/** Paths are compared as lists of keys: a key may hold a dot. */
export function samePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}

/** Both lists; where both have an item of one path, `preferred` wins. */
export function mergeByPath<T extends { readonly path: readonly string[] }>(
  others: readonly T[],
  preferred: readonly T[],
): readonly T[] {
  return [...others.filter((item) => !preferred.some((other) => samePath(other.path, item.path))), ...preferred];
}

/**
 * Values that this run has set, with those of earlier runs: what a run wrote last is what uninstall looks for, and what was
 * there before the first run is what it puts back.
 */
export function mergeScalars(set: readonly SetScalar[], known: readonly SetScalar[]): readonly SetScalar[] {
  const updated = known.map((earlier) => {
    const value = set.find(({ path }) => samePath(path, earlier.path))?.value;
    return value === undefined ? earlier : { ...earlier, value };
  });
  return mergeByPath(set, updated);
}
