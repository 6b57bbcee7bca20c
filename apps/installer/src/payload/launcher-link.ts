/**
 * A launcher that has become a link. To another copy of it, as tools for dotfiles make them, it is written through like
 * every other file; to anything else it must not be: the program that it leads to would be overwritten, or deleted.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { isLauncher } from './launcher.ts';

/** True for a link at `path` that leads to something else than a launcher, or nowhere: the link itself is what gives way. */
export function isForeignLink(path: string): boolean {
  try {
    if (!lstatSync(path).isSymbolicLink()) return false;
  } catch {
    return false;
  }
  try {
    return !isLauncher(readFileSync(path, 'utf8'));
  } catch {
    return true;
  }
}
