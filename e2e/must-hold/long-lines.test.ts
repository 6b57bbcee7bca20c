/** A client's record with a line of 40 MB: the turn is captured once and whole, and the hook stays small. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hookEnvironment, hookInput, RolloutWriter } from '@openviking/harness-zcode/testing';
import type { HookDetail } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  homeEnvironment,
  killProcessesOfHome,
  messageText,
  runHook,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ROOT, ZCODE_PAYLOAD } from './artefacts.ts';

const MEGABYTE = 1024 * 1024;
const MOST_RSS_MB = 120;

let home: TemporaryHome;
let server: StubServer;
beforeEach(async () => {
  server = await startStubServer();
  home = createTemporaryHome();
  const plugin = { autoRecall: false, noAutoInject: true };
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k', plugin }), 0o600);
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await server.close();
  home.remove();
});

/** Runs a hook and returns the most memory it had, in MB. */
async function hook(id: string, turnId: string, entry: string, detail: HookDetail): Promise<number> {
  const cwd = home.at('project');
  const rssFile = home.at('rss');
  const run = await runHook({
    command: process.execPath,
    args: [join(ZCODE_PAYLOAD, `${entry}.cjs`)],
    cwd: home.path,
    env: homeEnvironment(home.path, {
      ...hookEnvironment(id, cwd),
      RSS_FILE: rssFile,
      // In quotes: the clone may lie in a folder with a space in its name.
      NODE_OPTIONS: `--require ${JSON.stringify(join(ROOT, 'e2e', 'bench', 'measure-rss.cjs'))}`,
    }),
    payload: hookInput({ sessionId: id, turnId, traceId: 't', cwd, transcriptPath: home.at('none') }, detail),
    timeoutMs: 30_000,
  });
  expect(run).toMatchObject({ exitCode: 0, stdout: '', timedOut: false });
  return Number(readFileSync(rssFile, 'utf8')) / 1024;
}

describe('a line of 40 MB', () => {
  it.each([
    ['in one tool’s output', [40 * MEGABYTE]],
    ['in forty tools’ outputs', Array.from({ length: 40 }, () => MEGABYTE)],
  ])('%s costs no turn and little memory', async (_what, outputs) => {
    home.makeFolder('project');
    const writer = new RolloutWriter(home.makeFolder('.zcode/cli/rollout'), {
      fileLimitBytes: 1024 ** 3,
      fileLimit: 9,
    });
    const id = `sess_${randomUUID()}`;
    const say = async (turnId: string, question: string, answer: string, huge: readonly number[]): Promise<number> => {
      await hook(id, turnId, 'user-prompt-submit', { event: 'UserPromptSubmit', prompt: question });
      const calls = huge.map((_length, index) => ({
        id: `call_${index}`,
        name: 'Bash',
        input: { command: 'cat log' },
      }));
      writer.append({
        sessionId: id,
        turnId,
        traceId: 't',
        querySource: 'main_turn',
        attempt: 1,
        messages: [
          { role: 'user', content: question },
          ...(huge.length === 0 ? [] : [{ role: 'assistant' as const, content: '', toolCalls: calls }]),
          ...huge.map((length, index) => ({
            role: 'tool' as const,
            content: 'x'.repeat(length),
            toolCallId: `call_${index}`,
            toolName: 'Bash',
          })),
        ],
        outcome: { kind: 'answer', text: answer, toolCalls: [] },
      });
      const rss = await hook(id, turnId, 'stop', { event: 'Stop', answer, toolCallCount: huge.length });
      expect(await untilHomeIsQuiet(home.path)).toEqual([]);
      return rss;
    };
    await say('turn_1', 'What is in the small log?', 'Little is in the small log.', []);
    const rss = await say('turn_2', 'What is in the large log?', 'Nothing new is in the large log.', outputs);
    await say('turn_3', 'And what about tomorrow?', 'Tomorrow it will be the same.', []);

    process.stdout.write(`turn end with a line of 40 MB ${_what}: ${rss.toFixed(0)} MB\n`);
    expect(rss).toBeLessThanOrEqual(MOST_RSS_MB);
    const stored = server.conversation(`zc-${id}`);
    expect(stored.map(({ role, turn_id }) => `${turn_id} ${role}`)).toEqual(
      ['turn_1', 'turn_2', 'turn_3'].flatMap((turn) => [`${turn} user`, `${turn} assistant`]),
    );
    expect(messageText(stored[2] as never)).toBe('What is in the large log?');
    expect(JSON.stringify(stored[3])).toContain('Nothing new is in the large log.');
  });
});
