/** Which folders do not exist yet: whoever makes them has to be able to take them away again. */
import { lstatSync, readdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { placeBehindLinks } from './file-status.ts';

/** The folders that a file at `path` needs and that are missing, outermost first; behind a link, those of its target. */
export function missingFolders(path: string): readonly string[] {
  const missing: string[] = [];
  for (
    let folder = dirname(placeBehindLinks(path));
    !isThere(folder) && dirname(folder) !== folder;
    folder = dirname(folder)
  ) {
    missing.unshift(folder);
  }
  return missing;
}

/** Removes those of the folders that are empty, innermost first. Returns the ones that stay because somebody filled them. */
export function removeEmptyFolders(folders: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const folder of [...new Set(folders)].sort((one, other) => other.length - one.length)) {
    if (!isThere(folder)) continue;
    try {
      rmdirSync(folder);
    } catch {
      kept.push(folder);
    }
  }
  return kept;
}

/** Names in a folder; none when it is missing. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** True for anything at this path, a dangling link included. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
