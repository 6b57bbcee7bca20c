/**
 * An installation ends in "installed" or "as before", never between: killed at every step, interrupted, failing, with a
 * second installer beside it, or with a client that rewrites its file meanwhile.
 */
import { chownSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess, Run } from './support/installer-process.ts';

let installer: InstallerProcess;
let upgraded: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller('1.0.0');
  upgraded = buildInstaller('1.1.0');
});
afterAll(() => {
  installer.remove();
  upgraded.remove();
});

const CONFIG = '.zcode/cli/config.json';
const SEED = '{\n\t"hooks": {"enabled": false},\n\t"mine": [1, 2]\n}';
const args = (home: TemporaryHome) => [
  '--harness',
  'zcode',
  '--home',
  home.path,
  '--url',
  NO_SERVER,
  '--api-key',
  'sk-abcdefghijkl',
  '--yes',
];
const differences = (before: TreeSnapshot, home: TemporaryHome) =>
  diffTrees(before, snapshotTree(home.path)).map(describeDifference);

/** Steps of a fresh installation: payload, launcher, self-test, skill, command, config, two receipts, ovcli.conf. */
const POINTS = 9;

describe('killed', () => {
  it.each(Array.from({ length: POINTS + 2 }, (_, point) => point))(
    'at point %i: the next run ends it',
    async (point) => {
      await withHome(async (home) => {
        home.write(CONFIG, SEED);
        const before = snapshotTree(home.path);
        const killed = await installer.runStopped(point, 'kill', ['install', ...args(home)]);
        expect(killed.signal).toBe('SIGKILL');
        // Whatever the next command is, it first goes back, or finishes where everything was written.
        const next = await installer.run(['uninstall', '--harness', 'zcode', '--home', home.path, '--purge', '--yes']);
        expect({ code: next.code, stderr: next.stderr }).toEqual({ code: 0, stderr: '' });
        expect(differences(before, home)).toEqual([]);

        await installer.runStopped(point, 'kill', ['install', ...args(home)]);
        const again = await installer.run(['install', ...args(home)]);
        expect(again.code).toBe(3);
        const status = await installer.run(['status', '--home', home.path, '--json']);
        expect(JSON.parse(status.stdout)).toMatchObject({ clients: [{ wiring: 'wired', payload: 'intact' }] });
        await installer.run(['uninstall', '--home', home.path, '--purge', '--yes']);
        expect(differences(before, home)).toEqual([]);
      });
    },
  );

  it('there are as many points as the tests above stop at', () =>
    withHome(async (home) => {
      home.write(CONFIG, SEED);
      const beyond = await installer.runStopped(POINTS + 2, 'kill', ['install', ...args(home)]);
      expect(beyond).toMatchObject({ code: 3, signal: null });
    }));

  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'in an upgrade at point %i: the old version works or the new one',
    async (point) => {
      await withHome(async (home) => {
        home.write(CONFIG, SEED);
        const before = snapshotTree(home.path);
        await installer.run(['install', ...args(home)]);
        const old = snapshotTree(home.path);
        const killed = await upgraded.runStopped(point, 'kill', ['install', ...args(home)]);
        expect(killed.signal).toBe('SIGKILL');
        // A dry run changes nothing, not even what was left behind.
        const left = snapshotTree(home.path);
        await upgraded.run(['install', ...args(home), '--dry-run']);
        expect(differences(left, home)).toEqual([]);
        await installer.run(['install', ...args(home)]);
        expect(differences(old, home)).toEqual([]);
        await upgraded.run(['install', ...args(home)]);
        await upgraded.run(['uninstall', '--home', home.path, '--purge', '--yes']);
        expect(differences(before, home)).toEqual([]);
      });
    },
  );

  it.each([0, 1, 2, 3, 4, 5, 6])('in an uninstall at point %i: the next one ends it', async (point) => {
    await withHome(async (home) => {
      home.write(CONFIG, SEED);
      const before = snapshotTree(home.path);
      await installer.run(['install', ...args(home)]);
      await installer.runStopped(point, 'kill', ['uninstall', '--home', home.path, '--purge', '--yes']);
      await installer.run(['uninstall', '--harness', 'zcode', '--home', home.path, '--purge', '--yes']);
      expect(differences(before, home)).toEqual([]);
    });
  });
});

// Only root may give a home to somebody else.
(process.getuid?.() === 0 ? it : it.skip).each(['install', 'uninstall'])(
  'killed in a home of another user: nothing of it is put back as root by %s',
  (command) =>
    withHome(async (home) => {
      home.write(CONFIG, SEED);
      await installer.runStopped(6, 'kill', ['install', ...args(home)]);
      chownSync(home.path, 12345, 12345);
      const left = snapshotTree(home.path);
      const options = command === 'install' ? args(home) : ['--home', home.path, '--yes'];
      const next = await installer.run([command, ...options]);
      expect({ code: next.code, differences: differences(left, home) }).toEqual({ code: 1, differences: [] });
      expect(next.stderr).toContain(`${home.path} belongs to another user.`);
    }),
);

