import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { capturedTurn, messageOf } from '../../testing/captured-turn.ts';
import { startStubServer, type StubServer } from '../../testing/index.ts';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import { createApiClient } from '../http/api.ts';
import { requestOnce } from '../http/request.ts';
import { SILENT } from '../log/log.ts';
import type { Conversation } from './conversation.ts';
import { deliverConversation, type DeliverOutcome } from './deliver.ts';
import type { SpoolRecord } from './record.ts';

const COMMIT = /\/commit$/u;
let temporary: TemporaryConversation;
let server: StubServer;
let conversation: Conversation;
beforeEach(async () => {
  temporary = temporaryConversation();
  ({ conversation } = temporary);
  server = await startStubServer({ apiKey: 'k' });
});
afterEach(async () => {
  await server.close();
  temporary.remove();
});

async function turn(name: string, characters: number, extra: Partial<SpoolRecord> = {}): Promise<void> {
  const messages = [messageOf('user', name, name.padEnd(characters, '.'))];
  const commitAbove = { keep_recent_count: 1, pendingTokens: 1_000 };
  await conversation.append((cursor) => capturedTurn(cursor, name, messages, { commitAbove, ...extra }));
}

function deliver(): Promise<DeliverOutcome> {
  const connection = {
    baseUrl: server.url,
    mcpUrl: `${server.url}/mcp`,
    apiKey: 'k',
    authMode: 'api_key',
    extraHeaders: {},
    source: { url: 'test', apiKey: 'test' },
  } as const;
  return deliverConversation({
    conversation,
    client: createApiClient({ connection, userAgent: 'test/0', transport: requestOnce }),
    timeoutMs: 60_000,
    log: SILENT,
    harness: 'one',
    now: Date.now,
    pause: () => Promise.resolve(),
    capability: { singleMessages: false, noteSingleMessages: () => undefined },
  });
}

const commits = (): unknown[] => server.requestsTo('POST', COMMIT).map((request) => request.body);
const archived = (): number | undefined => server.store.sessions.get('aa-one')?.archived.length;

describe('a commit by tokens', () => {
  it('comes when enough has gathered, over however many deliveries, and not before', async () => {
    for (const name of ['a', 'b', 'c']) {
      await turn(name, 1_200);
      await deliver();
    }
    expect(commits()).toEqual([]);
    await turn('d', 1_200);
    await deliver();
    expect(commits()).toEqual([{ keep_recent_count: 1 }]);
    expect(archived()).toBe(3);
    await turn('e', 1_200);
    await deliver();
    expect(commits()).toHaveLength(1);
  });

  it('is not repeated by the worker that finds it carried out and not noted', async () => {
    await turn('a', 2_500);
    await turn('b', 2_500);
    server.misbehave({ method: 'POST', path: COMMIT, fault: { kind: 'store-then-drop' }, times: 1 });
    expect(await deliver()).toMatchObject({ kind: 'stopped' });
    expect(archived()).toBe(1);
    // Killed between commit and cursor: the records are there, the messages are stored.
    expect(conversation.sequence()).toEqual([1, 2]);
    expect(await deliver()).toMatchObject({ kind: 'drained' });
    expect(commits()).toHaveLength(1);
    expect(server.conversation('aa-one')).toHaveLength(2);
  });

  it.each([
    ['the question', { method: 'GET', skip: 1 }],
    ['the commit', { method: 'POST', path: COMMIT }],
  ] as const)('is made up for when %s fails, and no message is sent again', async (_what, where) => {
    await turn('a', 5_000);
    await turn('b', 100);
    server.misbehave({ ...where, fault: { kind: 'status', status: 503 }, times: 1 });
    expect(await deliver()).toMatchObject({ kind: 'stopped' });
    expect(archived()).toBe(0);
    expect(await deliver()).toMatchObject({ kind: 'drained' });
    expect(archived()).toBe(1);
    expect(server.conversation('aa-one')).toHaveLength(2);
  });

  it('gives way to a commit that is due anyway, which takes the turns before it along in one go', async () => {
    await turn('a', 5_000);
    await turn('b', 100);
    await turn('c', 0, { messages: [], commit: { keep_recent_count: 0 } });
    await deliver();
    expect(commits()).toEqual([{ keep_recent_count: 0 }]);
    expect(server.requestsTo('POST', /\/messages\/batch$/u)).toHaveLength(1);
    expect(archived()).toBe(2);
  });
});
