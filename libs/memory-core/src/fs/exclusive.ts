/**
 * "First one wins" files. Content and name appear in one step, so that a kill leaves either a whole file or none, and of
 * two processes that want the same name exactly one is told that it has it.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OpenVikingError } from '../errors/error.ts';
import { createWhole } from './create-whole.ts';
import { tryLock } from './lock.ts';
import { renameWithRetry } from './write-atomic.ts';

/** Creates `path` with `data`; false when it exists already. The folder must exist. Mode 0600. */
export function createExclusive(path: string, data: string): boolean {
  return createWhole(path, data, (temporary) => renameInTurn(temporary, path)) === 'created';
}

/**
 * Without links the check and the rename are two steps: take turns. That a file system refuses links is its nature, so all
 * processes come this way. The lock has a temporary's name: one that a kill leaves is cleared away with those.
 */
function renameInTurn(temporary: string, path: string): boolean {
  for (let waited = 0; ; waited += PAUSE_MS) {
    if (existsSync(path)) return false;
    const lock = tryLock(join(dirname(path), `.ov-${basename(path)}.tmp`));
    if (lock !== undefined) {
      try {
        if (existsSync(path)) return false;
        renameWithRetry(temporary, path);
        return true;
      } finally {
        lock.release();
      }
    }
    // False would say that another process has created the file; a lock that is not given back does not say that.
    if (waited > LONGEST_TURN_MS)
      throw new OpenVikingError({
        code: 'disk/lock-kept',
        message: `The lock for ${path} is not given back.`,
        next: 'Try again.',
      });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** A lock without an owner is broken after 1 s, see `lock.ts`. */
const LONGEST_TURN_MS = 2_000;
const PAUSE_MS = 10;
