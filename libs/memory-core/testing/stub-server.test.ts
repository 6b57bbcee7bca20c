/** The stub decides whether a turn counts as lost or doubled, so its counting and its faults are proved first. */
import { request } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startStubServer } from './stub-server.ts';
import type { StubServer } from './stub-server.ts';
import { messageText } from './stub/store.ts';

let server: StubServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(options: Parameters<typeof startStubServer>[0] = {}): Promise<StubServer> {
  server = await startStubServer(options);
  return server;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly result: Readonly<Record<string, unknown>>;
}

function call(to: StubServer, method: string, path: string, body?: unknown, key?: string): Promise<Answer> {
  return new Promise((done, failed) => {
    const outgoing = request(
      `${to.url}${path}`,
      { method, agent: false, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (text += chunk));
        incoming.on('end', () => {
          let result: Record<string, unknown> = {};
          try {
            result = (JSON.parse(text) as { result?: Record<string, unknown> }).result ?? {};
          } catch {
            // Not every fault answers with JSON.
          }
          done({ status: incoming.statusCode ?? 0, text, result });
        });
        incoming.on('error', failed);
      },
    );
    outgoing.on('error', failed);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const message = (text: string): object => ({ role: 'user', parts: [{ type: 'text', text }], turn_id: 't1' });
const SESSION = '/api/v1/sessions/zc-1';

describe('stub server', () => {
  it('counts archived and live messages, and makes a memory of what was archived', async () => {
    const stub = await start();
    await call(stub, 'POST', `${SESSION}/messages/batch`, { messages: [message('we use pnpm'), message('two')] });
    await call(stub, 'POST', `${SESSION}/messages`, { role: 'assistant', content: 'three' });
    expect((await call(stub, 'POST', `${SESSION}/commit`, { keep_recent_count: 1 })).result['status']).toBe('accepted');
    expect((await call(stub, 'GET', `${SESSION}?auto_create=false`)).result).toMatchObject({
      message_count: 1,
      total_message_count: 3,
      commit_count: 1,
    });
    expect(stub.conversation('zc-1').map(messageText)).toEqual(['we use pnpm', 'two', 'three']);
    const search = { query: 'which pnpm version?', mode: 'context', purpose: 'coding', score_threshold: 0.35 };
    expect(String((await call(stub, 'POST', '/api/v1/search/search', search)).result['rendered'])).toContain('pnpm');
    const other = { ...search, query: 'weather tomorrow' };
    expect((await call(stub, 'POST', '/api/v1/search/search', other)).result['rendered']).toBe('');
  });

  it.each<[string, string, string, unknown, number]>([
    ['an unknown field in a message', 'POST', `${SESSION}/messages`, { role: 'user', content: 'x', id: 1 }, 422],
    ['neither content nor parts', 'POST', `${SESSION}/messages`, { role: 'user' }, 422],
    [
      'a tool input that is no object',
      'POST',
      `${SESSION}/messages`,
      { role: 'user', parts: [{ type: 'tool', tool_input: 'x' }] },
      422,
    ],
    ['a lone surrogate', 'POST', `${SESSION}/messages`, { role: 'user', content: '\ud83d' }, 422],
    ['101 messages', 'POST', `${SESSION}/messages/batch`, { messages: Array(101).fill(message('x')) }, 422],
    ['an unknown policy field', 'POST', '/api/v1/sessions', { auto_commit_policy: { idle: 1 } }, 422],
    [
      'a target in context mode',
      'POST',
      '/api/v1/search/search',
      { query: 'x', mode: 'context', target_uri: 'viking://' },
      400,
    ],
    ['an unknown session', 'GET', '/api/v1/sessions/nobody?auto_create=false', undefined, 404],
  ])('refuses %s', async (_what, method, path, body, status) => {
    expect((await call(await start(), method, path, body)).status).toBe(status);
  });

  it('demands the key, and plays an old server', async () => {
    const stub = await start({ apiKey: 'right', generation: 'old' });
    expect((await call(stub, 'GET', '/api/v1/system/status', undefined, 'wrong')).status).toBe(401);
    expect((await call(stub, 'GET', '/health')).status).toBe(200);
    expect((await call(stub, 'POST', `${SESSION}/messages/batch`, { messages: [message('x')] }, 'right')).status).toBe(
      404,
    );
    const search = { query: 'x', mode: 'context', purpose: 'coding' };
    expect((await call(stub, 'POST', '/api/v1/search/search', search, 'right')).status).toBe(400);
    await call(stub, 'POST', `${SESSION}/messages`, message('x'), 'right');
    expect((await call(stub, 'GET', SESSION, undefined, 'right')).result).not.toHaveProperty('total_message_count');
  });

  it('stores and then drops, so that the client cannot know', async () => {
    const stub = await start();
    stub.misbehave({ path: /\/messages/, fault: { kind: 'store-then-drop' }, times: 1 });
    await expect(call(stub, 'POST', `${SESSION}/messages`, message('kept'))).rejects.toThrow('socket hang up');
    expect(stub.conversation('zc-1').map(messageText)).toEqual(['kept']);
    expect((await call(stub, 'POST', `${SESSION}/messages`, message('next'))).status).toBe(200);
    expect(stub.requests.map((seen) => seen.outcome)).toEqual(['store-then-drop', 200]);
  });

  it('applies a fault to the requests it names, after those it lets pass, as often as told', async () => {
    const stub = await start();
    stub.misbehave({
      method: 'POST',
      path: /commit/,
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
      skip: 1,
      times: 1,
    });
    await call(stub, 'POST', `${SESSION}/messages`, message('x'));
    const statuses = [];
    for (let count = 0; count < 3; count += 1)
      statuses.push((await call(stub, 'POST', `${SESSION}/commit`, {})).status);
    expect(statuses).toEqual([200, 429, 200]);
  });

  it('goes down, forgets nothing, and comes back on the same port', async () => {
    const stub = await start();
    await call(stub, 'POST', `${SESSION}/messages`, message('x'));
    await stub.goDown();
    await expect(call(stub, 'GET', '/health')).rejects.toThrow('ECONNREFUSED');
    await stub.comeBack();
    expect((await call(stub, 'GET', SESSION)).result['total_message_count']).toBe(1);
  });

  it('answers too much, too slowly, with garbage, or not at all', async () => {
    const stub = await start();
    const remove = stub.misbehave({ fault: { kind: 'garbage' } });
    expect((await call(stub, 'GET', '/health')).text).toContain('not what you asked for');
    remove();
    stub.misbehave({ fault: { kind: 'huge-body', bytes: 3_000_000 }, times: 1 });
    expect((await call(stub, 'GET', '/health')).text).toHaveLength(3_000_000);
    stub.misbehave({ fault: { kind: 'slow-bytes', ms: 2 }, times: 1 });
    const before = performance.now();
    const slow = await call(stub, 'GET', '/health');
    expect(performance.now() - before).toBeGreaterThan(slow.text.length);
    stub.misbehave({ fault: { kind: 'silence' }, times: 1 });
    const silent = call(stub, 'GET', '/health').catch((error: Error) => error.message);
    const answered = await Promise.race([silent, new Promise((done) => setTimeout(done, 200, 'nothing yet'))]);
    expect(answered).toBe('nothing yet');
    await stub.goDown();
    expect(await silent).toBe('socket hang up');
  });
});
