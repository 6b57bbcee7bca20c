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
