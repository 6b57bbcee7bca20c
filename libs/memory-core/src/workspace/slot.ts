/**
 * The name under which a workspace keeps settings that belong to this machine only. Derived from the path, so that the
 * file is found without an index that two programs could fight over.
 */
import { basename, join } from 'node:path';
import { absolute, inside } from '../fs/path.ts';
import { canonicalPath } from './peer-id.ts';
import { shortHash } from '../session/short-hash.ts';

/**
 * `<folder name, made ASCII, ≤ 40 characters>-<16 hex digits of the SHA-256 of the real path>`, for example
 * `openviking-3f0c1d…`. `root` is the workspace root with links resolved. The name is for people, the hash decides.
 */
export function workspaceSlot(root: string): string {
  const canonical = canonicalPath(root);
  const name = basename(canonical)
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 40);
  return `${name}-${shortHash(canonical, 16)}`;
}

/** The folder of all slots. */
export function workspaceRegistryFolder(home: string): string {
  return inside(absolute(home), '.openviking', 'workspaces');
}

/** The file of one workspace: `~/.openviking/workspaces/<slot>.json`. */
export function workspaceRegistryFile(home: string, root: string): string {
  return join(workspaceRegistryFolder(home), `${workspaceSlot(root)}.json`);
}
