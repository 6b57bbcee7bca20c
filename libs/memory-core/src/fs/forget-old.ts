/** Clears away what nobody will ask for again. */
import { readdirSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { rmSync } from './operations.ts';

/** Removes `path` with all that is in it when it was last changed more than `ageMs` ago. Never throws. */
export function forgetOld(path: string, ageMs: number, now = Date.now()): void {
  try {
    if (now - lstatSync(path).mtimeMs > ageMs) rmSync(path, { recursive: true, force: true });
  } catch {
    // Next time.
  }
}

/** Removes what killed processes left under temporary names in `folder`, when it is older than `ageMs`. Never throws. */
export function forgetTemporaries(folder: string, ageMs: number, now = Date.now()): void {
  try {
    for (const name of readdirSync(folder)) {
      if (/^\.ov-.*\.tmp(?:\.break)?$/u.test(name)) forgetOld(join(folder, name), ageMs, now);
    }
  } catch {
    // No such folder: nothing is left in it.
  }
}
