/** A prompt is noted although something beside it cannot be written, and starts a worker only where there is work for one. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { handlerEnvironment } from '../../testing/handler-environment.ts';
import { createTemporaryHome, leaveWaiting, type TemporaryHome } from '../../testing/index.ts';
import { someHarness } from '../../testing/some-harness.ts';
import { homePaths } from '../fs/home-paths.ts';
import type { Bundles, HookEnvironment } from './run-hook.ts';

/** Taken by the core when it is loaded, which is why it is loaded behind this. */
const system = process.getBuiltinModule('node:fs');
const rename = system.renameSync;
let refused: RegExp | undefined;
system.renameSync = (from, to) => {
  if (refused?.test(String(to)) === true) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
  rename(from, to);
};
afterAll(() => {
  system.renameSync = rename;
});
const { handlePrompt } = await import('./handle-prompt.ts');
const { Conversation } = await import('../spool/conversation.ts');
const { pendingPrompts } = await import('../spool/journal.ts');
const { notePassedOver } = await import('../spool/passed-over.ts');
const { hasWorkHere } = await import('../spool/waiting.ts');

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
  refused = undefined;
  const plugin = { autoRecall: false };
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: 'http://127.0.0.1:9', api_key: 'k', plugin }), 0o600);
});
afterEach(() => home.remove());

function environment(): HookEnvironment {
  const record = home.write('record.jsonl', 'a line\n');
  return handlerEnvironment({ home, harness: someHarness({ transcript: { locate: () => [record] } }) });
}

/** Descriptors of this process that are open on the record. */
const openRecords = (): number =>
  system
    .readdirSync('/proc/self/fd')
    .filter((fd) => system.existsSync(`/proc/self/fd/${fd}`))
    .filter((fd) => system.readlinkSync(`/proc/self/fd/${fd}`).endsWith('record.jsonl')).length;

(process.platform === 'linux' ? describe : describe.skip)('the note of a prompt', () => {
  it('does not depend on the note that memory is on again, and leaves no file open', async () => {
    const conversation = new Conversation(homePaths(home.path).spool, 'aa-one');
    conversation.prepare();
    const until = { path: home.at('record.jsonl'), identity: '', head: '', offset: 0 };
    notePassedOver(conversation, { off: true, until });
    refused = /passed-over\.json$/u;
    const session = { nativeId: 'one', origin: 'event' } as const;
    await handlePrompt({ kind: 'prompt', session, cwd: home.path, turnId: 't1', prompt: 'What now?' }, environment());
    expect(pendingPrompts(conversation)).toMatchObject([{ turnId: 't1' }]);
    expect(JSON.parse(readFileSync(`${conversation.folder}/passed-over.json`, 'utf8'))).toMatchObject({ off: true });
    expect(openRecords()).toBe(0);
  });
});

describe('a prompt', () => {
  /** Conversations that were looked at, and whether a worker was started. */
  async function look(elsewhere: number, here: number): Promise<{ looked: number; started: boolean }> {
    const common = { harness: 'one', recordsEach: 1 };
    leaveWaiting(home, { ...common, conversations: elsewhere, sessionPrefix: 'aa-', environment: '5f3a0c11' });
    leaveWaiting(home, { ...common, conversations: here, sessionPrefix: 'ab-' });
    let [looked, started] = [0, false];
    const looking: typeof hasWorkHere = (...place) => {
      looked += 1;
      return hasWorkHere(...place);
    };
    const bundles = { loadSeldom: () => ({ hasWorkHere: looking }) } as unknown as Bundles;
    const startWorker = (): void => {
      started = true;
    };
    const session = { nativeId: `${elsewhere}-${here}`, origin: 'event' } as const;
    const event = { kind: 'prompt', session, cwd: home.path, turnId: 't1', prompt: 'What now?' } as const;
    await handlePrompt(event, { ...environment(), bundles, startWorker });
    return { looked, started };
  }

  it('starts a worker where one of a few conversations that wait has work for it', async () => {
    expect(await look(0, 0)).toEqual({ looked: 0, started: false });
    expect(await look(19, 0)).toEqual({ looked: 19, started: false });
    expect(await look(19, 1)).toMatchObject({ started: true });
  });

  it('looks at twenty of many that wait for something else, and starts none for the others', async () => {
    expect(await look(60, 0)).toEqual({ looked: 20, started: false });
  });
});
