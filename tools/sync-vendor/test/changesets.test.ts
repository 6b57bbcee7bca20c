import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { uncoveredPackages } from '../src/changesets.mjs';
import { filesOnDisk } from '../src/files.mjs';
import { miniWorkspace, type MiniWorkspace } from './mini-workspace.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const BIN = resolve(import.meta.dirname, '../bin/check-changesets.mjs');
const CORE = '@openviking/memory-core';
const ONE = '@openviking/harness-one';
const TWO = '@openviking/harness-two';
const TOOL = '@openviking/tool';

let workspace: MiniWorkspace;

function git(...args: string[]): void {
  // Without the variables and the configuration of whoever runs this: git sets some of its own inside its hooks.
  const env = { PATH: process.env['PATH'], HOME: workspace.root, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
    cwd: workspace.root,
    stdio: 'pipe',
    env,
  });
}

function commit(): void {
  git('add', '-A');
  git('commit', '-qm', 'x');
}

function changeset(file: string, ...names: string[]): void {
  const lines = names.map((name) => `'${name}': patch`);
  workspace.write(`.changeset/${file}.md`, ['---', ...lines, '---', '', 'Something is mended.', ''].join('\n'));
}

/** A repository whose branch `base` has a core, two harnesses and a tool, with the patterns of the real configuration. */
beforeEach(() => {
  workspace = miniWorkspace();
  const { changedFilePatterns } = JSON.parse(readFileSync(join(ROOT, '.changeset/config.json'), 'utf8'));
  workspace.write('package.json', JSON.stringify({ name: 'root', private: true, workspaces: ['libs/*', 'tools/*'] }));
  workspace.write('package-lock.json', '{}');
  workspace.write('.changeset/config.json', JSON.stringify({ changedFilePatterns, ignore: [TOOL] }));
  for (const [folder, name] of Object.entries({
    'libs/memory-core': CORE,
    'libs/harness-one': ONE,
    'libs/harness-two': TWO,
    'libs/unrelated': 'unrelated',
    'tools/tool': TOOL,
  })) {
    workspace.write(`${folder}/package.json`, JSON.stringify({ name, version: '0.1.0' }));
  }
  workspace.write('libs/harness-one/vendor/memory-core/hot.ts', '1');
  changeset('earlier', CORE);
  git('init', '-q', '-b', 'base');
  commit();
  git('checkout', '-qb', 'work');
});
afterEach(() => workspace.remove());

const uncovered = (ref = 'base') => uncoveredPackages(workspace.root, ref);

describe('a changed package', () => {
  it('is nothing when nothing changed', async () => {
    expect(await uncovered()).toEqual([]);
  });

  it('needs a changeset that names it; another package’s does not do', async () => {
    workspace.write('libs/harness-one/src/harness.ts', '2');
    workspace.write('libs/harness-two/src/harness.ts', '2');
    changeset('mine', ONE);
    commit();
    expect(await uncovered()).toEqual([TWO]);
    changeset('mine', ONE, TWO);
    commit();
    expect(await uncovered()).toEqual([]);
  });

  it('is not covered by a changeset that was there before', async () => {
    workspace.write('libs/memory-core/src/hot.ts', '2');
    commit();
    expect(await uncovered()).toEqual([CORE]);
  });

  it('is a harness whose vendored copy changed, and no other harness', async () => {
    workspace.write('libs/memory-core/src/hot.ts', '2');
    workspace.write('libs/harness-one/vendor/memory-core/hot.ts', '2');
    changeset('core', CORE);
    commit();
    expect(await uncovered()).toEqual([ONE]);
  });

  it('is also one that only lost a file', async () => {
    rmSync(join(workspace.root, 'libs/harness-one/vendor/memory-core/hot.ts'));
    commit();
    expect(await uncovered()).toEqual([ONE]);
  });

  it('is not a harness that only records a new version of the core', async () => {
    workspace.write('libs/harness-one/vendor/memory-core/vendor.json', '{}');
    commit();
    expect(await uncovered()).toEqual([]);
  });

  it('is neither a test nor a tool that is never released', async () => {
    workspace.write('libs/harness-one/test/dialect.test.ts', '2');
    workspace.write('libs/harness-one/test/fixtures/prompt.json', '2');
    workspace.write('libs/memory-core/src/recall/recall.test.ts', '2');
    workspace.write('libs/memory-core/testing/home.ts', '2');
    workspace.write('tools/tool/index.mjs', '2');
    commit();
    expect(await uncovered()).toEqual([]);
  });

  it('counts from where the branches parted, not from what the base has become', async () => {
    git('checkout', '-q', 'base');
    workspace.write('libs/harness-two/src/harness.ts', '3');
    commit();
    git('checkout', '-q', 'work');
    expect(await uncovered()).toEqual([]);
  });
});

describe('the program', () => {
  const spawn = (...args: string[]) =>
    spawnSync(process.execPath, [BIN, '--root', workspace.root, ...args], { timeout: 240_000, encoding: 'utf8' });

  it('names the package and the command', () => {
    workspace.write('libs/harness-one/src/harness.ts', '2');
    commit();
    const { status, stderr } = spawn('base');
    expect(status).toBe(1);
    expect(stderr).toBe(
      `${ONE} changed since base, and no changeset says what that means.\nRun \`npm run changeset\`.\n`,
    );
  });

  it('has nothing to say without origin/main, but fails on a ref that somebody named', () => {
    expect(spawn()).toMatchObject({ status: 0, stdout: expect.stringContaining('nothing to compare with') });
    expect(spawn('nowhere').status).toBe(1);
  });
});

it('the real configuration ignores exactly what is never released: the packages of version 0.0.0', async () => {
  const { read } = await import('@changesets/config');
  const files = filesOnDisk(ROOT);
  const packages = ['apps', 'libs', 'tools']
    .flatMap((folder) => files.folders(folder).map((name) => `${folder}/${name}/package.json`))
    .concat('e2e/package.json')
    .flatMap((path) => files.read(path)?.toString('utf8') ?? [])
    .map((text) => JSON.parse(text) as { name: string; version: string });
  const unreleased = packages.filter(({ version }) => version === '0.0.0').map(({ name }) => name);
  expect([...(await read(ROOT)).ignore].sort()).toEqual(unreleased.sort());
});
