/**
 * Closes what was open to others before it was ours to write: a folder that a copied home or a generous umask has left open
 * lets another user of the machine read what is in it, or put a link there.
 */
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { chmodSync } from './operations.ts';
import { inside } from './path.ts';

/** True for a folder whose content others may read or change; not for one that cannot be looked at. Never throws. */
export function isOpenToOthers(folder: string): boolean {
  try {
    return ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
  } catch {
    // A file on the way, links in a circle: nobody else reaches anything there either.
    return false;
  }
}

/**
 * Gives `path` and all below it to its owner alone: folders 0700, files 0600. From the top, so that nobody can exchange what
 * comes next; links are left alone. What cannot be changed, because somebody else owns it, stays as it is.
 */
export function closeToOthers(path: string): void {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    const isFolder = found?.isDirectory() === true;
    if (found === undefined || !(isFolder || found.isFile())) return;
    if ((found.mode & 0o077) !== 0) chmodSync(path, isFolder ? 0o700 : 0o600);
    if (isFolder) for (const name of readdirSync(path)) closeToOthers(inside(path, name));
  } catch {
    // Not ours, or gone meanwhile.
  }
}

/** Lets nobody but its owner put anything into `folder`, whose other modes are somebody else's business. */
export function closeForWriting(folder: string): void {
  try {
    const { mode } = statSync(folder);
    if ((mode & 0o022) !== 0) chmodSync(folder, mode & 0o7755);
  } catch {
    // Not ours, or gone meanwhile.
  }
}
