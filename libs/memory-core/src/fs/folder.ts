/** Private folders: 0700, also when somebody had made them wider before. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { chmodSync, mkdirSync } from './operations.ts';
import { syncFolder } from './write-atomic.ts';

/**
 * Makes `folder` and its missing parents with 0700 and closes an existing, wider one. Returns true when it was new; a new
 * folder's name is flushed to disk with `durable`.
 */
export function ensurePrivateFolder(folder: string, durable = false): boolean {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) {
    if (process.platform !== 'win32' && (statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return false;
  }
  if (durable) {
    for (let made = folder; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made));
  }
  return true;
}
