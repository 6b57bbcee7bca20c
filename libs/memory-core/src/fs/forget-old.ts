/** Clears away what nobody will ask for again. */
import { statSync } from 'node:fs';
import { rmSync } from './operations.ts';

/** Removes `path` with all that is in it when it was last changed more than `ageMs` ago. Never throws. */
export function forgetOld(path: string, ageMs: number, now = Date.now()): void {
  try {
    if (now - statSync(path).mtimeMs > ageMs) rmSync(path, { recursive: true, force: true });
  } catch {
    // Next time.
  }
}
