/** Identity of real repositories, made with git itself: every layout that a user's folder can have. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTemporaryHome } from '../../testing/temporary-home.ts';
import type { TemporaryHome } from '../../testing/temporary-home.ts';
import { readGitIdentity } from './git.ts';
import { findRepository, findWorkspaceRoot } from './root.ts';

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => home.remove());

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', '-c', 'protocol.file.allow=always'];
  const env = { PATH: process.env['PATH'], HOME: home.path, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...identity, ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function repository(name: string, origin?: string): string {
  const root = home.makeFolder(name);
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'first');
  if (origin !== undefined) git(root, 'remote', 'add', 'origin', origin);
  return root;
}

const identityAt = (cwd: string) => {
  const root = findRepository({ cwd, home: home.path });
  return root === undefined ? undefined : readGitIdentity(root);
};

const ORIGIN = 'git@github.com:some/project.git';
const REMOTE = 'github.com-some-project';

describe('readGitIdentity', () => {
  it('knows a plain repository, also from a subfolder', () => {
    const root = repository('work/project', ORIGIN);
    mkdirSync(join(root, 'a/b'), { recursive: true });
    expect(identityAt(root)).toEqual({ repositoryRoot: root, remote: REMOTE });
    expect(identityAt(join(root, 'a/b'))).toEqual({ repositoryRoot: root, remote: REMOTE });
  });

  it('has no remote without an origin, whatever else there is', () => {
    const root = repository('project');
    git(root, 'remote', 'add', 'upstream', ORIGIN);
    expect(identityAt(root)).toEqual({ repositoryRoot: root, remote: undefined });
  });

  it('takes origin among several remotes, and its first address', () => {
    const root = repository('project');
    git(root, 'remote', 'add', 'fork', 'git@github.com:other/project.git');
    git(root, 'remote', 'add', 'origin', ORIGIN);
    git(root, 'remote', 'set-url', '--add', 'origin', 'git@example.com:second/x.git');
    git(root, 'remote', 'set-url', '--push', 'origin', 'git@example.com:push/x.git');
    expect(identityAt(root)?.remote).toBe(REMOTE);
  });

  it('leads a worktree to its main repository', () => {
    const root = repository('project', ORIGIN);
    const tree = home.at('elsewhere/tree');
    git(root, 'worktree', 'add', '-q', tree);
    mkdirSync(join(tree, 'deep'));
    expect(identityAt(join(tree, 'deep'))).toEqual({ repositoryRoot: root, remote: REMOTE });
  });

  it('leads a worktree to its main repository without an origin, too', () => {
    const root = repository('project');
    git(root, 'worktree', 'add', '-q', home.at('tree'));
    expect(identityAt(home.at('tree'))).toEqual({ repositoryRoot: root, remote: undefined });
  });

  it('gives a submodule its own identity, and a worktree of the submodule that of the submodule', () => {
    const library = repository('library');
    const root = repository('project', ORIGIN);
    git(root, 'submodule', '--quiet', 'add', library, 'vendor/library');
    const submodule = join(root, 'vendor/library');
    git(submodule, 'remote', 'set-url', 'origin', 'https://example.com/team/library.git');
    const own = { repositoryRoot: submodule, remote: 'example.com-team-library' };
    expect(identityAt(submodule)).toEqual(own);
    git(submodule, 'worktree', 'add', '-q', home.at('tree'));
    expect(identityAt(home.at('tree'))).toEqual(own);
  });

  it('knows a bare clone and its worktrees', () => {
    const source = repository('source');
    git(home.path, 'clone', '-q', '--bare', source, 'bare.git');
    git(home.at('bare.git'), 'remote', 'set-url', 'origin', ORIGIN);
    const identity = { repositoryRoot: home.at('bare.git'), remote: REMOTE };
    expect(identityAt(home.at('bare.git'))).toEqual(identity);
    git(home.at('bare.git'), 'worktree', 'add', '-q', home.at('tree'));
    expect(identityAt(home.at('tree'))).toEqual(identity);
  });

  it('sees one repository in a folder whose .git file names a bare one inside', () => {
    const source = repository('source');
    const project = home.makeFolder('project');
    git(project, 'clone', '-q', '--bare', source, '.bare');
    writeFileSync(join(project, '.git'), 'gitdir: ./.bare\n');
    git(project, 'remote', 'remove', 'origin');
    git(project, 'worktree', 'add', '-q', join(project, 'main-tree'));
    const identity = { repositoryRoot: project, remote: undefined };
    expect(identityAt(project)).toEqual(identity);
    expect(identityAt(join(project, 'main-tree'))).toEqual(identity);
  });

  it('follows a .git file to a separate folder', () => {
    const root = home.makeFolder('project');
    git(root, 'init', '-q', '--separate-git-dir', home.at('data.git'));
    git(root, 'remote', 'add', 'origin', ORIGIN);
    expect(identityAt(root)).toEqual({ repositoryRoot: root, remote: REMOTE });
  });

  it('names the same clone of a local repository everywhere', () => {
    const source = repository('source');
    for (const name of ['one', 'two']) {
      git(home.path, 'clone', '-q', source, name);
      git(home.at(name), 'remote', 'set-url', 'origin', '../source');
    }
    expect(identityAt(home.at('one'))?.remote).toBe(identityAt(home.at('two'))?.remote);
    git(home.at('two'), 'remote', 'set-url', 'origin', source);
    expect(identityAt(home.at('one'))?.remote).toBe(identityAt(home.at('two'))?.remote);
  });

  it('gives one root to two ways into it', () => {
    const root = repository('project');
    symlinkSync(root, home.at('link'));
    expect(identityAt(home.at('link'))).toEqual({ repositoryRoot: root, remote: undefined });
  });

  it('never lets a token through', () => {
    const root = repository('project', 'https://oauth2:ghp_secret@github.com/some/project.git');
    expect(identityAt(root)).toEqual({ repositoryRoot: root, remote: REMOTE });
    git(root, 'remote', 'set-url', 'origin', 'https://oauth2:ghp/secret@github.com/some/project.git');
    expect(JSON.stringify(identityAt(root))).not.toContain('secret');
  });

  it.each<[string, (folder: string) => void]>([
    ['an empty .git folder', (folder) => mkdirSync(join(folder, '.git'))],
    ['an empty .git file', (folder) => writeFileSync(join(folder, '.git'), '')],
    ['a .git file to nowhere', (folder) => writeFileSync(join(folder, '.git'), 'gitdir: ../nowhere\n')],
    ['a .git file of noise', (folder) => writeFileSync(join(folder, '.git'), Buffer.alloc(64 * 1024, 0xff))],
  ])('survives %s', (_what, spoil) => {
    const root = home.makeFolder('project');
    spoil(root);
    expect(identityAt(root)).toEqual({ repositoryRoot: root, remote: undefined });
  });

  it('is undefined outside a repository', () => {
    expect(identityAt(home.makeFolder('notes'))).toBeUndefined();
    expect(readGitIdentity(home.at('notes'))).toBeUndefined();
  });
});

describe('findWorkspaceRoot', () => {
  const rootOf = (cwd: string) => findWorkspaceRoot({ cwd, home: home.path });

  it('is the nearest folder with .git or a workspace file', () => {
    const root = repository('project');
    mkdirSync(join(root, 'packages/one/src'), { recursive: true });
    expect(rootOf(join(root, 'packages/one/src'))).toBe(root);
    home.write('project/packages/one/.openviking/config.local.json', '{}');
    expect(rootOf(join(root, 'packages/one/src'))).toBe(join(root, 'packages/one'));
    expect(rootOf(join(root, 'packages'))).toBe(root);
    home.write('plain/.openviking/config.json', '{}');
    expect(rootOf(home.makeFolder('plain/a/b'))).toBe(home.at('plain'));
  });

  it('is no folder that merely holds .openviking', () => {
    home.makeFolder('plain/.openviking/other');
    expect(rootOf(home.at('plain'))).toBeUndefined();
  });

  it('is never the home folder, under any of its names', () => {
    git(home.path, 'init', '-q');
    home.write('.openviking/config.json', '{"version":1}');
    const notes = home.makeFolder('notes');
    expect(rootOf(notes)).toBeUndefined();
    expect(rootOf(home.path)).toBeUndefined();
    expect(findRepository({ cwd: notes, home: home.path })).toBeUndefined();
    const alias = `${home.path}-alias`;
    symlinkSync(home.path, alias);
    expect(findWorkspaceRoot({ cwd: join(alias, 'notes'), home: home.path })).toBeUndefined();
    expect(findWorkspaceRoot({ cwd: notes, home: alias })).toBeUndefined();
  });

  it('is nothing for the file-system root or a folder that is gone', () => {
    expect(findWorkspaceRoot({ cwd: '/', home: home.path })).toBeUndefined();
    expect(rootOf(home.at('gone/for/good'))).toBeUndefined();
    const root = repository('project');
    const inside = join(root, 'src');
    mkdirSync(inside);
    rmSync(inside, { recursive: true });
    expect(rootOf(inside)).toBe(root);
    renameSync(root, home.at('moved'));
    expect(rootOf(inside)).toBeUndefined();
  });
});
