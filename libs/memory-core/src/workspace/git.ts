/**
 * Which repository a folder belongs to, read from files only. A worktree is its main repository, a submodule is itself:
 * otherwise every branch checkout would start without memory, and a submodule would share its parent's.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { diskReader, kindOf, readBounded, realPathOr } from '../settings/file-reader.ts';
import type { FileReader } from '../settings/file-reader.ts';
import { parseGitConfig } from './git-config.ts';
import { isRelativePath, normaliseRemote } from './remote.ts';
import { isGitFolder } from './root.ts';

export interface GitIdentity {
  /** Folder of the main work tree, or the repository itself when it is bare; links resolved. */
  readonly repositoryRoot: string;
  /** The normalised `origin`; never its address. */
  readonly remote: string | undefined;
}

const POINTER_MAX_BYTES = 16 * 1024;
const CONFIG_MAX_BYTES = 1024 * 1024;

/**
 * Identity of the repository whose top folder is `root` (a folder with `.git`, or a bare repository). Undefined when
 * `root` is neither. A broken repository yields what can be read. Layout: https://git-scm.com/docs/gitrepository-layout
 */
export function readGitIdentity(root: string, reader: FileReader = diskReader): GitIdentity | undefined {
  const gitFolder = gitFolderOf(root, reader);
  if (gitFolder === undefined) return undefined;
  const pointer = firstLine(reader, join(gitFolder, 'commondir'));
  const commonFolder = pointer === undefined ? gitFolder : resolve(gitFolder, pointer);
  const config = readBounded(reader, join(commonFolder, 'config'), CONFIG_MAX_BYTES);
  const values = config.ok ? parseGitConfig(config.text) : [];
  const workTree = values.findLast(({ name }) => name === 'core.worktree')?.value;
  const mainRoot = pointer === undefined ? root : mainRootOf(commonFolder, workTree, reader);
  const repositoryRoot = realPathOr(reader, mainRoot);
  const origin = firstOrigin(values.filter(({ name }) => name === 'remote.origin.url').map(({ value }) => value));
  const remote =
    origin === undefined
      ? undefined
      : normaliseRemote(isRelativePath(origin) ? resolve(repositoryRoot, origin) : origin);
  return { repositoryRoot, remote };
}

/** The folder with the repository's own data for a work tree, following a `gitdir:` file. */
function gitFolderOf(root: string, reader: FileReader): string | undefined {
  const path = join(root, '.git');
  const kind = kindOf(reader, path);
  if (kind === 'folder') return path;
  if (kind === undefined) return isGitFolder(reader, root) ? root : undefined;
  const target = /^gitdir:\s*(.+)$/.exec(firstLine(reader, path) ?? '')?.[1]?.trim();
  // A damaged pointer still marks the top of a work tree.
  return target === undefined ? path : resolve(root, target);
}

/** The folder that a linked worktree's main repository is checked out in. */
function mainRootOf(commonFolder: string, workTree: string | undefined, reader: FileReader): string {
  if (workTree !== undefined && workTree !== '') return resolve(commonFolder, workTree);
  const parent = dirname(commonFolder);
  if (basename(commonFolder) === '.git') return parent;
  // A bare repository inside a folder whose `.git` file names it (`project/.bare`) counts as that folder.
  const named = gitFolderOf(parent, reader);
  return named !== undefined && realPathOr(reader, named) === realPathOr(reader, commonFolder) ? parent : commonFolder;
}

/** Like git: the first address counts, and an empty one forgets those before it. */
function firstOrigin(addresses: readonly string[]): string | undefined {
  return addresses.slice(addresses.lastIndexOf('') + 1)[0];
}

function firstLine(reader: FileReader, path: string): string | undefined {
  const read = readBounded(reader, path, POINTER_MAX_BYTES);
  if (!read.ok) return undefined;
  const line = (read.text.split(/\r?\n/, 1)[0] ?? '').trim();
  return line === '' ? undefined : line;
}
