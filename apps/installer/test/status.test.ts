/** What `status` tells on its one screen: wiring, health, the last hook, recall and capture, what waits, settings. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import {
  CONVERSATION_PARTS,
  credentialMark,
  homePaths,
  loadSettings,
  serverStatePath,
  SPOOL_NOTES,
} from '@openviking/memory-core/full';
import { describeDifference, diffTrees, snapshotTree, waitUntil } from '@openviking/memory-core/testing';
import { displayWidth } from '../src/cli/display-width.ts';
import { outcomeWords } from '../src/status/outcome-words.ts';
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
      const nextAttemptAt = Date.now() + 115_000;
      note({ failures: 3, nextAttemptAt, failedAt: Date.now(), lastError: '503 HTTP_503', lastSuccess });
      const waiting = await installer.run(['status', '--home', home.path], { env });
      expect(waiting.stdout).toContain('Undelivered turns: 1, the oldest 1 min old');
      expect(waiting.stdout).toMatch(
        /to http:\/\/127\.0\.0\.1:9: last delivered 3 min ago, last error 503 HTTP_503, next attempt in 1 min/,
      );
      expect(waiting.stdout).toContain('(sent when the server answers)');
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
      const said = await installer.run(['status', '--home', home.path], { env });
      expect(said.stdout).toMatch(/Undelivered turns: 1, the oldest 1 min old \(blocked: the server refuses the key\)/);
      const chinese = await installer.run(['status', '--home', home.path, '--lang', 'zh'], { env });
      expect(chinese.stderr).toContain('拒绝了凭据');
      // A server that gave no answer has no status.
      note({ failures: 1, nextAttemptAt, failedAt: Date.now(), lastError: '0 ECONNREFUSED' });
      const silent = await installer.run(['status', '--home', home.path], { env });
      expect(silent.stdout).toContain('nothing delivered yet, last error ECONNREFUSED, next attempt');
      // Other credentials than the refused ones: nothing is blocked.
      note({ ...blocked, blockedFor: 'other' });
      expect((await installer.run(['status', '--home', home.path], { env })).stderr).not.toContain('credentials');
    }));

  it('names three conversations at which the server fails, and how many more there are', () =>
    withHome(async (home) => {
      await installer.run(['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
      const fail = (index: number): void => {
        home.write(`.openviking/spool/zc-${index}/records/${nameOf(1)}`, record(1, 60_000));
        const backOff = { failures: 4, nextAttemptAt: Date.now() + 175_000, lastError: '500 INTERNAL' };
        home.write(`.openviking/spool/zc-${index}/back-off.json`, JSON.stringify(backOff));
      };
      const lines = async (...more: readonly string[]): Promise<readonly string[]> => {
        const { stdout } = await installer.run(['status', '--home', home.path, ...more]);
        return stdout.split('\n').flatMap((line) => (/500 INTERNAL|spool list/.test(line) ? shown(line) : []));
      };
      // The command is told as it was typed, by the path of this installer.
      const shown = (line: string): string => line.replace(/node \/\S+\.mjs/, 'openviking-install');
      for (const index of [1, 2, 3]) fail(index);
      const three = [1, 2, 3].map((index) => `  zc-${index}: last error 500 INTERNAL, next attempt in 2 min`);
      expect(await lines()).toEqual(three);
      for (const index of [4, 5]) fail(index);
      expect(await lines()).toEqual([...three, '  and 2 more: openviking-install spool list']);
      expect((await lines('--lang', 'zh')).at(-1)).toContain('另有 2 个会话');
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
      // Everything that a spool can hold, also what a killed hook had not finished.
      for (const part of CONVERSATION_PARTS) {
        if (part === 'pending' || part === 'dead') home.write(`queue/zc-a/${part}/x.json`, '{}');
        else if (part !== 'records') home.write(`queue/zc-a/${part}`, '{}');
      }
      for (const note of SPOOL_NOTES) home.write(note === '.queue' ? 'queue/.queue/zc-a' : `queue/${note}`, '{}');
      for (const place of ['queue', 'queue/zc-a']) home.write(`${place}/.ov-7-1a2b.tmp`, 'half');
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
      expect(run.stdout).toMatch(/^Next: .*openviking-install\S* --harness CLIENT --local$/m);
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
      // A client that is there is named, with the sign by which it was found.
      home.makeFolder('.zcode');
      const found = await installer.run(['status', '--home', home.path], { env: { OPENVIKING_URL: NO_SERVER } });
      expect(found).toMatchObject({ code: 0, stderr: '' });
      expect(found.stdout).toContain(`ZCode: not installed (found: ${home.at('.zcode')})`);
      expect(found.stdout).toMatch(/^Next: .*openviking-install\S* --harness zcode --local$/m);
    }));

  it('shows the last hook, recall and capture, and the turns that wait', () =>
    withHome(async (home) => {
      await installer.run(['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
      const at = new Date(Date.now() - 185_000).toISOString();
      home.write(
        '.openviking/state/heartbeat/zcode-stop.json',
        JSON.stringify({ at, event: 'Stop', durationMs: 41.4, outcome: 'nothing-new' }),
      );
      const prompt = {
        at: new Date(Date.now() - 420_000).toISOString(),
        durationMs: 90,
        outcome: 'ok',
        injectedTokens: 812,
      };
      home.write('.openviking/state/heartbeat/zcode-user-prompt-submit.json', JSON.stringify(prompt));
      home.write('.openviking/state/heartbeat/zcode-uri-guard.json', 'half a val');
      home.write('.openviking/state/heartbeat/zcode-session-start.json', '{"at":"yesterday","outcome":"<b>"}');
      for (const seq of [1, 2]) home.write(`.openviking/spool/zc-a/records/${nameOf(seq)}`, record(seq, 7_300_000));
      home.write(`.openviking/spool/zc-b/records/${nameOf(1)}`, '{}');
      home.write('.openviking/spool/zc-b/lock', 'x');
      const run = await installer.run(['status', '--home', home.path]);
      expect(run.code).toBe(3);
      expect(run.stdout).toMatch(/ZCode: installed, version 1\.0\.0, program files intact, healthy/);
      // How it ended stands in the line of what it did.
      expect(run.stdout).toContain('  last hook     stop, 3 min ago, 41 ms\n');
      expect(run.stdout).toContain('  last recall   7 min ago, 90 ms, ok, 812 tokens\n');
      expect(run.stdout).toContain('  last capture  3 min ago, 41 ms, nothing new to capture\n');
      expect(run.stdout).toContain('Undelivered turns: 3, the oldest 2 h old');
      expect(run.stderr).toContain('does not answer (ECONNREFUSED)');
      const json = JSON.parse(
        (await installer.run(['status', '--home', home.path, '--json', '--strict'])).stdout,
      ) as object;
      expect(json).toMatchObject({
        exitCode: 1,
        clients: [
          {
            id: 'zcode',
            wiring: 'wired',
            healthy: true,
            payload: 'intact',
            lastHook: { entry: 'stop', at },
            lastRecall: { injectedTokens: 812 },
            lastCapture: { entry: 'stop' },
            heartbeats: [{ entry: 'session-start' }, {}, { entry: 'uri-guard' }, {}],
          },
        ],
        spool: { undelivered: 3 },
        server: { state: 'unreachable' },
      });
    }));

  it.each([
    ['circuit-open', 'server not asked: it has just failed several times', '未询问服务器'],
    ['failed-ECONNREFUSED', 'the server could not be asked (ECONNREFUSED)', '无法询问服务器（ECONNREFUSED）'],
    ['unauthorized', 'the server refuses the key', '服务器拒绝了密钥'],
    ['captured', 'captured', '已记录'],
    ['of-a-newer-hook', 'of-a-newer-hook', 'of-a-newer-hook'],
  ])('says in words how a hook ended: %s', (outcome, english, chinese) => {
    expect(outcomeWords(outcome).en).toBe(english);
    expect(outcomeWords(outcome).zh).toContain(chinese);
  });

  it('names the settings that differ from the default and who set them; with --settings all of them', () =>
    withHome(async (home) => {
      await installer.run(['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
      const conf = {
        ...(JSON.parse(home.readText('.openviking/ovcli.conf')) as object),
        plugin: { scoreThreshold: 0.5 },
      };
      home.write('.openviking/ovcli.conf', JSON.stringify(conf), 0o600);
      const env = { OPENVIKING_RECALL_LIMIT: '7', OPENVIKING_EXTRA_HEADERS: '{"x-gateway":"hidden-token-123"}' };
      const run = await installer.run(['status', '--home', home.path], { env });
      expect(run.stdout).toContain(
        [
          'Settings that differ from the default:',
          '  extraHeaders = "••••"  (OPENVIKING_EXTRA_HEADERS)',
          '  recallLimit = 7  (OPENVIKING_RECALL_LIMIT)',
          '  scoreThreshold = 0.5  (~/.openviking/ovcli.conf plugin.scoreThreshold)',
          '',
        ].join('\n'),
      );
      expect(run.stdout).not.toContain('autoRecall');
      const all = await installer.run(['status', '--settings', '--home', home.path], { env });
      expect(all.stdout).toContain('  autoRecall = true  (default)\n');
      const bare = await installer.run(['status', '--settings', '--home', home.path]);
      expect(bare.stdout).toContain('  extraHeaders = {}  (default)\n');
      expect(all.stdout).toContain('  recallLimit = 7  (OPENVIKING_RECALL_LIMIT)\n');
      expect(all.stdout + run.stdout).not.toContain('hidden-token');
      expect((await installer.run(['status', '--home', home.path])).stdout).toContain('Settings that differ');
    }));

  it('names the mistake in ovcli.conf, and not the key that hooks then lack', () =>
    withHome(async (home) => {
      await installer.run(['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
      home.write('.openviking/ovcli.conf', '{\n  "url": \n');
      const run = await installer.run(['status', '--home', home.path]);
      expect(run.stdout + run.stderr).toMatch(/ovcli\.conf:3:1: Skipped: /u);
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
      expect(run.stderr).toContain('None of our hooks is left');
      expect(run.stderr).toMatch(/-> .*openviking-install\S* --harness zcode$/m);
    }));

  it('is one screen for five clients with long paths and long values, in both languages', () =>
    withHome(async (home) => {
      const five = ['zcode', 'claude', 'cursor', 'trae', 'trae-cn'];
      await installer.run(['--harness', five.join(','), '--home', home.path, '--url', NO_SERVER, '--yes']);
      const { url } = JSON.parse(home.readText('.openviking/ovcli.conf')) as { url: string };
      const plugin = { captureFilters: [`d/${'x'.repeat(300)}/`], spoolDir: home.at('a folder', 'y'.repeat(90)) };
      home.write('.openviking/ovcli.conf', JSON.stringify({ url, plugin }), 0o600);
      home.write(`.openviking/spool/zc-a/records/${nameOf(1)}`, record(1, 60_000));
      const at = new Date(Date.now() - 60_000).toISOString();
      for (const client of five) {
        home.write(
          `.openviking/state/heartbeat/${client}-stop.json`,
          JSON.stringify({ at, event: 'turn-end', durationMs: 41, outcome: 'circuit-open', injectedTokens: 1200 }),
        );
      }
      for (const language of ['en', 'zh']) {
        const run = await installer.run(['status', '--home', home.path, '--lang', language]);
        const lines = run.stdout.trimEnd().split('\n');
        expect(lines.length).toBeLessThanOrEqual(32);
        for (const line of lines.filter((text) => !text.includes('openviking-install'))) {
          expect({ line, width: displayWidth(line) <= 110 }).toEqual({ line, width: true });
        }
        expect(run.stdout).not.toContain('x'.repeat(60));
        const whole = await installer.run(['status', '--settings', '--home', home.path, '--lang', language]);
        expect(whole.stdout).toContain('x'.repeat(300));
      }
    }));

  it('tells of an interrupted run, and changes nothing about it', () =>
    withHome(async (home) => {
      await installer.runStopped(5, 'kill', ['--harness', 'zcode', '--home', home.path, '--yes']);
      const before = snapshotTree(home.path);
      const run = await installer.run(['status', '--home', home.path]);
      expect(run).toMatchObject({ code: 3 });
      expect(run.stderr).toContain('An earlier run of the installer was interrupted');
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    }));

  it('tells of a run that is under way, and not that it was interrupted', () =>
    withHome(async (home) => {
      let pid = 0;
      const running = installer.runStopped(5, 'pause', ['--harness', 'zcode', '--home', home.path, '--yes'], {
        started: (process) => (pid = process),
      });
      try {
        await waitUntil('the run to be in the middle', () => home.has('.openviking/install/journal.json'));
        const run = await installer.run(['status', '--home', home.path]);
        expect(run).toMatchObject({ code: 3 });
        expect(run.stderr).toContain(`Another run is under way (process ${pid})`);
        expect(run.stderr).not.toMatch(/was interrupted|--fix/);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      expect((await running).signal).toBeNull();
      expect((await installer.run(['status', '--home', home.path])).stderr).not.toContain('under way');
    }));
});
