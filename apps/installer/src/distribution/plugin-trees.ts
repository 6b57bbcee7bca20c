/** The folders that archives were unpacked into: the one to place, and those that no session can run from any more. */
import { basename, join } from 'node:path';
import { isThere, namesIn } from '../files/folders.ts';
import { Refusal } from '../cli/refusal.ts';
import { damagedFiles, readManifest } from '../payload/payload.ts';
import { TREE_PREFIX, treeName } from './plugin-source.ts';
import type { Step } from '../apply/step.ts';
import type { Payload } from '../payload/payload.ts';
import type { PluginSource } from './plugin-source.ts';

/** Places the tree that the client is to be told about. Throws a refusal where it is damaged and nothing was fetched. */
export function planTree(
  source: PluginSource | undefined,
  folder: string,
  staged: Payload | undefined,
): readonly Step[] {
  if (source?.kind !== 'archive') return [];
  const path = join(folder, treeName(source.sha256));
  const manifest = staged?.manifest ?? readManifest(path);
  if (manifest !== undefined && isThere(path) && damagedFiles(path, manifest).length === 0) return [];
  if (staged !== undefined) return [{ kind: 'place-tree', path, payload: staged }];
  throw new Refusal({
    code: 'dist/tree-damaged',
    say: (t) => t.pluginTreeDamaged(path),
    next: (t) => t.pluginTreeDamagedNext,
  });
}

/** Names in `folder` of trees, ours by their manifest. */
export function treesIn(folder: string): readonly string[] {
  return namesIn(folder).filter(
    (name) => name.startsWith(TREE_PREFIX) && readManifest(join(folder, name)) !== undefined,
  );
}

/** Removes all but those. */
export function planOldTrees(folder: string, kept: readonly (string | undefined)[]): readonly Step[] {
  const names = new Set(kept.flatMap((path) => (path === undefined ? [] : [basename(path)])));
  return treesIn(folder)
    .filter((name) => !names.has(name))
    .map((name) => ({ kind: 'remove-tree', path: join(folder, name) }));
}
