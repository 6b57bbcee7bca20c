/** Private folders: 0700, also when somebody had made them wider before. */
import { lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../errors/error.ts';
import { chmodSync, mkdirSync, renameSync } from './operations.ts';
import { uniqueName } from './unique-name.ts';
import { refuseWhenUninstalled } from './uninstalled.ts';

/** Makes `folder` and its missing parents with 0700 and closes an existing, wider one. */
export function ensurePrivateFolder(folder: string): void {
  if (makeFolder(folder) || process.platform === 'win32') return;
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/**
 * The same for a folder inside of ours, where nobody else has put anything by right: a link, which could lead into
 * somebody else's folder, and whatever else stands in its place is put aside under a temporary name.
 */
export function ensureOwnFolder(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) {
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return;
  }
  if (found !== undefined) renameSync(folder, join(dirname(folder), `.ov-${uniqueName()}.tmp`));
  makeFolder(folder);
}

/**
 * Makes `folder` and its missing parents with 0700; true when it was not there. Not Node's own recursive form: that one goes
 * round without end where a file system has folders but lets none be made (`/proc`).
 */
export function makeFolder(folder: string): boolean {
  // Mostly it is there: to ask costs less than an error that is thrown and caught.
  if (isFolder(folder)) return false;
  refuseWhenUninstalled();
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (isFolder(folder)) return false;
    const parent = dirname(folder);
    if (systemCode(error) !== 'ENOENT' || parent === folder || !makeFolder(parent)) throw error;
  }
  return makeFolder(folder);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
