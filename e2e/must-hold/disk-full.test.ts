/** A disk without room: capture stops and says so, nothing is deleted, the host goes on, and so does capture later. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeZcodeConfig, ZcodeHost } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  killProcessesOfHome,
  messageText,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ZCODE_PAYLOAD } from './artefacts.ts';
import { runInstaller } from './installation.ts';

let home: TemporaryHome;
let server: StubServer;
beforeEach(async () => {
  server = await startStubServer();
  home = createTemporaryHome();
  const folder = home.makeFolder('.openviking');
  mount(folder);
  const plugin = { noAutoInject: true };
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k', plugin }), 0o600);
  writeZcodeConfig(home.path, ZCODE_PAYLOAD);
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await untilHomeIsQuiet(home.path);
  execFileSync('umount', [home.at('.openviking')]);
  await server.close();
  home.remove();
});

/** A small file system of its own. */
function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=0700', 'tmpfs', folder], { stdio: 'pipe' });
}

/** Why a test may not have one here; undefined where it may. */
function whyNoFileSystem(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'openviking-mount-'));
  try {
    mount(folder);
    execFileSync('umount', [folder]);
    return undefined;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Takes all the room there is. */
function fill(): void {
  const descriptor = openSync(home.at('.openviking/filler'), 'a');
  try {
    for (let size = 65_536; size >= 1;) {
      try {
        writeSync(descriptor, Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

const outcomeOf = (entry: string): string =>
  (JSON.parse(readFileSync(home.at(`.openviking/state/heartbeat/zcode-${entry}.json`), 'utf8')) as { outcome: string })
    .outcome;

const reason = whyNoFileSystem();
describe(reason === undefined ? 'a full disk' : `a full disk (no file system may be mounted here: ${reason})`, () => {
  (reason === undefined ? it : it.skip)(
    'stops capture loudly, loses nothing that is kept, and is forgotten when there is room',
    async () => {
      const host = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project') });
      const session = host.startSession();
      const say = async (turn: number): Promise<void> => {
        await session.prompt(`Question ${turn} about the release`);
        await session.answer(`Answer ${turn} about the release`);
      };
      await say(1);
      await server.untilMessages(`zc-${session.id}`, 2);
      expect(await untilHomeIsQuiet(home.path)).toEqual([]);
      // One that waits: it must still be there after all.
      await server.goDown();
      await say(2);
      killProcessesOfHome(home.path);
      expect(await untilHomeIsQuiet(home.path)).toEqual([]);
      const records = join(home.at('.openviking/spool'), `zc-${session.id}`, 'records');
      const waiting = readdirSync(records).filter((name) => !name.startsWith('.'));
      expect(waiting).toHaveLength(1);

      fill();
      await server.comeBack();
      const before = host.runs.length;
      await say(3);
      await say(4);
      // The host is not disturbed, and the memory can still be asked.
      expect(host.runs.slice(before).map(({ run }) => run.exitCode)).toEqual(host.runs.slice(before).map(() => 0));
      expect(
        host.runs
          .slice(before)
          .map(({ run }) => run.stderr)
          .join(''),
      ).toBe('');
      expect([outcomeOf('user-prompt-submit'), outcomeOf('stop')]).toEqual(['disk-full', 'disk-full']);
      const status = await runInstaller(home, ['status']);
      expect(status.stdout + status.stderr).toContain('Its disk is full: nothing new is captured.');
      await untilHomeIsQuiet(home.path);
      expect(readdirSync(records)).toEqual(expect.arrayContaining(waiting));

      rmSync(home.at('.openviking/filler'));
      mkdirSync(home.at('.openviking/spool'), { recursive: true });
      await say(5);
      await say(6);
      expect(await untilHomeIsQuiet(home.path)).toEqual([]);
      // A worker that was started in the meantime may have been faster.
      expect(['captured', 'nothing-new']).toContain(outcomeOf('stop'));
      const stored = server
        .conversation(`zc-${session.id}`)
        .map((message) => `${message.role}: ${messageText(message)}`);
      const turns = (numbers: readonly number[]): string[] =>
        numbers.flatMap((number) => [
          `user: Question ${number} about the release`,
          `assistant: Answer ${number} about the release`,
        ]);
      // The turns without room are in the client's own record, and come from there: once, and in their place.
      expect(stored).toEqual(turns([1, 2, 3, 4, 5, 6]));
    },
  );
});
