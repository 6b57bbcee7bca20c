/**
 * Who besides the user can change what lies in `~/.openviking`: programs there run with every prompt, and the queue holds
 * what was said. Our own files are made for their owner alone; a copy, an archive or a run with sudo made them different.
 */
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { installPaths } from '../../machine/machine.ts';
import type { Stats } from 'node:fs';
import type { Machine } from '../../machine/machine.ts';

export interface FoundPath {
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface Permissions {
  readonly root: string;
  /** Of the home folder. */
  readonly owner?: number;
  /** Others can write them, the outermost first. */
  readonly open: readonly FoundPath[];
  /** They belong to another user. */
  readonly foreign: readonly FoundPath[];
}

/** A queue may hold any number of files; what is wrong with them is wrong with the first of them. */
const MOST = 5_000;
const DEEPEST = 6;

/** Reads only. Empty on Windows, where access is no matter of permission bits. */
export function readPermissions({ home, platform }: Machine): Permissions {
  const { root } = installPaths(home);
  const owner = platform === 'win32' ? undefined : statSync(home, { throwIfNoEntry: false })?.uid;
  if (owner === undefined) return { root, open: [], foreign: [] };
  const paths = walk(root);
  return {
    root,
    owner,
    open: paths.filter(isOpen),
    foreign: paths.filter(({ uid }) => uid !== owner),
  };
}

/** A group of the same number as the user is the user's own: many systems give each user one, and let it write. */
export function isOpen({ mode, uid, gid }: Pick<FoundPath, 'mode' | 'uid' | 'gid'>): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);
}

function walk(root: string): readonly FoundPath[] {
  const found: FoundPath[] = [];
  let level = [root];
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const path of level) {
      const status = statusOf(path, path === root);
      // A link has no permissions of its own, and where it leads is not ours.
      if (status === undefined || !(status.isFile() || status.isDirectory())) continue;
      if (found.length >= MOST) return found;
      found.push({ path, mode: status.mode & 0o7777, uid: status.uid, gid: status.gid });
      if (status.isDirectory()) next.push(...namesIn(path).map((name) => join(path, name)));
    }
    level = next;
  }
  return found;
}

function statusOf(path: string, follows: boolean): Stats | undefined {
  try {
    return follows ? statSync(path) : lstatSync(path);
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
