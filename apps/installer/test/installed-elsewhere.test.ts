/**
 * A client that was wired with a variable which moves its files: the shells that ask later may have it set otherwise, or not
 * at all, and what counts is where things were put.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { declaration as claudeCode } from '@openviking/harness-claude/harness';
import { installedPlace } from '../src/clients/installed-place.ts';
import { createFakeClaude } from './support/fake-client.ts';
import { findingsOf } from './support/findings.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { Machine } from '../src/machine/machine.ts';
import type { FakeClaude } from './support/fake-client.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
let claude: FakeClaude;
beforeAll(() => {
  installer = buildInstaller();
  claude = createFakeClaude('claude');
});
afterAll(() => {
  installer.remove();
  claude.remove();
});

const OWN_BOOKS = /^moved\/(\.claude\.json|plugins(\/cache|\/(installed_plugins|known_marketplaces)\.json)?)$/;

/** Without a `claude` on PATH it gets entries in its files, with one a plugin. */
const FORMS: readonly [string, () => Readonly<Record<string, string>>][] = [
  ['entries', () => ({})],
  ['a plugin', () => ({ PATH: `${claude.folder}:/usr/bin:/bin` })],
];

const start = (home: TemporaryHome, args: readonly string[], env: Readonly<Record<string, string>>) =>
  installer.run([...args, '--yes'], { env: { HOME: home.path, ...env }, cwd: home.at('shell') });
const install = (home: TemporaryHome, env: Readonly<Record<string, string>>) =>
  start(home, ['install', '--harness', 'claude', '--url', NO_SERVER], env);
const doctor = async (home: TemporaryHome, env: Readonly<Record<string, string>>, ...more: readonly string[]) => {
  const found = await findingsOf((args) => start(home, args, env), '--harness', 'claude', ...more);
  return found.filter(({ code }) => code.startsWith('claude/'));
};
const inPlace = async (form: () => Readonly<Record<string, string>>, work: (home: TemporaryHome) => Promise<void>) =>
  withHome(async (home) => {
    for (const folder of ['shell', 'moved', 'other']) mkdirSync(home.at(folder));
    await install(home, { ...form(), CLAUDE_CONFIG_DIR: home.at('moved') });
    await work(home);
  });

describe.each(FORMS)('Claude Code with CLAUDE_CONFIG_DIR, wired as %s', (_what, form) => {
  it('a shell without the variable examines what was wired, and says that it would look elsewhere', () =>
    inPlace(form, async (home) => {
      const found = await doctor(home, form());
      expect(found.filter(({ severity }) => severity !== 'ok').map(({ code }) => code)).toEqual(
        expect.arrayContaining(['claude/installed-elsewhere']),
      );
      expect(found.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(found.find(({ code }) => code === 'claude/wired')?.message).toContain(home.at('moved/settings.json'));
      const told = found.find(({ code }) => code === 'claude/installed-elsewhere');
      expect(told?.message).toContain(`CLAUDE_CONFIG_DIR=${home.at('moved')}`);
      expect(told?.message).toContain(home.at('.claude/settings.json'));
      const { stdout } = await start(home, ['status'], form());
      expect(stdout).toContain('Claude Code: installed, version');
      expect(stdout.replace(/\s+/g, ' ')).toContain(
        `wired with CLAUDE_CONFIG_DIR=${home.at('moved')}; in this shell it is not set`,
      );
    }));

  it('a shell with another value is told so, and --fix wires that folder too', () =>
    inPlace(form, async (home) => {
      const env = { ...form(), CLAUDE_CONFIG_DIR: home.at('other') };
      const found = await doctor(home, env);
      expect(found.filter(({ severity }) => severity === 'error')).toMatchObject([
        { code: 'claude/other-folder', file: home.at('other/settings.json'), fixable: true },
      ]);
      await doctor(home, env, '--fix');
      const after = await doctor(home, env);
      expect(after.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(home.has('other/settings.json')).toBe(true);
    }));

  it('a relative value is told as such, and nothing is written for it', () =>
    inPlace(form, async (home) => {
      const found = await doctor(home, { ...form(), CLAUDE_CONFIG_DIR: 'relative' }, '--fix');
      expect(found.filter(({ severity }) => severity === 'error')).toMatchObject([
        { code: 'claude/other-folder', fixable: false },
      ]);
      expect(found[0]?.message).toContain('no absolute path');
      expect(home.has('shell/relative')).toBe(false);
    }));

  it.each([
    ['without the variable', () => ({})],
    ['with another value', (home: TemporaryHome) => ({ CLAUDE_CONFIG_DIR: home.at('other') })],
    ['with a relative value', () => ({ CLAUDE_CONFIG_DIR: 'relative' })],
  ] as const)('uninstall in a shell %s takes everything out of where it was put', (_how, env) =>
    withHome(async (home) => {
      for (const folder of ['shell', 'moved', 'other']) mkdirSync(home.at(folder));
      home.write('moved/settings.json', '{"theme": "dark"}\n');
      const before = snapshotTree(home.path);
      await install(home, { ...form(), CLAUDE_CONFIG_DIR: home.at('moved') });
      expect(diffTrees(before, snapshotTree(home.path)).map(({ path }) => path)).toContain('moved/settings.json');
      const run = await start(home, ['uninstall', '--all', '--purge'], { ...form(), ...env(home) });
      expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
      expect(run.stdout).toContain(`was wired with CLAUDE_CONFIG_DIR=${home.at('moved')}`);
      // The client's own bookkeeping, which it makes at its first command; nothing of ours is in it.
      const left = diffTrees(before, snapshotTree(home.path)).filter(({ path }) => !OWN_BOOKS.test(path));
      expect(left.map(describeDifference)).toEqual([]);
      for (const book of ['installed_plugins.json', 'known_marketplaces.json']) {
        if (home.has(`moved/plugins/${book}`))
          expect(home.readText(`moved/plugins/${book}`)).not.toContain('openviking');
      }
    }),
  );
});

it('what was wired without the variable is found in a shell with a relative one', () =>
  withHome(async (home) => {
    mkdirSync(home.at('shell'));
    mkdirSync(home.at('.claude'));
    const before = snapshotTree(home.path);
    await install(home, {});
    const env = { CLAUDE_CONFIG_DIR: './cc' };
    expect((await doctor(home, env)).filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'claude/other-folder', fixable: false },
    ]);
    expect((await start(home, ['uninstall', '--all', '--purge'], env)).code).toBe(0);
    expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
  }));

