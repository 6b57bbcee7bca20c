/**
 * "First one wins" files. Content and name appear in one step, so that a kill leaves either a whole file or none, and of
 * two processes that want the same name exactly one is told that it has it.
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createWhole } from './create-whole.ts';
import { tryLock } from './lock.ts';
import { renameWithRetry, syncFolder } from './write-atomic.ts';

/**
 * Creates `path` with `data`; false when it exists already. The folder must exist. With `durable`, the data and the name
 * are on disk when it returns. Mode 0600.
 */
export function createExclusive(path: string, data: string, durable: boolean): boolean {
  if (createWhole(path, data, durable, (temporary) => renameInTurn(temporary, path)) === 'exists') return false;
  if (durable) syncFolder(dirname(path));
  return true;
}

/** Without links the check and the rename are two steps: take turns. */
function renameInTurn(temporary: string, path: string): boolean {
  const lock = tryLock(`${path}.lock`);
  if (lock === undefined) return false;
  try {
    if (existsSync(path)) return false;
    renameWithRetry(temporary, path);
    return true;
  } finally {
    lock.release();
  }
}
