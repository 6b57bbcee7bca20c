/** What this client writes in more ways than others: numbers as text, and a tool's arguments as text that is no JSON. */
import { looseRecord } from '../vendor/memory-core/hot.ts';
import type { LooseRecord } from '../vendor/memory-core/hot.ts';

/** A finite number, also when it was written as text. */
export function looseNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
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
