/** Two removals at once: the one that waits finds nothing to do, and says so instead of failing. */
import { renameSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tryLock } from '@openviking/memory-core/full';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { tellsOf } from './support/program-that-tells.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

describe('uninstall', () => {
  it('goes on when the run that it waits for takes the folder of the lock away', () =>
    withHome(async (home) => {
      await installer.run(['--harness', 'zcode', '--home', home.path, '--yes', '--url', NO_SERVER]);
      const lock = tryLock(home.at('.openviking/install/lock'));
      expect(lock).toBeDefined();
      const { env, told, remove } = tellsOf('.openviking/install/lock');
      try {
        const waiting = installer.run(['uninstall', '--home', home.path, '--yes'], { env });
        await told();
        // In one go: what waits may put a file of its own there at any moment.
        renameSync(home.at('.openviking/install'), home.at('gone'));
        expect(await waiting).toMatchObject({ code: 0, stderr: '' });
        expect(home.has('.openviking/install')).toBe(false);
      } finally {
        remove();
      }
    }));

  it.each([1, 2, 3, 4])('twice at once ends well for both and leaves nothing (round %i)', () =>
    withHome(async (home) => {
      home.write('.zcode/cli/config.json', '{"a":1}');
      const before = snapshotTree(home.path);
      await installer.run(['--harness', 'zcode', '--home', home.path, '--yes', '--url', NO_SERVER]);
      const purge = ['uninstall', '--harness', 'zcode', '--home', home.path, '--yes', '--purge'];
      const both = await Promise.all([installer.run(purge), installer.run(purge)]);
      expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
        { code: 0, stderr: '' },
        { code: 0, stderr: '' },
      ]);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }),
  );
});
