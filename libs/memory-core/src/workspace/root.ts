/**
 * Finds the folder that a conversation belongs to. A home folder under version control, or with a `.openviking` of its
 * own, must never make one workspace of everything below it.
 */
import { dirname, join } from 'node:path';
import { absolute, inside } from '../fs/path.ts';
import { diskReader, kindOf, realPathOr } from '../settings/file-reader.ts';
import type { FileReader } from '../settings/file-reader.ts';

export interface PlaceInput {
  readonly cwd: string;
  readonly home: string;
  readonly reader?: FileReader;
}

/** Names of the workspace files, below the workspace root, private one first. */
export const WORKSPACE_FILES = {
  local: inside('.openviking', 'config.local.json'),
  shared: inside('.openviking', 'config.json'),
} as const;

/**
 * The nearest folder at or above `cwd` that holds `.git` or a workspace file; never the home folder, never the root of
 * the file system. Undefined outside a workspace.
 */
export function findWorkspaceRoot(input: PlaceInput): string | undefined {
  return nearestFolder(input, (folder, reader) => {
    if (kindOf(reader, inside(folder, '.git')) !== undefined) return true;
    if (kindOf(reader, inside(folder, '.openviking')) === undefined) return false;
    return Object.values(WORKSPACE_FILES).some((file) => kindOf(reader, inside(folder, file)) !== undefined);
  });
}

/**
 * The nearest folder at or above `cwd` that is the top of a git work tree (holds `.git`, folder or file) or is itself a
 * bare repository, under the same limits as the workspace root. Undefined outside a repository.
 */
export function findRepository(input: PlaceInput): string | undefined {
  return nearestFolder(
    input,
    (folder, reader) => kindOf(reader, inside(folder, '.git')) !== undefined || isGitFolder(reader, folder),
  );
}

/** What git itself asks of a repository folder. */
export function isGitFolder(reader: FileReader, folder: string): boolean {
  return (
    kindOf(reader, join(folder, 'HEAD')) === 'file' &&
    kindOf(reader, join(folder, 'objects')) === 'folder' &&
    kindOf(reader, join(folder, 'refs')) === 'folder'
  );
}

function nearestFolder(
  { cwd, home, reader = diskReader }: PlaceInput,
  holds: (folder: string, reader: FileReader) => boolean,
): string | undefined {
  const homes = new Set([absolute(home), realPathOr(reader, absolute(home))]);
  for (let folder = absolute(cwd); ; folder = dirname(folder)) {
    if (folder === dirname(folder)) return undefined;
    if (!homes.has(folder) && holds(folder, reader) && !homes.has(realPathOr(reader, folder))) return folder;
  }
}