it('two folders, wired one after the other, are both given back, the servers in them too', () =>
  withHome(async (home) => {
    for (const folder of ['shell', 'moved', 'other']) mkdirSync(home.at(folder));
    for (const folder of ['moved', 'other']) home.write(`${folder}/.claude.json`, '{"numStartups": 1}\n');
    const before = snapshotTree(home.path);
    for (const folder of ['moved', 'other']) await install(home, { CLAUDE_CONFIG_DIR: home.at(folder) });
    for (const folder of ['moved', 'other']) {
      expect(home.readText(`${folder}/.claude.json`)).toContain('mcp-proxy');
      home.write(
        `${folder}/.claude.json`,
        home.readText(`${folder}/.claude.json`).replace('"numStartups": 1', '"numStartups": 2'),
      );
      const found = await doctor(home, { CLAUDE_CONFIG_DIR: home.at(folder) });
      expect(found.filter(({ severity }) => severity === 'error')).toEqual([]);
    }
    await start(home, ['uninstall', '--all', '--purge'], {});
    for (const folder of ['moved', 'other'])
      expect(home.readText(`${folder}/.claude.json`)).toBe('{"numStartups": 2}\n');
    expect(diffTrees(before, snapshotTree(home.path)).map(({ path }) => path)).toEqual([
      'moved/.claude.json',
      'other/.claude.json',
    ]);
  }));

it('of several variables that differ the one is named that moves the file', () => {
  const client: HarnessDeclaration = {
    ...claudeCode,
    wiring: ({ home, env }) => {
      const [weak, strong] = [env['INVENTED_HOME'], env['INVENTED_DIR']];
      const path = join(strong ?? weak ?? home, 'hooks.json');
      const file = {
        format: 'json',
        path,
        create: 'always',
        operations: [],
        check: () => [],
        owns: () => undefined,
      } as const;
      return { owned: [], files: [file] };
    },
  };
  const place = (INVENTED_HOME: string, INVENTED_DIR?: string) => {
    const machine = { home: '/home/u', platform: 'linux', env: { INVENTED_HOME, INVENTED_DIR } };
    const locations = { INVENTED_HOME: '/one', INVENTED_DIR: '/two' };
    return installedPlace(client, machine as unknown as Machine, { locations, configs: [] }).elsewhere;
  };
  expect(place('/three', '/four')).toMatchObject({ variable: 'INVENTED_DIR', here: '/four', there: '/two' });
  expect(place('/three')).toMatchObject({
    variable: 'INVENTED_DIR',
    there: '/two',
    file: { here: '/three/hooks.json' },
  });
  expect(place('/three', '/two')).toBeUndefined();
});
