/** What `status` tells: wiring, program files, the last run of each hook, what waits, and an interrupted run. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { credentialMark, homePaths, loadSettings, serverStatePath } from '@openviking/memory-core/full';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const nameOf = (seq: number): string => `${String(seq).padStart(12, '0')}.json`;
const record = (seq: number, ageMs: number): string =>
  JSON.stringify({
    version: 1,
    seq,
    session: 'zc-a',
    harness: 'zcode',
    nativeId: 'a',
    createdAt: new Date(Date.now() - ageMs).toISOString(),
    messages: [],
    cursor: { turns: [] },
  });

describe('status', () => {
  it('tells how delivery goes: refused credentials, dead letters, the last success, the next attempt', () =>
    withHome(async (home) => {
      await installer.run(['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
      home.write(`queue/zc-a/records/${nameOf(3)}`, record(3, 60_000));
      home.write('queue/zc-a/dead/000000000001-0.json', '{}');
      const lastSuccess = new Date(Date.now() - 200_000).toISOString();
      const { connection } = loadSettings({ harness: 'zcode', home: home.path, cwd: home.path, env: {} });
      const note = (state: object) =>
        writeFileSync(serverStatePath(homePaths(home.path), 'delivery', NO_SERVER), JSON.stringify(state));
      home.makeFolder('.openviking/state');
      // The spool is where the setting says; what waits is looked for there.
      const env = { OPENVIKING_SPOOL_DIR: '~/queue' };
      const nextAttemptAt = Date.now() + 100_000;
      note({ failures: 3, nextAttemptAt, failedAt: Date.now(), lastError: '503 HTTP_503', lastSuccess });
      const waiting = await installer.run(['status', '--home', home.path], { env });
      expect(waiting.stdout).toContain('Undelivered turns: 1, the oldest 1 min old');
      expect(waiting.stdout).toMatch(
        /to http:\/\/127\.0\.0\.1:9: last delivered 3 min ago, last error 503 HTTP_503, next attempt in 1 min/,
      );
      expect(waiting.stderr).toContain('has refused 1 message for good');
      expect(waiting.stderr).not.toContain('has refused the credentials');

      const blocked = { failures: 1, nextAttemptAt: 0, lastError: '401 UNAUTHENTICATED', lastSuccess };
      note({ ...blocked, blockedFor: credentialMark(connection) });
      const run = await installer.run(['status', '--home', home.path, '--json'], { env });
      expect(run.code).toBe(3);
      expect(run.stderr).toContain('has refused the credentials (401 UNAUTHENTICATED)');
      expect(JSON.parse(run.stdout)).toMatchObject({
        spool: {
          undelivered: 1,
          deadLetters: 1,
          conversations: [{ session: 'zc-a', depth: 1, deadLetters: 1, underWay: false }],
          delivery: [{ url: NO_SERVER, blocked: true, lastSuccess, lastError: '401 UNAUTHENTICATED' }],
        },
      });
      const chinese = await installer.run(['status', '--home', home.path, '--lang', 'zh'], { env });
      expect(chinese.stderr).toContain('拒绝了凭据');
      // Other credentials than the refused ones: nothing is blocked.
      note({ ...blocked, blockedFor: 'other' });
      expect((await installer.run(['status', '--home', home.path], { env })).stderr).not.toContain('credentials');
    }));

  it('and a purge find the spool where it is set, and leave what others put beside it', () =>
    withHome(async (home) => {
      const before = snapshotTree(home.path);
      const env = { OPENVIKING_SPOOL_DIR: home.at('queue') };
      home.write('queue/notes.txt', 'mine');
      home.write('queue/music/records/abbey-road.flac', 'mine');
      home.write('queue/music/cover.png', 'mine');
      const beside = snapshotTree(home.path);
      await installer.run(['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes'], { env });
      home.write(`queue/zc-a/records/${nameOf(1)}`, record(1, 0));
      home.write('queue/.queue/zc-a', '');
      const refused = await installer.run(['uninstall', '--purge', '--home', home.path], { env });
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.stderr).toContain('1 conversation turn has not been delivered');
      const end = await installer.run(['uninstall', '--purge', '--yes', '--home', home.path], { env });
      expect(end.code).toBe(0);
      expect(diffTrees(beside, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
      expect(diffTrees(before, snapshotTree(home.path)).length).toBeGreaterThan(0);
    }));

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
      for (const seq of [1, 2]) home.write(`.openviking/spool/zc-a/records/${nameOf(seq)}`, record(seq, 7_300_000));
      home.write(`.openviking/spool/zc-b/records/${nameOf(1)}`, '{}');
      home.write('.openviking/spool/zc-b/lock', 'x');
      const run = await installer.run(['status', '--home', home.path]);
      expect(run.code).toBe(3);
      expect(run.stdout).toMatch(/ZCode: installed, version 1\.0\.0, program files intact/);
      expect(run.stdout).toMatch(/ {2}stop +ran 3 min ago, 41 ms, ok/);
      expect(run.stdout).toMatch(/ {2}uri-guard +never ran/);
      expect(run.stdout).toContain('Undelivered turns: 3, the oldest 2 h old');
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

  it('names the mistake in ovcli.conf, and not the key that hooks then lack', () =>
    withHome(async (home) => {
      await installer.run(['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
      home.write('.openviking/ovcli.conf', '{\n  "url": \n');
      const run = await installer.run(['status', '--home', home.path]);
      expect(run.stdout + run.stderr).toMatch(/ovcli\.conf:\d+:\d+: from here on this is not valid JSON/u);
      expect(run.stdout + run.stderr).not.toMatch(/--api-key-stdin|does not answer \(/u);
      expect(run.code).toBe(3);
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
