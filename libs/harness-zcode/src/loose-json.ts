/**
 * Reading what the host wrote. Builds differ in spelling and nesting, so every access is checked and a wrong type reads
 * as absent: one surprising field must never cost the turn.
 */

import { isObject, parseObject } from '../vendor/memory-core/hot.ts';

/** A JSON object whose members are not yet trusted. */
export type LooseRecord = Readonly<Record<string, unknown>>;

/** The first of these members that is a string with something in it. */
export function firstString(record: LooseRecord, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = record[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** A finite number, also when it was written as text. */
export function looseNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** An object, also when it was written as JSON text; undefined for everything else. */
export function looseRecord(value: unknown): LooseRecord | undefined {
  if (isObject(value)) return value;
  return typeof value === 'string' && value.trimStart().startsWith('{') ? parseObject(value) : undefined;
}

/**
 * A tool's arguments as an object. Models now and then produce text that is no JSON object; it is kept under `input`,
 * so that the memory still shows what was asked for.
 */
export function toolArguments(value: unknown): LooseRecord {
  const record = looseRecord(value);
  if (record !== undefined) return record;
  return value === undefined || value === null || value === '' ? {} : { input: value };
}
