/**
 * Reading what the host wrote. Fields come and go between builds, so every access is checked and a wrong type reads as
 * absent: one surprising field must never cost the turn.
 */

/** A JSON object whose members are not yet trusted. */
export type LooseRecord = Readonly<Record<string, unknown>>;

/** A member that is a string with something in it. */
export function filledString(record: LooseRecord, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
