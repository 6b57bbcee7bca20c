/**
 * Links to nowhere: a repository of settings that was not fetched, a disk that is not mounted. "The file is gone" sends
 * their owner the wrong way, and making the target anew would fill the place of the real one: a run that is about to write
 * there stops, for the same reason that doctor gives.
 */
import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { resolveLinks, systemCode } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';

export interface DanglingLink {
  readonly link: string;
  /** Absolute. */
  readonly target: string;
}

/** The link that keeps the file at `path` from being read: a folder on the way, or one to a folder that is not there. */
export function danglingLink(path: string): DanglingLink | undefined {
  const folder = danglingFolder(path);
  if (folder !== undefined || !isDangling(path)) return folder;
  const target = targetOf(path);
  return isSomethingAt(dirname(target)) ? undefined : { link: path, target };
}

/** Throws a refusal for a folder on the way to `path`. A file's own link may lead to a place that is still to be made. */
export function requireReachableFolder(path: string): void {
  const dangling = danglingFolder(path);
  if (dangling === undefined) return;
  const { link, target } = dangling;
  throw new Refusal({
    code: 'file/dangling-folder',
    say: (t) => t.danglingFolder(link, target),
    next: (t) => t.danglingFolderNext,
  });
}

/** Also on the way to what the file itself is a link to. */
function danglingFolder(path: string): DanglingLink | undefined {
  for (const start of startsOf(path)) {
    for (let at = dirname(start); dirname(at) !== at; at = dirname(at)) {
      if (isDangling(at)) return { link: at, target: targetOf(at) };
      if (isSomethingAt(at)) break;
    }
  }
  return undefined;
}

function startsOf(path: string): ReadonlySet<string> {
  try {
    return new Set([path, resolveLinks(path)]);
  } catch {
    // A loop: the way to it is what there is to look at.
    return new Set([path]);
  }
}

function isDangling(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && !isSomethingAt(path);
  } catch {
    return false;
  }
}

/** A loop of links, or a folder that lets nobody in, is no missing place: reading what is behind it tells what it is. */
function isSomethingAt(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
  }
}

function targetOf(link: string): string {
  return resolve(dirname(link), readlinkSync(link));
}
