/**
 * A folder that is a link to nowhere: a repository of settings that was not fetched, a disk that is not mounted. Making the
 * target anew would fill the place of the real one, so whoever is about to write there stops.
 */
import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { resolveLinks } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';

/** Throws a refusal that names the link on the way to `path` whose target is not there. */
export function requireReachableFolder(path: string): void {
  for (const start of new Set([path, resolveLinks(path)])) {
    const link = danglingFolder(dirname(start));
    if (link === undefined) continue;
    const target = resolve(dirname(link), readlinkSync(link));
    throw new Refusal({
      code: 'file/dangling-folder',
      say: (t) => t.danglingFolder(link, target),
      next: (t) => t.danglingFolderNext,
    });
  }
}

function danglingFolder(folder: string): string | undefined {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const status = lstatSync(at, { throwIfNoEntry: false });
    if (status === undefined) continue;
    return status.isSymbolicLink() && statSync(at, { throwIfNoEntry: false }) === undefined ? at : undefined;
  }
  return undefined;
}
