/** The Nx face of the tool: `nx sync` writes what this changes in the tree, `nx sync:check` fails if it changes anything. */
import { describeDrift, mendDrift, outOfStep } from './drift.mjs';
import { filesInTree } from './files.mjs';
import { wantedFiles } from './manifest.mjs';

/**
 * @param {import('@nx/devkit').Tree} tree
 * @returns {import('nx/src/utils/sync-generators').SyncGeneratorResult}
 */
export function syncVendor(tree) {
  const files = filesInTree(tree);
  const drift = mendDrift(files, wantedFiles(files));
  if (drift.length === 0) return undefined;
  return { outOfSyncMessage: outOfStep(drift.length), outOfSyncDetails: describeDrift(drift) };
}
