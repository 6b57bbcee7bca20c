/**
 * "First one wins" files. Content and name appear in one step, so that a kill leaves either a whole file or none, and of
 * two processes that want the same name exactly one is told that it has it.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../errors/error.ts';
import { linkSync } from './operations.ts';
import { tryLock } from './lock.ts';
import { uniqueName } from './unique-name.ts';
import { removeQuietly, renameWithRetry, syncFolder, writeNewFile } from './write-atomic.ts';

/** File systems without hard links (exFAT, some network shares) answer the link call with one of these. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EMLINK', 'UNKNOWN']);

/**
 * Creates `path` with `data`; false when it exists already. The folder must exist. With `durable`, the data and the name
 * are on disk when it returns. Mode 0600.
 */
export function createExclusive(path: string, data: string, durable: boolean): boolean {
  const folder = dirname(path);
  const temporary = join(folder, `.ov-${uniqueName()}.tmp`);
  writeNewFile(temporary, data, 0o600, durable);
  try {
    if (!publish(temporary, path)) return false;
  } finally {
    removeQuietly(temporary);
  }
  if (durable) syncFolder(folder);
  return true;
}

function publish(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.has(code)) throw error;
  }
  // Without links the check and the rename are two steps: take turns.
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
