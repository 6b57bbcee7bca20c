/** Homes, variables and files that cannot be what they are taken for: said with the place and the way out, nothing written. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

describe('a place that cannot be one', () => {
  it.each<[string, (home: string) => Readonly<Record<string, string>>, string, number, string]>([
    ['~/.zcode is a file', () => ({}), 'zcode', 1, '/.zcode is a file, and '],
    [
      'a variable names a file',
      (home) => ({ CLAUDE_CONFIG_DIR: `${home}/.zcode` }),
      'claude',
      1,
      '/.zcode is a file, and ',
    ],
    ['a relative variable', () => ({ CLAUDE_CONFIG_DIR: 'relcc' }), 'claude', 2, 'set CLAUDE_CONFIG_DIR to /'],
    ['a variable with ~', () => ({ CLAUDE_CONFIG_DIR: '~/x' }), 'claude', 2, '/x; a client that was started elsewhere'],
  ])('%s', (_what, env, client, code, said) =>
    withHome(async (home) => {
      home.write('.zcode', 'not a folder');
      mkdirSync(home.at('work'));
      const before = snapshotTree(home.path);
      const run = await installer.run(['install', '--harness', client, '--url', NO_SERVER, '--yes'], {
        env: { HOME: home.path, ...env(home.path) },
        cwd: home.at('work'),
      });
      expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
      expect(run.stderr).toContain(said);
      expect(run.stderr).not.toMatch(/ENOENT|ENOTDIR|OPENVIKING_DEBUG/);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }),
  );

  it('a home that does not exist', async () => {
    const run = await installer.run(['install', '--harness', 'zcode', '--yes'], { env: { HOME: '/no/such/home' } });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('The home folder /no/such/home does not exist');
    expect(run.stderr).toContain('Set HOME');
  });
});

describe('what was meant', () => {
  it.each([
    [['uninstall', 'zcode'], 'Did you mean --harness zcode?'],
    [['install', 'zcode,claude'], 'Did you mean --harness zcode,claude?'],
    [['zcode'], 'Did you mean --harness zcode?'],
    [['--harness', 'zcode', '--url', '127.0.0.1:9'], 'Write: http://127.0.0.1:9'],
  ])('%j', async (args, said) => {
    const run = await installer.run(args);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(said);
  });

  it('HTTP://LOCALHOST is stored as hooks spell it', () =>
    withHome(async (home) => {
      await installer.run(['--harness', 'zcode', '--home', home.path, '--yes', '--url', 'HTTP://LocalHost:9/Base/']);
      expect(home.readText('.openviking/ovcli.conf')).toContain('"http://localhost:9/Base"');
    }));
});
