/** `skipSubagentSessions`: whatever a subagent's hooks are told, nothing of it is kept and nobody is asked. */
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { handlerEnvironment } from '../../testing/handler-environment.ts';
import { createTemporaryHome, startStubServer, type StubServer, type TemporaryHome } from '../../testing/index.ts';
import { someHarness } from '../../testing/some-harness.ts';
import type { HookEvent } from '../contract/event.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { homePaths } from '../fs/home-paths.ts';
import { Conversation } from '../spool/conversation.ts';
import { pendingPrompts } from '../spool/journal.ts';
import { handleAnswer } from './handle-answer.ts';
import { handlePreCompact } from './handle-pre-compact.ts';
import { handlePrompt } from './handle-prompt.ts';
import { handleSessionEnd } from './handle-session-end.ts';
import { handleSessionStart } from './handle-session-start.ts';
import { handleTurnEnd } from './handle-turn-end.ts';
import type { HookEnvironment } from './run-hook.ts';
import * as seldom from './seldom.ts';

let home: TemporaryHome;
let server: StubServer;
let workers: (readonly string[])[];
beforeEach(async () => {
  server = await startStubServer({ apiKey: 'k' });
  home = createTemporaryHome();
  workers = [];
});
afterEach(async () => {
  await server.close();
  home.remove();
});

function configure(plugin: Readonly<Record<string, unknown>>): void {
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k', plugin }), 0o600);
}

function environment(): HookEnvironment {
  return handlerEnvironment({
    home,
    harness: someHarness(),
    seldom,
    startWorker: (args) => void workers.push(args),
  });
}

const SUBAGENT = { nativeId: 'one', origin: 'event', subagent: { id: 'two', type: 'explore' } } as const;
const base = () => ({ session: SUBAGENT, cwd: home.path, turnId: 't1' });
const HANDLERS: Readonly<Record<string, () => Reply | Promise<Reply>>> = {
  'session-start': () => handleSessionStart({ kind: 'session-start', ...base(), source: 'startup' }, environment()),
  prompt: () => handlePrompt({ kind: 'prompt', ...base(), prompt: 'Look into the parser.' }, environment()),
  answer: () => handleAnswer({ kind: 'answer', ...base(), text: 'It drops a token.' }, environment()),
  'turn-end': () => handleTurnEnd({ kind: 'turn-end', ...base(), answer: 'It drops a token.' }, environment()),
  'pre-compact': () => handlePreCompact({ kind: 'pre-compact', ...base() }, environment()),
  'session-end': () => handleSessionEnd({ kind: 'session-end', ...base() }, environment()),
} satisfies Partial<Record<HookEvent['kind'], unknown>>;

describe('a subagent that is left out', () => {
  const conversation = () => new Conversation(homePaths(home.path).spool, 'aa-one__subagent-two');

  it.each(Object.keys(HANDLERS))('gets nothing and leaves nothing at its %s', async (kind) => {
    configure({ skipSubagentSessions: true });
    expect(await HANDLERS[kind]?.()).toBe(NOTHING);
    expect(existsSync(conversation().folder)).toBe(false);
    expect(server.requests).toEqual([]);
    expect(workers).toEqual([]);
  });

  it('is kept where the user does not say so', async () => {
    configure({});
    new Conversation(homePaths(home.path).spool, 'aa-one').prepare();
    await HANDLERS['prompt']?.();
    await HANDLERS['answer']?.();
    expect(pendingPrompts(conversation())).toMatchObject([{ text: 'Look into the parser.' }]);
    expect(server.requests.length).toBeGreaterThan(0);
    await HANDLERS['turn-end']?.();
    expect(conversation().sequence()).not.toEqual([]);
  });

  it('is told nothing for what was noted before the user said so', async () => {
    configure({});
    await HANDLERS['prompt']?.();
    configure({ skipSubagentSessions: true });
    expect(await HANDLERS['answer']?.()).toBe(NOTHING);
    expect(pendingPrompts(conversation())[0]?.answers ?? []).toEqual([]);
  });
});
