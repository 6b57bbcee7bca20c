import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { waitUntil } from '../../testing/wait-until.ts';
import { errorOf, textOf, type Json } from '../../testing/mcp/proxy-process.ts';
import { initializeAnswer, shakeHands } from '../../testing/mcp/raw-server.ts';
import { startSdkServer, type SdkServer } from '../../testing/mcp/sdk-server.ts';
import { Workshop } from '../../testing/mcp/workshop.ts';
import { createMcpProxy } from './proxy.ts';

let shop: Workshop;
beforeAll(async () => {
  shop = await Workshop.open();
});
afterEach(() => shop.endTest());
afterAll(() => shop.close());

const QUICK = {
  pollMs: [50],
  refusedKeyPollMs: 50,
  refusedRetryMs: [20],
  failureFreshMs: 100,
  reconnectMs: 20,
};
/** For a server that never says a word. */
const IMPATIENT = { ...QUICK, handshakeMs: 700 };
const result = (body: Json, value: unknown): Json => ({ jsonrpc: '2.0', id: body['id'], result: value });

describe('a lost session', () => {
  it('after a restart of the server is opened again once, and the requests are replayed', async () => {
    const server = await shop.sdkServer({ sessions: true });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    expect(textOf(await proxy.callTool(1, 'echo', { text: 'before' }))).toBe('before');
    await server.stop();
    const again = await shop.sdkServer({ sessions: true, port: server.port });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => proxy.callTool(10 + index, 'echo', { text: `after ${index}` })),
    );
    expect(answers.map(textOf)).toEqual(Array.from({ length: 10 }, (_, index) => `after ${index}`));
    const posts = again.seen.filter(({ httpMethod }) => httpMethod === 'POST').map(({ method }) => method);
    expect(posts.filter((method) => method === 'initialize')).toHaveLength(1);
    expect(posts.filter((method) => method === 'notifications/initialized')).toHaveLength(1);
    expect(proxy.unread).toEqual([]);
  });

  it('is opened again with what the client said, under the version that was negotiated', async () => {
    const openings: Json[] = [];
    let lost = false;
    const server = await shop.rawServer((exchange) => {
      if (exchange.body['method'] === 'initialize') openings.push(exchange.body);
      if (shakeHands(exchange, `s${openings.length}`)) return;
      if (!lost) {
        lost = true;
        exchange.status(404);
      } else exchange.json(result(exchange.body, exchange.request.headers['mcp-session-id']));
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    expect((await proxy.request(1, 'tools/call'))['result']).toBe('s2');
    expect(openings[1]?.['params']).toEqual(openings[0]?.['params']);
    expect(openings[1]?.['id']).not.toBe(openings[0]?.['id']);
  });

  it.each([
    [404, undefined],
    [404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }],
    [400, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: No valid session ID provided' } }],
    [410, { detail: 'the Session has expired' }],
  ])('shows as HTTP %i %j', async (status, body) => {
    let sessions = 0;
    const server = await shop.rawServer((exchange) => {
      if (exchange.body['method'] === 'initialize') sessions++;
      if (shakeHands(exchange, `s${sessions}`)) return;
      if (exchange.request.headers['mcp-session-id'] === 's1') exchange.status(status, body);
      else exchange.json(result(exchange.body, { tools: [] }));
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    const answers = await Promise.all([1, 2, 3].map((id) => proxy.request(id, 'tools/list')));
    expect(answers.map((answer) => answer['result'])).toEqual([{ tools: [] }, { tools: [] }, { tools: [] }]);
    expect(sessions).toBe(2);
  });

  it('that is lost again at once is an error, not a loop', async () => {
    const server = await shop.rawServer((exchange) => {
      if (!shakeHands(exchange, 's')) exchange.status(404, { detail: 'gone' });
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    expect(errorOf(await proxy.request(1, 'tools/list')).message).toContain('HTTP 404: gone');
    expect(server.methods.filter((method) => method === 'initialize')).toHaveLength(2);
  });

  it('is not what a 400 about something else means', async () => {
    const server = await shop.rawServer((exchange) => {
      if (!shakeHands(exchange, 's')) {
        exchange.status(400, { jsonrpc: '2.0', id: null, error: { code: -32602, message: 'bad params', data: 1 } });
      }
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    expect(await proxy.request(1, 'tools/list')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: 'bad params', data: 1 },
    });
    expect(server.methods.filter((method) => method === 'initialize')).toHaveLength(1);
  });
});

describe('credentials', () => {
  it('that were refused are read again: a corrected file works at the next call', async () => {
    const server = await shop.sdkServer({ sessions: true, key: 'right' });
    const file = shop.settings({ mcpUrl: server.url, apiKey: 'right', timing: QUICK }, 'keys.json');
    const proxy = shop.proxy(file);
    await proxy.handshake();
    shop.settings({ mcpUrl: server.url, apiKey: 'wrong-secret' }, 'keys.json');
    const refused = errorOf(await proxy.callTool(1, 'echo', { text: 'x' }));
    expect(refused.message).toContain('HTTP 401: bad key Check the API key; it comes from the test file.');
    expect(refused.data).toMatchObject({ code: 'mcp/credentials-refused', status: 401 });
    shop.settings({ mcpUrl: server.url, apiKey: 'right' }, 'keys.json');
    expect(textOf(await proxy.callTool(2, 'echo', { text: 'y' }))).toBe('y');
    expect(proxy.stdout + proxy.stderr).not.toContain('wrong-secret');
  });

  it('that change during the call are used for its replay', async () => {
    const keys: unknown[] = [];
    const server = await shop.rawServer((exchange) => {
      if (shakeHands(exchange)) return;
      keys.push(exchange.request.headers.authorization);
      if (keys.length > 1) return exchange.json(result(exchange.body, 1));
      shop.settings({ mcpUrl: server.url, apiKey: 'new' }, 'rotated.json');
      exchange.status(403);
    });
    const proxy = shop.proxy(shop.settings({ mcpUrl: server.url, apiKey: 'old' }, 'rotated.json'));
    await proxy.handshake();
    expect((await proxy.request(1, 'tools/call'))['result']).toBe(1);
    expect(keys).toEqual(['Bearer old', 'Bearer new']);
  });

  it('that stay wrong are not sent again and again', async () => {
    const server = await shop.rawServer((exchange) => {
      if (!shakeHands(exchange)) exchange.status(401, { detail: 'key k-secret unknown' });
    });
    const proxy = shop.proxy({ mcpUrl: server.url, apiKey: 'k-secret' });
    await proxy.handshake();
    const { message } = errorOf(await proxy.request(1, 'tools/call'));
    expect(message).toContain('key *** unknown');
    expect(server.methods.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('of another server open a session there', async () => {
    const first = await shop.sdkServer({ sessions: true });
    const second = await shop.sdkServer({ sessions: true });
    const proxy = shop.proxy(shop.settings({ mcpUrl: first.url }, 'moved.json'));
    await proxy.handshake();
    shop.settings({ mcpUrl: second.url }, 'moved.json');
    expect(textOf(await proxy.callTool(1, 'echo', { text: 'there' }))).toBe('there');
    expect(second.seen.map(({ method }) => method).filter((method) => method === 'initialize')).toHaveLength(1);
    expect(proxy.stderr).toContain('settings changed: URL from the test file');
  });
});

describe('a server that is down at start', () => {
  it('does not fail the handshake; its tools are announced when it is back', async () => {
    const gone = await shop.sdkServer({ sessions: true });
    await gone.stop();
    const proxy = shop.proxy({ mcpUrl: gone.url, timing: QUICK });
    const answer = (await proxy.handshake('2025-03-26'))['result'] as Json;
    expect(answer).toMatchObject({ protocolVersion: '2025-03-26', capabilities: { tools: { listChanged: true } } });
    expect(answer['instructions']).toContain('does not accept connections (ECONNREFUSED). Check that the OpenViking');
    expect(await proxy.request(1, 'tools/list')).toEqual({ jsonrpc: '2.0', id: 1, result: { tools: [] } });
    expect(await proxy.request(2, 'ping')).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
    const refused = errorOf(await proxy.callTool(3, 'echo', { text: 'x' }));
    expect(refused.data).toMatchObject({ code: 'mcp/unreachable' });
    await shop.sdkServer({ sessions: true, port: gone.port });
    await proxy.receive((message) => message['method'] === 'notifications/tools/list_changed');
    const tools = (await proxy.request(4, 'tools/list'))['result'] as { tools: unknown[] };
    expect(tools.tools).toHaveLength(6);
    expect(textOf(await proxy.callTool(5, 'echo', { text: 'back' }))).toBe('back');
    expect(proxy.unread).toEqual([]);
  });

  it('is noticed by a call before it is polled for', async () => {
    const gone = await shop.sdkServer({ sessions: false });
    await gone.stop();
    const proxy = shop.proxy({ mcpUrl: gone.url, timing: { ...QUICK, pollMs: [60_000], failureFreshMs: 0 } });
    await proxy.handshake();
    await shop.sdkServer({ sessions: false, port: gone.port });
    const tools = (await proxy.request(1, 'tools/list'))['result'] as { tools: unknown[] };
    expect(tools.tools).toHaveLength(6);
    await proxy.receive((message) => message['method'] === 'notifications/tools/list_changed');
  });

  it('or refuses the key is not asked again with that key, but at once with another', async () => {
    const server = await shop.sdkServer({ sessions: false, key: 'right' });
    const timing = { ...QUICK, refusedKeyPollMs: 60_000 };
    const proxy = shop.proxy(shop.settings({ mcpUrl: server.url, apiKey: 'wrong', timing }, 'refused.json'));
    expect(JSON.stringify(await proxy.handshake())).toContain('Check the API key; it comes from the test file.');
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(server.seen).toHaveLength(1);
    shop.settings({ mcpUrl: server.url, apiKey: 'right', timing }, 'refused.json');
    await proxy.receive((message) => message['method'] === 'notifications/tools/list_changed');
    expect(((await proxy.request(1, 'tools/list'))['result'] as { tools: unknown[] }).tools).toHaveLength(6);
  });

  it('on this machine is started, once for all who notice', async () => {
    const gone = await shop.sdkServer({ sessions: true });
    await gone.stop();
    let server: SdkServer | undefined;
    let starts = 0;
    const input = new PassThrough();
    const output = new PassThrough();
    const connection = {
      baseUrl: '',
      mcpUrl: gone.url,
      authMode: 'api_key' as const,
      extraHeaders: {},
      source: { url: 'a test', apiKey: 'a test' },
    };
    const proxy = createMcpProxy({
      input,
      output,
      connection: () => connection,
      credentialFingerprint: () => '',
      userAgent: 'test/1',
      log: () => undefined,
      startLocalServer: async () => {
        starts++;
        server = await shop.sdkServer({ sessions: true, port: gone.port });
        return true;
      },
    });
    const answers: Json[] = [];
    createInterface({ input: output }).on('line', (line) => void answers.push(JSON.parse(line) as Json));
    const say = (message: Json): void => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'test', version: '1' };
    say({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
    await waitUntil('the handshake', () => answers.length === 1);
    say({ method: 'notifications/initialized' });
    await server?.stop();
    for (const id of [1, 2, 3]) say({ id, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } });
    await waitUntil('the answers', () => answers.length === 4);
    expect(answers.slice(1).map(textOf)).toEqual(['x', 'x', 'x']);
    expect(starts).toBe(2);
    input.end();
    await proxy.done;
  });

  it.each(['silent', 'broken', 'not MCP', 'refusing the key'])('or %s is treated the same', async (kind) => {
    let ill = true;
    const server = await shop.rawServer((exchange) => {
      const { response } = exchange;
      if (!ill) {
        if (!shakeHands(exchange)) exchange.json(result(exchange.body, { tools: [{ name: 'find' }] }));
      } else if (kind === 'broken') response.destroy();
      else if (kind === 'refusing the key') exchange.status(401);
      else if (kind === 'not MCP') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    });
    const proxy = shop.proxy({ mcpUrl: server.url, timing: kind === 'silent' ? IMPATIENT : QUICK });
    expect((await proxy.handshake())['result']).toMatchObject({ serverInfo: { name: 'openviking' } });
    expect((await proxy.request(1, 'tools/list'))['result']).toEqual({ tools: [] });
    ill = false;
    await proxy.receive((message) => message['method'] === 'notifications/tools/list_changed');
    expect((await proxy.request(2, 'tools/list'))['result']).toEqual({ tools: [{ name: 'find' }] });
  });
});

describe('a connection that fails', () => {
  it('by refusal is tried again while the server restarts', async () => {
    const server = await shop.sdkServer({ sessions: false });
    const proxy = shop.proxy({ mcpUrl: server.url, timing: { refusedRetryMs: Array<number>(100).fill(400) } });
    await proxy.handshake();
    await server.stop();
    const answer = proxy.callTool(1, 'echo', { text: 'patience' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const again = await startSdkServer({ sessions: false, port: server.port });
    shop.after(() => again.stop());
    expect(textOf(await answer)).toBe('patience');
  });

  it('after a tool call was sent is told, and the call is not made twice', async () => {
    const server = await shop.rawServer((exchange) => {
      if (!shakeHands(exchange)) exchange.response.destroy();
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    const error = errorOf(await proxy.callTool(1, 'remember', { content: 'x' }));
    expect(error.message).toContain('may or may not have been carried out');
    expect(server.methods.filter((method) => method === 'tools/call')).toHaveLength(1);
    // What changes nothing is asked for again.
    await proxy.request(2, 'tools/list');
    expect(server.methods.filter((method) => method === 'tools/list')).toHaveLength(2);
  });

  it.each([
    ['JSON', 'application/json', '{"jsonrpc":"2.0","id":1,"resu'],
    ['an event stream', 'text/event-stream', 'data: {"jsonrpc":"2.0","id":1,"resu'],
  ])('inside %s is told', async (_name, type, half) => {
    const server = await shop.rawServer((exchange) => {
      if (shakeHands(exchange)) return;
      exchange.response.writeHead(200, { 'content-type': type });
      exchange.response.write(half, () => exchange.response.destroy());
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    expect(errorOf(await proxy.request(1, 'tools/call')).data?.code).toBe('mcp/interrupted');
  });

  it('inside a stream with event ids goes on where it stopped', async () => {
    const seenIds: unknown[] = [];
    const server = await shop.rawServer((exchange) => {
      const { request, response, body } = exchange;
      if (request.method === 'GET') {
        const last = request.headers['last-event-id'];
        if (last === undefined) return void response.writeHead(405).end();
        seenIds.push(last);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (last === 'e1') {
          response.end('id: e2\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"two"}}\n\n');
        } else response.end('id: e3\ndata: {"jsonrpc":"2.0","id":1,"result":"three"}\n\n');
        return;
      }
      if (shakeHands(exchange, 's')) return;
      expect(body['id']).toBe(1);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('retry: 10\nid: e1\ndata:\n\n');
    });
    const proxy = shop.proxy({ mcpUrl: server.url, timing: QUICK });
    await proxy.handshake();
    expect((await proxy.request(1, 'tools/call'))['result']).toBe('three');
    expect(proxy.unread).toEqual([{ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'two' } }]);
    expect(seenIds).toEqual(['e1', 'e2']);
  });

  it('by silence is given up after a while', async () => {
    const server = await shop.rawServer((exchange) => {
      if (shakeHands(exchange)) return;
      if (exchange.body['id'] === 1) return;
      exchange.response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': still here\n\n');
    });
    const proxy = shop.proxy({ mcpUrl: server.url, timing: { idleMs: 3_000 } });
    await proxy.handshake();
    expect(errorOf(await proxy.request(1, 'tools/call')).data?.code).toBe('mcp/silent');
    expect(errorOf(await proxy.request(2, 'tools/call')).message).toContain('silent for 3 s');
  });
});

describe('an answer that is wrong', () => {
  it.each([
    ['HTML', { 'content-type': 'text/html' }, '<html>login</html>', 'mcp/not-an-mcp-server'],
    ['no JSON', { 'content-type': 'application/json' }, '{"jsonrpc":', 'mcp/bad-answer'],
    ['a JSON scalar', { 'content-type': 'application/json' }, '"ok"', 'mcp/bad-answer'],
    ['empty', { 'content-type': 'application/json' }, '', 'mcp/interrupted'],
    [
      'of another request',
      { 'content-type': 'application/json' },
      '{"jsonrpc":"2.0","id":99,"result":1}',
      'mcp/interrupted',
    ],
    ['compressed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'garbage', 'mcp/encoded-answer'],
    ['an event that is no JSON', { 'content-type': 'text/event-stream' }, 'data: hello\n\n', 'mcp/interrupted'],
  ])('(%s) is an error for its request only', async (_name, headers, body, code) => {
    const server = await shop.rawServer((exchange) => {
      if (shakeHands(exchange)) return;
      if (exchange.body['id'] === 1) exchange.response.writeHead(200, headers).end(body);
      else exchange.json(result(exchange.body, 'fine'));
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    expect(errorOf(await proxy.request(1, 'tools/call')).data?.code).toBe(code);
    expect((await proxy.request(2, 'tools/call'))['result']).toBe('fine');
  });

  it('whose error carries no id belongs to the request on its stream', async () => {
    const server = await shop.rawServer((exchange) => {
      if (!shakeHands(exchange)) exchange.json({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'what?' } });
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    expect(errorOf(await proxy.request('mine', 'tools/call'))).toEqual({ code: -32600, message: 'what?' });
  });

  it('with a status says what to check', async () => {
    const server = await shop.rawServer((exchange) => {
      if (exchange.body['method'] === 'initialize') return exchange.json(initializeAnswer(exchange.body));
      if (exchange.body['id'] === undefined) return exchange.status(202);
      exchange.status(Number(exchange.body['id']), { status: 'error', error: { code: 'X', message: 'said\nso' } });
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    for (const [status, next] of [
      [404, 'Check the MCP URL'],
      [413, 'Send less'],
      [429, 'Wait a moment'],
      [503, 'Check the server'],
    ] as const) {
      const error = errorOf(await proxy.request(status, 'tools/call'));
      expect(error.message).toContain(`HTTP ${status}: said so ${next}`);
    }
  });
});

describe('what the server says unasked', () => {
  it('arrives over its own stream, which is opened again when it ends', async () => {
    let streams = 0;
    const server = await shop.rawServer((exchange) => {
      if (exchange.request.method !== 'GET') return void shakeHands(exchange, 's');
      streams++;
      exchange.response.writeHead(200, { 'content-type': 'text/event-stream' });
      exchange.response.write(
        `id: ${streams}\nretry: 10\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"n":${streams}}}\n\n`,
      );
      if (streams === 1) exchange.response.end();
    });
    const proxy = shop.proxy({ mcpUrl: server.url, timing: QUICK });
    await proxy.handshake();
    const numbers = [1, 2].map((n) =>
      proxy.receive((message) => (message['params'] as { n?: number } | undefined)?.n === n),
    );
    await Promise.all(numbers);
    expect(server.headers.filter((headers) => headers['last-event-id'] === '1')).toHaveLength(1);
  });

  it('is not listened for where there are no sessions, and the session is ended at the end', async () => {
    const stateless = await shop.rawServer((exchange) => void shakeHands(exchange));
    const stateful = await shop.rawServer((exchange) => void shakeHands(exchange, 's'));
    for (const server of [stateless, stateful]) {
      const proxy = shop.proxy({ mcpUrl: server.url });
      await proxy.handshake();
      await waitUntil('the notification', () => server.methods.includes('notifications/initialized'));
      expect(await proxy.end()).toEqual({ code: 0, signal: null });
    }
    expect(stateless.methods).toEqual(['initialize', 'notifications/initialized']);
    expect(stateful.methods.filter((method) => method === 'DELETE')).toHaveLength(1);
  });
});
