/**
 * A folder's exact state, to prove that something was left as it was found: paths, kinds, modes, link targets and the
 * hash of every byte. Comparing texts alone would miss a changed mode, a left-over folder or a replaced link.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export interface TreeEntry {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Permission bits, for example 0o644. Always 0 for links, whose mode means nothing. */
  readonly mode: number;
  /** Files: sha256 of the content, hexadecimal. */
  readonly hash?: string;
  /** Files: length in bytes. */
  readonly size?: number;
  /** Links: the target as it is written. */
  readonly target?: string;
}

/** Relative path (with `/`) → entry; the root itself is `.`. */
export type TreeSnapshot = ReadonlyMap<string, TreeEntry>;

export interface TreeDifference {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: TreeEntry;
  readonly after?: TreeEntry;
}

/** Reads the whole tree below `root` without following links. */
export function snapshotTree(root: string): TreeSnapshot {
  const entries = new Map<string, TreeEntry>();
  const visit = (relative: string): void => {
    const absolute = join(root, relative);
    const stat = lstatSync(absolute);
    const mode = stat.mode & 0o7777;
    const path = relative.replaceAll('\\', '/');
    if (stat.isSymbolicLink()) {
      entries.set(path, { kind: 'link', mode: 0, target: readlinkSync(absolute) });
    } else if (stat.isDirectory()) {
      entries.set(path, { kind: 'folder', mode });
      for (const name of readdirSync(absolute).sort()) visit(relative === '.' ? name : join(relative, name));
    } else if (stat.isFile()) {
      const bytes = readFileSync(absolute);
      const hash = createHash('sha256').update(bytes).digest('hex');
      entries.set(path, { kind: 'file', mode, hash, size: bytes.length });
    } else {
      entries.set(path, { kind: 'other', mode });
    }
  };
  visit('.');
  return entries;
}

/** Everything that differs, sorted by path; empty when the trees are the same to the byte. */
export function diffTrees(before: TreeSnapshot, after: TreeSnapshot): readonly TreeDifference[] {
  const differences: TreeDifference[] = [];
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const old = before.get(path);
    const now = after.get(path);
    if (old === undefined && now !== undefined) differences.push({ path, change: 'added', after: now });
    else if (old !== undefined && now === undefined) differences.push({ path, change: 'removed', before: old });
    else if (old !== undefined && now !== undefined && !sameEntry(old, now)) {
      differences.push({ path, change: 'changed', before: old, after: now });
    }
  }
  return differences;
}

/** One line per difference, for a failing test or the demo. */
export function describeDifference(difference: TreeDifference): string {
  const show = (entry: TreeEntry | undefined): string =>
    entry === undefined
      ? 'nothing'
      : `${entry.kind} ${entry.mode.toString(8)} ${entry.hash?.slice(0, 12) ?? entry.target ?? ''}`.trimEnd();
  return `${difference.change} ${difference.path}: ${show(difference.before)} → ${show(difference.after)}`;
}

function sameEntry(one: TreeEntry, other: TreeEntry): boolean {
  return one.kind === other.kind && one.mode === other.mode && one.hash === other.hash && one.target === other.target;
}
