/** What `status` tells: wiring, program files, the last run of each hook, what waits, and an interrupted run. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

describe('status', () => {
  it('of a home without anything writes nothing and is no warning', () =>
    withHome(async (home) => {
      const before = snapshotTree(home.path);
      const run = await installer.run(['status', '--home', home.path], { env: { OPENVIKING_URL: NO_SERVER } });
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.stdout).toContain('ZCode: not installed');
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    }));

  it('shows the last run of each hook and the turns that wait', () =>
    withHome(async (home) => {
      await installer.run(['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
      const at = new Date(Date.now() - 185_000).toISOString();
      home.write(
        '.openviking/state/heartbeat/zcode-stop.json',
        JSON.stringify({ at, event: 'Stop', durationMs: 41.4, outcome: 'ok' }),
      );
      home.write('.openviking/state/heartbeat/zcode-uri-guard.json', 'half a val');
      for (const name of ['1', '2']) home.write(`.openviking/spool/zc-a/records/${name}.json`, '{}');
      home.write('.openviking/spool/zc-b/records/1.json', '{}');
      home.write('.openviking/spool/zc-b/lock', 'x');
      const run = await installer.run(['status', '--home', home.path]);
      expect(run.code).toBe(3);
      expect(run.stdout).toMatch(/ZCode: installed, version 1\.0\.0, program files intact/);
      expect(run.stdout).toMatch(/ {2}stop +ran 3 min ago, 41 ms, ok/);
      expect(run.stdout).toMatch(/ {2}uri-guard +never ran/);
      expect(run.stdout).toContain('Undelivered turns: 3');
      expect(run.stderr).toContain('does not answer (ECONNREFUSED)');
      const json = JSON.parse(
        (await installer.run(['status', '--home', home.path, '--json', '--strict'])).stdout,
      ) as object;
      expect(json).toMatchObject({
        exitCode: 1,
        clients: [{ id: 'zcode', wiring: 'wired', payload: 'intact' }],
        spool: { undelivered: 3 },
        server: { state: 'unreachable' },
      });
    }));

  it('sees wiring that another program has removed', () =>
    withHome(async (home) => {
      await installer.run(['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
      home.write('.zcode/cli/config.json', '{"hooks":{"enabled":true,"events":{}}}');
      const run = await installer.run(['status', '--home', home.path]);
      expect(run.code).toBe(3);
      expect(run.stdout).toContain('installed, but incomplete');
      expect(run.stderr).toContain('Repair: openviking-install --harness zcode');
    }));

  it('tells of an interrupted run, and changes nothing about it', () =>
    withHome(async (home) => {
      await installer.runStopped(5, 'kill', ['--harness', 'zcode', '--home', home.path, '--yes']);
      const before = snapshotTree(home.path);
      const run = await installer.run(['status', '--home', home.path]);
      expect(run).toMatchObject({ code: 3 });
      expect(run.stderr).toContain('an earlier run was interrupted');
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    }));
});
