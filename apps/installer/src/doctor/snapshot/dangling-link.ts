/**
 * Files that are links into a folder that is not there: a repository of settings that was not fetched, a disk that is not
 * mounted. "The file is gone" sends their owner the wrong way, and writing it anew fills the place of the real one.
 */
import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export interface DanglingLink {
  readonly link: string;
  /** Absolute. */
  readonly target: string;
}

/** The link on the way to `path` whose target is not there, nor the folder that it would be in. */
export function danglingLink(path: string): DanglingLink | undefined {
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    const status = lstatOf(at);
    if (status === undefined) continue;
    if (!status.isSymbolicLink() || isReachable(at)) return undefined;
    const target = resolve(dirname(at), readlinkSync(at));
    return isReachable(dirname(target)) ? undefined : { link: at, target };
  }
  return undefined;
}

function lstatOf(path: string) {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function isReachable(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    // A loop of links has a place in another finding.
    return (error as NodeJS.ErrnoException).code === 'ELOOP';
  }
}
