import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { capturedTurn, messageOf } from '../../testing/captured-turn.ts';
import { messageText, startStubServer, waitUntil, type StubServer } from '../../testing/index.ts';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import { createApiClient } from '../http/api.ts';
import { requestOnce } from '../http/request.ts';
import { SILENT } from '../log/log.ts';
import type { Conversation } from './conversation.ts';
import { deadLetterNames, deadLetters } from './dead-letters.ts';
import { deliverConversation, type DeliverOutcome } from './deliver.ts';
import type { DeliverInput } from './deliver-input.ts';
import type { SpoolRecord } from './record.ts';

const SESSION = 'aa-one';
const MESSAGES = /\/messages(\/batch)?$/u;
let temporary: TemporaryConversation;
let server: StubServer;
let conversation: Conversation;
beforeEach(async () => {
  temporary = temporaryConversation(SESSION);
  ({ conversation } = temporary);
  server = await startStubServer({ apiKey: 'k' });
});
afterEach(async () => {
  await server.close();
  temporary.remove();
});

async function turn(name: string, extra: Partial<SpoolRecord> = {}): Promise<void> {
  const id = `turn-${name}`;
  const messages = (['user', 'assistant'] as const).map((role) => messageOf(role, id, `${role} ${name}`));
  await conversation.append((cursor) =>
    capturedTurn(cursor, id, messages, { commit: { keep_recent_count: 0 }, ...extra }),
  );
}

const connectionOf = (): Omit<Parameters<typeof createApiClient>[0], 'transport'> => ({
  connection: {
    baseUrl: server.url,
    mcpUrl: `${server.url}/mcp`,
    apiKey: 'k',
    authMode: 'api_key',
    extraHeaders: {},
    source: { url: 'test', apiKey: 'test' },
  },
  userAgent: 'openviking-memory-test/0.0.0',
});

/**
 * In ms; for tests in which the server leaves a message unanswered. Only messages have so little time: what else is asked is
 * answered, and a machine that is busy must not make a failure of it.
 */
const SOON = 300;
const patientWithQuestions: typeof requestOnce = (request) =>
  requestOnce(request.method === 'GET' ? { ...request, timeoutMs: 60_000 } : request);

let singleMessages = false;
function input(extra: Partial<DeliverInput> = {}): DeliverInput {
  return {
    conversation,
    client: createApiClient({ ...connectionOf(), transport: patientWithQuestions }),
    timeoutMs: 60_000,
    log: SILENT,
    harness: 'one',
    now: Date.now,
    pause: (ms) => new Promise((done) => setTimeout(done, ms)),
    capability: { singleMessages, noteSingleMessages: () => (singleMessages = true) },
    ...extra,
  };
}
beforeEach(() => {
  singleMessages = false;
});

/** Delivers, again and again as later hooks would, until nothing is left. */
async function drain(extra: Partial<DeliverInput> = {}): Promise<DeliverOutcome[]> {
  const outcomes: DeliverOutcome[] = [];
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const outcome = await deliverConversation(input(extra));
    outcomes.push(outcome);
    if (outcome.kind === 'drained') return outcomes;
    if (outcome.failure.code === 'STILL_UNDER_WAY') await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`not drained: ${JSON.stringify(outcomes.at(-1))}`);
}

/** For a fault that lasts until the test ends it. */
function held(): { readonly until: Promise<void>; release(): void } {
  let release = (): void => undefined;
  const until = new Promise<void>((done) => (release = done));
  return { until, release };
}

const said = (): string[] => server.conversation(SESSION).map((message) => messageText(message));
const pairs = (...names: string[]): string[] => names.flatMap((name) => [`user ${name}`, `assistant ${name}`]);

