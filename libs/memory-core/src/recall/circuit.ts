/**
 * After a failure the next prompts do not wait for the same server again: for 30 s recall is skipped by every hook on the
 * machine. Delivery does not look at this.
 */
import { existsSync } from 'node:fs';
import type { ApiFailure } from '../http/api.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { removeQuietly, writeFileAtomic } from '../fs/write-atomic.ts';

const OPEN_MS = 30_000;

export function circuitOpen(path: string, now: number): boolean {
  const until = readJsonObject(path)?.['openUntil'];
  // Further away than it can be: the clock was set back.
  return typeof until === 'number' && until > now && until - now <= OPEN_MS;
}

export function openCircuit(path: string, now: number): void {
  writeFileAtomic(path, JSON.stringify({ openUntil: now + OPEN_MS }));
}

export function closeCircuit(path: string): void {
  if (existsSync(path)) removeQuietly(path);
}

/** True for a failure that the next request would meet as well: the server is away, silent, broken or overloaded. */
export function isTrouble(failure: ApiFailure): boolean {
  return failure.class === 'unsent' || failure.class === 'ambiguous' || failure.class === 'busy';
}
