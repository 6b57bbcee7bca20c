/** A purge leaves the home as it was before the installation, whatever hooks and workers are doing at that moment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hookEnvironment, hookInput, ZcodeHost } from '@openviking/harness-zcode/testing';
import type { HookDetail } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  describeDifference,
  diffTrees,
  homeEnvironment,
  processesOfHome,
  snapshotTree,
  startStubServer,
  untilHomeIsQuiet,
  waitUntil,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';
import { removeHome, runInstaller } from './installation.ts';

const KEY = 'purge-test-key-31';

let server: StubServer;
let home: TemporaryHome;
let before: TreeSnapshot;
beforeEach(async () => {
  server = await startStubServer({ apiKey: KEY });
  home = createTemporaryHome();
  home.write('.zcode/cli/config.json', '{}\n');
  home.makeFolder('project');
  // The client's own files are not the matter here.
  home.makeFolder('.zcode/cli/rollout');
});
afterEach(async () => {
  removeHome(home);
  await server.close();
});

async function install(): Promise<void> {
  before = snapshotTree(home.path);
  const args = ['install', '--harness', 'zcode', '--url', server.url, '--api-key', KEY, '--yes'];
  expect(await runInstaller(home, args)).toMatchObject({ exitCode: 0 });
}
const purge = (): ReturnType<typeof runInstaller> => runInstaller(home, ['uninstall', '--purge', '--yes']);
const changes = (): string[] =>
  diffTrees(before, snapshotTree(home.path))
    .map(describeDifference)
    .filter((difference) => !difference.includes('.zcode/cli/rollout'));

/** The bundle of a hook where the installer has put it. */
function bundle(entry: string): string {
  const folder = home.at('.openviking/agent-integrations/zcode');
  const version = readdirSync(folder).find((name) => /^\d/.test(name)) ?? '';
  return join(folder, version, `${entry}.cjs`);
}

/** More than a pipe holds: it is written when the hook reads. In front of a JSON value it means nothing. */
const WHITE_SPACE = ' '.repeat(4 * 1024 * 1024);

interface WaitingHook {
  /** Resolves when everything is loaded: the hook reads its input. */
  readonly reads: Promise<void>;
  finish(detail: HookDetail): Promise<number | null>;
}

/** A hook that runs and waits for its payload. */
function waitingHook(entry: string, number: number): WaitingHook {
  const id = `sess_${number}`;
  const cwd = home.at('project');
  const child = spawn(process.execPath, [bundle(entry)], {
    cwd,
    env: homeEnvironment(home.path, hookEnvironment(id, cwd)),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close');
  const reads = new Promise<void>((done) => {
    child.stdin.write(WHITE_SPACE, () => done());
  });
  return {
    reads,
    async finish(detail) {
      const situation = { sessionId: id, turnId: `turn_${number}`, traceId: 't', cwd, transcriptPath: home.at('none') };
      child.stdin.end(hookInput(situation, detail));
      const [code] = (await closed) as [number | null];
      return code;
    },
  };
}

describe('uninstall --purge', () => {
  it('leaves nothing behind when hooks get their payload only after it', async () => {
    await install();
    const hooks = Array.from({ length: 3 }, (_, number) => ({
      start: waitingHook('session-start', number),
      prompt: waitingHook('user-prompt-submit', number),
      stop: waitingHook('stop', number),
    }));
    await Promise.all(hooks.flatMap(({ start, prompt, stop }) => [start.reads, prompt.reads, stop.reads]));
    // On a slow machine the first have waited long enough by now and are gone.
    expect(processesOfHome(home.path).length).toBeGreaterThan(0);
    expect(await purge()).toMatchObject({ exitCode: 0 });
    expect(changes()).toEqual([]);
    const codes = await Promise.all(
      hooks.flatMap(({ start, prompt, stop }) => [
        start.finish({ event: 'SessionStart', source: 'startup' }),
        prompt.finish({ event: 'UserPromptSubmit', prompt: 'What is left of the release plan?' }),
        stop.finish({ event: 'Stop', answer: 'Nothing is left of it.', toolCallCount: 0 }),
      ]),
    );
    // A hook never breaks its host.
    expect(codes).toEqual(codes.map(() => 0));
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
    expect(changes()).toEqual([]);
  });

  it('leaves nothing behind in the middle of conversations', async () => {
    await install();
    const host = new ZcodeHost({ home: home.path, cwd: home.at('project') });
    let over = false;
    const talk = async (number: number): Promise<void> => {
      for (let turn = 1; !over; turn += 1) {
        const session = host.startSession();
        await session.prompt(`Question ${number}.${turn} about the release`);
        await session.answer(`Answer ${number}.${turn} about the release`);
        // Without handlers nothing of this takes any time.
        await new Promise((done) => setTimeout(done, 1));
      }
    };
    const talks = Promise.all(Array.from({ length: 4 }, (_, number) => talk(number)));
    await waitUntil('some turns', () => host.runs.length > 20);
    expect(await purge()).toMatchObject({ exitCode: 0 });
    over = true;
    await talks;
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
    expect(changes()).toEqual([]);
  });
});
