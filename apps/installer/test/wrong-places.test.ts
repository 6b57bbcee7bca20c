/** Homes, variables and files that cannot be what they are taken for: said with the place and the way out, nothing written. */
import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { TemporaryHome } from '@openviking/memory-core/testing';
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

describe('a file in the place of a folder of ours', () => {
  const FOLDERS = ['.openviking', '.openviking/install', '.openviking/install/receipts'];
  const INTEGRATION = '.openviking/agent-integrations/zcode';

  it.each([...FOLDERS, INTEGRATION])('%s: it is named, nothing is written, and nothing ends as a defect', (folder) =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      const wire = ['install', '--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes'];
      await installer.run(wire);
      rmSync(home.at(folder), { recursive: true });
      home.write(folder, '');
      const before = snapshotTree(home.path);
      const run = await installer.run(wire);
      expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 1, stdout: '' });
      expect(run.stderr).toContain(`${home.at(folder)} is a file, and `);
      for (const command of ['status', 'doctor', 'uninstall']) {
        const other = await installer.run([
          command,
          '--home',
          home.path,
          ...(command === 'status' ? [] : ['--dry-run']),
        ]);
        expect([command, other.stderr]).toEqual([command, expect.not.stringMatching(/ENOTDIR|OPENVIKING_DEBUG/)]);
      }
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }),
  );
});

describe('a link that leads back to itself', () => {
  it.each(['.openviking/install', '.openviking/install/receipts', '.openviking/ovcli.conf'])(
    '%s: status tells what there is, and does not end as a defect',
    (place) =>
      withHome(async (home) => {
        home.makeFolder('.zcode');
        mkdirSync(dirname(home.at(place)), { recursive: true });
        symlinkSync(home.at(place), home.at(place));
        const run = await installer.run(['status', '--home', home.path]);
        expect(run.stderr).not.toContain('OPENVIKING_DEBUG');
        expect(run.stdout).toContain('ZCode');
      }),
  );
});

describe('a link in the place of the launcher', () => {
  const LAUNCHER = '.openviking/agent-integrations/zcode/launch';
  const wire = (home: TemporaryHome) => [
    'install',
    '--harness',
    'zcode',
    '--home',
    home.path,
    '--url',
    NO_SERVER,
    '--yes',
  ];
  const linked = async (home: TemporaryHome, target: string): Promise<void> => {
    home.makeFolder('.zcode');
    await installer.run(wire(home));
    rmSync(home.at(LAUNCHER));
    symlinkSync(target, home.at(LAUNCHER));
  };

  it.each(['install', 'uninstall'])('%s: the link goes, and the program that it leads to stays as it was', (command) =>
    withHome(async (home) => {
      const program = home.write('bin/mine', '#!/bin/sh\n', 0o755);
      await linked(home, program);
      const args =
        command === 'install' ? wire(home) : ['uninstall', '--harness', 'zcode', '--home', home.path, '--yes'];
      expect((await installer.run(args)).code).toBe(command === 'install' ? 3 : 0);
      expect(home.readText('bin/mine')).toBe('#!/bin/sh\n');
      expect(lstatSync(home.at(LAUNCHER), { throwIfNoEntry: false })?.isFile()).toBe(
        command === 'install' ? true : undefined,
      );
    }),
  );

  it('one that leads back to itself gives way, too', () =>
    withHome(async (home) => {
      await linked(home, home.at(LAUNCHER));
      expect((await installer.run(['status', '--home', home.path])).stderr).not.toContain('OPENVIKING_DEBUG');
      expect((await installer.run(wire(home))).code).toBe(3);
      expect(lstatSync(home.at(LAUNCHER)).isFile()).toBe(true);
    }));

  it('a run that fails puts the link back, also one to nowhere', () =>
    withHome(async (home) => {
      await linked(home, home.at('nowhere/launch'));
      const before = snapshotTree(home.path);
      expect((await installer.runStopped(3, 'throw', wire(home))).code).toBe(1);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));

  it('a link to another copy of the launcher stays a link', () =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      await installer.run(wire(home));
      home.write('dotfiles/launch', home.readText(LAUNCHER), 0o644);
      rmSync(home.at(LAUNCHER));
      symlinkSync(home.at('dotfiles/launch'), home.at(LAUNCHER));
      expect((await installer.run(wire(home))).code).toBe(3);
      expect(lstatSync(home.at(LAUNCHER)).isSymbolicLink()).toBe(true);
      expect(lstatSync(home.at('dotfiles/launch')).mode & 0o777).toBe(0o755);
    }));
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
