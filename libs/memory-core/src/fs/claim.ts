/** "Not again within …": of several processes that want to do a thing at the same moment, one may. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createExclusive } from './exclusive.ts';
import { ensurePrivateFolder } from './folder.ts';
import { uniqueName } from './unique-name.ts';
import { removeQuietly, renameWithRetry } from './write-atomic.ts';

/** ms since the claim at `path` was made; without end when there is none. */
export function claimedAgo(path: string, now = Date.now()): number {
  try {
    return now - statSync(path).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** True for the one caller within `windowMs`. The file at `path` carries the time; its folder is made. */
export function claim(path: string, windowMs: number, now = Date.now()): boolean {
  ensurePrivateFolder(dirname(path));
  if (createExclusive(path, '')) return true;
  let age: number;
  try {
    age = now - statSync(path).mtimeMs;
  } catch {
    return createExclusive(path, '');
  }
  // A time in the future comes from a clock that was set back.
  if (age >= -1_000 && age < windowMs) return false;
  // Only one process can move a given file away.
  const aside = `${path}.${uniqueName()}`;
  try {
    renameWithRetry(path, aside);
  } catch {
    return false;
  }
  removeQuietly(aside);
  return createExclusive(path, '');
}