describe('killed in the middle of taking several clients out', () => {
  const BOTH = ['--harness', 'zcode,cursor', '--hooks-only', '--url', NO_SERVER, '--yes'];
  const POINTS_OF_BOTH = [3, 6, 8, 10];

  it.each(POINTS_OF_BOTH)('at point %i: the next removal of everything leaves none of them', async (point) => {
    await withHome(async (home) => {
      home.write(CONFIG, SEED);
      const before = snapshotTree(home.path);
      await installer.run([...BOTH, '--home', home.path]);
      const all = ['uninstall', '--home', home.path, '--purge', '--yes'];
      expect(await installer.runStopped(point, 'kill', all)).toMatchObject({ signal: 'SIGKILL' });
      // Receipts are gone that come back: whoever went by those that are left would leave the other client wired.
      expect(await installer.run(all)).toMatchObject({ code: 0, stderr: '' });
      expect(differences(before, home)).toEqual([]);
    });
  });
});

describe('stopped', () => {
  it.each([0, 3, 6, 8, 9])('by Ctrl+C at point %i: goes back and ends with 130', async (point) => {
    await withHome(async (home) => {
      home.write(CONFIG, SEED);
      const before = snapshotTree(home.path);
      const run = await installer.runStopped(point, 'interrupt', ['install', ...args(home)]);
      // At the last point everything is written and checked: the run may count as done.
      if (run.code !== 3) {
        expect(run.code).toBe(130);
        expect(differences(before, home)).toEqual([]);
      }
    });
  });

  it.each([0, 2, 5, 8, 9])('by a failure at point %i: goes back and ends with 1', async (point) => {
    await withHome(async (home) => {
      home.write(CONFIG, SEED);
      const before = snapshotTree(home.path);
      const run = await installer.runStopped(point, 'throw', ['install', ...args(home)]);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('stopped by the test');
      expect(differences(before, home)).toEqual([]);
    });
  });

  it('by a launcher that does not work: nothing is wired', async () => {
    const broken = buildInstaller();
    try {
      await withHome(async (home) => {
        home.write(CONFIG, SEED);
        const before = snapshotTree(home.path);
        const { writeManifest } = (await import('../build.mjs' as string)) as {
          writeManifest: (...input: string[]) => void;
        };
        const payload = `${broken.folder}/dist/payload/zcode`;
        writeFileSync(`${payload}/uri-guard.cjs`, 'console.error("no such module"); process.exit(3);');
        writeManifest(payload, 'zcode', '1.0.0');
        const run = await broken.run(['install', ...args(home)]);
        expect(run.code).toBe(1);
        expect(run.stderr).toContain('does not work (status 3): no such module');
        expect(differences(before, home)).toEqual([]);
      });
    } finally {
      broken.remove();
    }
  });
});

describe('beside others', () => {
  it('a file that changes at every attempt is given up after three, and every change is kept', () =>
    withHome(async (home) => {
      home.write(CONFIG, '{"mine": 1}');
      const run = await installer.runStopped(4, `touch:${home.at(CONFIG)}`, ['install', ...args(home)]);
      // Every attempt appends a space at point 4: before the file is written, so each is a conflict.
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('changed by another program all the time');
      expect(home.readText(CONFIG)).toBe('{"mine": 1}   ');
      expect(home.has('.openviking')).toBe(false);
    }));

  it('a change after our write is not lost', () =>
    withHome(async (home) => {
      home.write(CONFIG, '{"mine": 1}');
      const run = await installer.runStopped(7, `touch:${home.at(CONFIG)}`, ['install', ...args(home)]);
      expect(run.code).toBe(3);
      expect(home.readText(CONFIG).endsWith('} ')).toBe(true);
      await installer.run(['uninstall', '--home', home.path]);
      expect(home.readText(CONFIG)).toBe('{"mine": 1} ');
    }));

  it('four installers at once leave one installation', () =>
    withHome(async (home) => {
      home.write(CONFIG, SEED);
      const before = snapshotTree(home.path);
      // Who has waited ten seconds for the others gives up, as the last one may on a slow machine: it comes again.
      const install = async (triesLeft = 10): Promise<Run> => {
        const run = await installer.run(['install', ...args(home)]);
        return run.stderr.includes('Another installer is at work') && triesLeft > 0 ? install(triesLeft - 1) : run;
      };
      const runs = await Promise.all([1, 2, 3, 4].map(() => install()));
      expect(runs.map(({ code }) => code)).toEqual([3, 3, 3, 3]);
      expect(home.readText(CONFIG).match(/ stop"/g)).toHaveLength(1);
      await installer.run(['uninstall', '--home', home.path, '--purge', '--yes']);
      expect(differences(before, home)).toEqual([]);
    }));
});