describe('deliverConversation', () => {
  it.each([
    ['nothing', '', []],
    ['zeros', '\0'.repeat(4096), []],
    ['half of a record', '{"version":1,"seq":2,"sess', ['000000000002-unreadable']],
  ])('goes on behind a record of which a power cut has left %s', async (_name, left, kept) => {
    await turn('a');
    writeFileSync(conversation.recordPath(2), left);
    await turn('b');
    await drain();
    expect(said()).toEqual(pairs('a', 'b'));
    expect(deadLetterNames(conversation)).toEqual(kept);
    expect(conversation.hasRecords()).toBe(false);
  });

  it('stores the turns in order, commits, and leaves the spool empty', async () => {
    await turn('a');
    await turn('b');
    await drain();
    expect(said()).toEqual(pairs('a', 'b'));
    expect(server.requestsTo('POST', /\/commit$/u).map((request) => request.body)).toEqual([{ keep_recent_count: 0 }]);
    expect(conversation.hasRecords()).toBe(false);
    expect(existsSync(join(conversation.folder, 'append.json'))).toBe(false);
    expect(conversation.deliveredCursor().cursor.turns).toHaveLength(2);
  });

  it.each([
    ['the connection is cut after storing', { kind: 'store-then-drop' }],
    ['a gateway answers 502 after storing', { kind: 'store-then-status', status: 502 }],
    ['the answer never comes', { kind: 'store-then-silence' }],
    ['the connection is cut before storing', { kind: 'drop' }],
    ['the server answers 503', { kind: 'status', status: 503 }],
    ['the answer is garbage', { kind: 'garbage' }],
    ['the answer is 200 and says error', { kind: 'error-in-ok' }],
  ] as const)('stores each message once when %s', async (_name, fault) => {
    await turn('a');
    await turn('b');
    server.misbehave({ method: 'POST', path: MESSAGES, fault, times: 2 });
    await drain({ timeoutMs: SOON });
    await turn('c');
    await drain({ timeoutMs: SOON });
    expect(said()).toEqual(pairs('a', 'b', 'c'));
  });

  it("takes no 404 of a gateway for the server's word", async () => {
    const gateway = { kind: 'status', status: 404, headers: {}, body: '<html>nothing here</html>' } as const;
    await turn('a');
    server.misbehave({ method: 'POST', path: MESSAGES, fault: { kind: 'store-then-drop' }, times: 1 });
    server.misbehave({ method: 'GET', fault: gateway, skip: 1, times: 2 });
    await drain();
    expect(said()).toEqual(pairs('a'));
    await turn('b');
    server.misbehave({ method: 'POST', path: MESSAGES, fault: gateway, times: 1 });
    await drain();
    expect(said()).toEqual(pairs('a', 'b'));
    expect(singleMessages).toBe(false);
  });

  it('does not send again what a server stores only after the client has given up on it', async () => {
    await turn('a');
    const { until, release } = held();
    server.misbehave({ method: 'POST', path: MESSAGES, fault: { kind: 'held', until }, times: 1 });
    expect(await deliverConversation(input({ timeoutMs: SOON }))).toMatchObject({
      kind: 'stopped',
      failure: { code: 'TIMEOUT' },
    });
    expect(said()).toEqual([]);
    release();
    await server.untilMessages(SESSION, 2);
    await drain();
    expect(said()).toEqual(pairs('a'));
  });

  it('does not send a record whose number has been delivered: its hook was killed before it could take it back', async () => {
    await turn('a');
    const stale = readFileSync(conversation.recordPath(1), 'utf8').replaceAll('turn-a', 'turn-stale');
    await drain();
    const { cursor } = conversation.deliveredCursor();
    for (const append of [undefined, { baseUrl: server.url, firstSeq: 1, lastSeq: 1, settled: 2, stored: true }]) {
      writeFileSync(conversation.recordPath(1), stale);
      if (append !== undefined) writeFileSync(join(conversation.folder, 'append.json'), JSON.stringify(append));
      await drain();
      expect(conversation.hasRecords()).toBe(false);
      expect(conversation.deliveredCursor()).toEqual({ seq: 1, cursor });
    }
    await turn('b');
    await drain();
    expect(said()).toEqual(pairs('a', 'b'));
  });

  it('sends only the rest of a batch that failed in its middle', async () => {
    await turn('a');
    await turn('b');
    server.misbehave({ method: 'POST', path: MESSAGES, fault: { kind: 'store-part', messages: 3 }, times: 1 });
    await drain();
    expect(said()).toEqual(pairs('a', 'b'));
  });

  it('sends one by one where the server has no batch route, and finds out by turn id what an old server has', async () => {
    await server.close();
    server = await startStubServer({ apiKey: 'k', generation: 'old' });
    await turn('a');
    await turn('b');
    server.misbehave({ method: 'POST', path: /\/messages$/u, fault: { kind: 'store-then-drop' }, skip: 1, times: 1 });
    await drain();
    expect(said()).toEqual(pairs('a', 'b'));
    expect(singleMessages).toBe(true);
  });

  it('puts one refused message aside with the reason and delivers the others', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await turn(name);
    const path = conversation.recordPath(3);
    const record = JSON.parse(readFileSync(path, 'utf8')) as { messages: { parts: unknown[] }[] };
    (record.messages[0] as { parts: unknown[] }).parts = [{ type: 'no such part' }];
    writeFileSync(path, JSON.stringify(record));
    await drain();
    expect(said()).toEqual([...pairs('a', 'b'), 'assistant c', ...pairs('d', 'e')]);
    expect(deadLetters(conversation)).toBe(1);
    const [dead] = readdirSync(conversation.dead);
    expect(JSON.parse(readFileSync(join(conversation.dead, String(dead)), 'utf8'))).toMatchObject({
      reason: { status: 422 },
      message: { turn_id: 'turn-c' },
    });
  });

  it('keeps everything when the address belongs to something that is no OpenViking server', async () => {
    await turn('a');
    server.misbehave({
      fault: { kind: 'status', status: 404, headers: {}, body: '<html>nothing here</html>' },
      times: 4,
    });
    expect(await deliverConversation(input())).toMatchObject({ kind: 'stopped', failure: { foreign: true } });
    expect(conversation.hasRecords()).toBe(true);
    server.behave();
    await drain();
    expect(said()).toEqual(pairs('a'));
    expect(deadLetters(conversation)).toBe(0);
  });

  it('stops at refused credentials and goes on when they are right', async () => {
    await turn('a');
    server.setApiKey('another');
    expect(await deliverConversation(input())).toMatchObject({ kind: 'stopped', failure: { class: 'blocked' } });
    server.setApiKey('k');
    await drain();
    expect(said()).toEqual(pairs('a'));
  });

  it('retries a failed commit with its options, and does not send the messages again for it', async () => {
    await turn('a');
    server.misbehave({ path: /\/commit$/u, fault: { kind: 'status', status: 503 }, times: 1 });
    await drain();
    expect(server.requestsTo('POST', MESSAGES)).toHaveLength(1);
    expect(server.requestsTo('POST', /\/commit$/u).map((request) => request.body)).toEqual([
      { keep_recent_count: 0 },
      { keep_recent_count: 0 },
    ]);
  });

  describe('when the server refuses to commit', () => {
    const refusal = (status: number, code = 'FAILED_PRECONDITION') =>
      ({
        kind: 'status',
        status,
        body: JSON.stringify({ status: 'error', error: { code, message: 'an earlier archive failed' } }),
      }) as const;
    const COMMIT = /\/commit$/u;
    const open = () => conversation.deliveredCursor().cursor.open;

    it.each([
      [409, 'CONFLICT'],
      [412, 'FAILED_PRECONDITION'],
      [400, 'INVALID_ARGUMENT'],
      [422, 'VALIDATION'],
    ])('with %i, the messages are stored once and the conversation stays open', async (status, code) => {
      server.misbehave({ path: COMMIT, fault: refusal(status, code) });
      await turn('a', { peer: 'here' });
      expect(await drain()).toHaveLength(1);
      expect(said()).toEqual(pairs('a'));
      expect(server.requestsTo('POST', COMMIT)).toHaveLength(1);
      expect(open()).toEqual({ peer: 'here', refused: `${status} ${code}` });
    });

    it('no turn behind it waits, and the first commit that is carried out ends it', async () => {
      const behave = server.misbehave({ path: COMMIT, fault: refusal(412) });
      await turn('a');
      await turn('b', { commit: { keep_recent_count: 1 } });
      await drain();
      expect(said()).toEqual(pairs('a', 'b'));
      expect(server.requestsTo('POST', COMMIT)).toHaveLength(2);
      // A record that asks for no commit says nothing about it.
      await conversation.append((cursor) => ({
        harness: 'one',
        nativeId: 'one',
        createdAt: '2026-01-01T00:00:00.000Z',
        messages: [],
        cursor,
      }));
      await drain();
      expect(open()).toEqual({ refused: '412 FAILED_PRECONDITION' });
      behave();
      await turn('c', { peer: 'there' });
      await drain();
      expect(open()).toEqual({});
      expect(server.store.sessions.get(SESSION)?.archived).toHaveLength(6);
    });

    it('a session that the server no longer has is none that could be committed', async () => {
      server.misbehave({ path: COMMIT, fault: refusal(404, 'NOT_FOUND') });
      await turn('a');
      await drain();
      expect(open()).toBeUndefined();
    });
  });

  it('sends 250 messages in order and in bounded requests', async () => {
    const names = Array.from({ length: 125 }, (_, index) => `n${index}`);
    for (const name of names) await turn(name);
    await drain();
    expect(said()).toEqual(pairs(...names));
    for (const request of server.requestsTo('POST', MESSAGES))
      expect((request.body as { messages: unknown[] }).messages.length).toBeLessThanOrEqual(100);
  });

  it('does not send again what a killed worker has sent and the server is still storing', async () => {
    await turn('a');
    const { until, release } = held();
    const stop = server.misbehave({ method: 'POST', path: MESSAGES, fault: { kind: 'held', until }, times: 1 });
    // The worker dies while it waits: its request goes on, its note stays.
    const killed = createApiClient({
      ...connectionOf(),
      transport: (request) =>
        request.method === 'POST' ? (void requestOnce(request), new Promise(() => undefined)) : requestOnce(request),
    });
    void deliverConversation(input({ client: killed }));
    await waitUntil('the request', () => server.requestsTo('POST', MESSAGES).length > 0);
    stop();
    await turn('b');
    expect(await deliverConversation(input())).toMatchObject({
      kind: 'stopped',
      failure: { code: 'STILL_UNDER_WAY' },
    });
    release();
    await server.untilMessages(SESSION, 2);
    await drain();
    expect(said()).toEqual(pairs('a', 'b'));
  });

  it('sends it again once it can no longer arrive', async () => {
    await turn('a');
    server.misbehave({ method: 'POST', path: MESSAGES, fault: { kind: 'silence' }, times: 1 });
    let clock = Date.now();
    const impatient = { timeoutMs: SOON, now: () => clock };
    expect(await deliverConversation(input(impatient))).toMatchObject({
      kind: 'stopped',
      failure: { code: 'TIMEOUT' },
    });
    clock += SOON - 1;
    expect(await deliverConversation(input(impatient))).toMatchObject({ failure: { code: 'STILL_UNDER_WAY' } });
    clock += 1;
    expect(await deliverConversation(input({ now: () => clock }))).toMatchObject({ kind: 'drained' });
    expect(said()).toEqual(pairs('a'));
  });

  it('waits for the fuller form of a held turn, and sends the short one when it does not come', async () => {
    let clock = Date.now();
    const waiting = { now: () => clock, pause: async (ms: number) => void (clock += ms) };
    await turn('a', { heldUntil: clock + 200, held: { turnId: 'turn-a', cwd: '/' } });
    let looks = 0;
    await drain({
      ...waiting,
      complete: (record) => {
        looks += 1;
        if (looks < 3) return undefined;
        const { heldUntil: _until, held: _held, ...rest } = record;
        return {
          ...rest,
          messages: [
            ...record.messages.slice(0, 1),
            {
              ...(record.messages[1] as SpoolRecord['messages'][number]),
              parts: [{ type: 'text', text: 'all of it' }],
            },
          ],
        };
      },
    });
    expect(said()).toEqual(['user a', 'all of it']);
    const heldUntil = clock + 100;
    await turn('b', { heldUntil, held: { turnId: 'turn-b', cwd: '/' } });
    await drain({ ...waiting, complete: () => undefined });
    expect(clock).toBe(heldUntil);
    expect(said().slice(2)).toEqual(pairs('b'));
  });
});

describe('a program that is no OpenViking server', () => {
  it.each([
    '{}',
    '{"status":"up"}',
    '{"status":200}',
    '{"result":{}}',
    '{"status":"ok"}',
    '{"detail":"x"}',
    '{"code":401}',
  ])('has stored nothing although it answers 200 and %s', async (body) => {
    await turn('a');
    const behave = server.misbehave({ fault: { kind: 'status', status: 200, body } });
    expect(await deliverConversation(input())).toMatchObject({ kind: 'stopped', failure: { foreign: true } });
    expect(conversation.hasRecords()).toBe(true);
    behave();
    await drain();
    expect(said()).toEqual(pairs('a'));
  });
});
