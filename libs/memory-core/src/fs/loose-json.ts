/**
 * Reading what a host wrote. Fields come and go between its builds, so every access is checked and a wrong type reads as absent:
 * one surprising field must never cost the turn.
 */
import { isObject, parseObject } from './json-object.ts';

/** A JSON object whose members are not yet trusted. */
export type LooseRecord = Readonly<Record<string, unknown>>;

/** A member that is a string with something in it. Apart from `firstString`, so that a hook carries only what its client needs. */
export function filledString(record: LooseRecord, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The first of these members that is a string with something in it. */
export function firstString(record: LooseRecord, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = record[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** An object, also when it was written as JSON text; undefined for everything else. */
export function looseRecord(value: unknown): LooseRecord | undefined {
  if (isObject(value)) return value;
  return typeof value === 'string' && value.trimStart().startsWith('{') ? parseObject(value) : undefined;
}

/** A text, or the texts of a list of content blocks; empty where there is none. */
export function looseText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value
    .map((block) => (typeof block === 'string' ? block : isObject(block) ? (firstString(block, ['text']) ?? '') : ''))
    .filter((text) => text !== '')
    .join('\n');
}
