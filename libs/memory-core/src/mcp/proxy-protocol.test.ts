import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CallToolResultSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { homeEnvironment } from '../../testing/temporary-home.ts';
import { waitUntil } from '../../testing/wait-until.ts';
import { errorOf, textOf, type Json } from '../../testing/mcp/proxy-process.ts';
import { initializeAnswer, shakeHands } from '../../testing/mcp/raw-server.ts';
import { Workshop } from '../../testing/mcp/workshop.ts';

let shop: Workshop;
beforeAll(async () => {
  shop = await Workshop.open();
});
afterEach(() => shop.endTest());
afterAll(() => shop.close());

describe.each<[string, { sessions: boolean; json?: boolean }]>([
  ['with sessions, event streams', { sessions: true }],
  ['with sessions, JSON', { sessions: true, json: true }],
  ['without sessions, event streams', { sessions: false }],
  ['without sessions, JSON', { sessions: false, json: true }],
])('the official client through the proxy, server %s', (_name, options) => {
  it('lists tools, calls them, and gets progress, logs and requests of the server', async () => {
    const server = await shop.sdkServer(options);
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
    const logs: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params.data));
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///w' }] }));
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [shop.home.at('proxy-entry.cjs'), shop.settings({ mcpUrl: server.url, apiKey: 'k' })],
        env: homeEnvironment(shop.home.path),
        stderr: 'ignore',
      }),
    );
    shop.after(() => client.close());

    expect(client.getServerVersion()).toEqual({ name: 'sdk-test', version: '1.0.0' });
    expect(client.getInstructions()).toBe('Ask the memory.');
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    const spoken = '记忆 😀 "quoted" \n line';
    const echoed = await client.callTool({ name: 'echo', arguments: { text: spoken } });
    expect(echoed.content).toEqual([{ type: 'text', text: spoken }]);
    await expect(client.callTool({ name: 'fail' })).rejects.toThrow('the tool fails');

    const progress: number[] = [];
    await client.callTool({ name: 'progress', arguments: { steps: 3 } }, CallToolResultSchema, {
      onprogress: ({ progress: step }) => void progress.push(step),
    });
    if (options.json !== true) {
      expect(progress).toEqual([1, 2, 3]);
      expect(logs).toEqual(['step 1', 'step 2', 'step 3']);
    }
    if (options.sessions && options.json !== true) {
      const roots = await client.callTool({ name: 'roots' });
      expect(roots.content).toEqual([{ type: 'text', text: 'file:///w' }]);
    }
    for (const { headers, method } of server.seen) {
      expect(headers.authorization).toBe('Bearer k');
      expect(headers['user-agent']).toBe('openviking-memory-test/0.0.1');
      if (method === 'initialize') {
        expect(headers['mcp-protocol-version']).toBeUndefined();
        expect(headers['mcp-session-id']).toBeUndefined();
      } else {
        expect(headers['mcp-protocol-version']).toBe('2025-11-25');
        if (options.sessions) expect(headers['mcp-session-id']).toMatch(/^[0-9a-f-]{36}$/);
      }
    }
  });
});

describe('requests in flight', () => {
  it('are sixteen at most, and the rest follows in order', async () => {
    const server = await shop.sdkServer({ sessions: true });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    const wait = (index: number) => proxy.callTool(index, 'wait', index < 20 ? {} : { ms: 60 + (index % 3) * 20 });
    const asked = Array.from({ length: 40 }, (_, index) => wait(index));
    await waitUntil('sixteen', () => server.running() >= 16);
    server.release();
    const answers = await Promise.all(asked);
    const waited = (index: number) => (index < 20 ? 'undefined' : 60 + (index % 3) * 20);
    expect(answers.map(textOf)).toEqual(answers.map((_, index) => `waited ${waited(index)}`));
    expect(server.peak()).toBe(16);
  });

  it('with one and the same id are answered in the order in which they were asked', async () => {
    const server = await shop.sdkServer({ sessions: false });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    for (const ms of [150, 1, 40]) {
      proxy.send({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'wait', arguments: { ms } } });
    }
    const answers = [await proxy.answer(5), await proxy.answer(5), await proxy.answer(5)];
    expect(answers.map(textOf)).toEqual(['waited 150', 'waited 1', 'waited 40']);
  });

  it.each([
    ['with sessions', true],
    ['without', false],
  ])('are cancelled at the server %s, and a cancelled one in the queue never reaches it', async (_name, sessions) => {
    const server = await shop.sdkServer({ sessions });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    const cancel = (requestId: unknown): Json => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId, reason: 'not wanted' },
    });
    for (let id = 0; id < 18; id++) {
      proxy.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait', arguments: { ms: 60_000 } } });
    }
    await waitUntil('the server to see it', () => server.peak() === 16);
    proxy.send(cancel(17), cancel(3));
    await waitUntil(
      'the server to see it',
      () => server.seen.filter(({ method }) => method === 'tools/call').length === 17,
    );
    if (sessions) await waitUntil('the server to see it', () => server.cancelled.includes(3));
    // The place of the cancelled call is free again for the one that waited.
    for (let id = 0; id < 17; id++) proxy.send(cancel(id));
    expect(textOf(await proxy.callTool('after', 'echo', { text: 'alive' }))).toBe('alive');
    expect(server.seen.filter(({ method }) => method === 'tools/call')).toHaveLength(18);
    expect(proxy.unread).toEqual([]);
  });

  it('follow the notification that was sent before them', async () => {
    const order: unknown[] = [];
    const server = await shop.rawServer(async (exchange) => {
      if (exchange.body['method'] === 'notifications/initialized') await new Promise((done) => setTimeout(done, 150));
      order.push(exchange.body['method']);
      if (!shakeHands(exchange)) exchange.json({ jsonrpc: '2.0', id: exchange.body['id'], result: { tools: [] } });
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    proxy.send(
      { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    );
    await proxy.answer(1);
    expect(order).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
  });
});

describe('the protocol version', () => {
  it('that the server chose goes into the header, whatever the client asked for', async () => {
    const server = await shop.rawServer((exchange) => {
      if (exchange.body['method'] === 'initialize') exchange.json(initializeAnswer(exchange.body, '2025-03-26'));
      else if (!shakeHands(exchange)) exchange.json({ jsonrpc: '2.0', id: exchange.body['id'], result: {} });
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    const answer = await proxy.handshake('2099-01-01');
    expect(answer['result']).toMatchObject({ protocolVersion: '2025-03-26' });
    await proxy.request(1, 'tools/list');
    expect(server.headers.map((headers) => headers['mcp-protocol-version'])).toEqual([
      undefined,
      '2025-03-26',
      '2025-03-26',
    ]);
  });

  it('is asked for with server/discover first: refused so that the client falls back to initialize', async () => {
    const server = await shop.sdkServer({ sessions: true });
    const proxy = shop.proxy({ mcpUrl: server.url });
    for (const [index, method] of ['server/discover', 'no/such', 'tools/list'].entries()) {
      expect(errorOf(await proxy.request(index, method)).code).toBe(-32601);
    }
    expect(await proxy.request(8, 'ping')).toEqual({ jsonrpc: '2.0', id: 8, result: {} });
    await proxy.handshake();
    expect(errorOf(await proxy.request(9, 'no/such')).code).toBe(-32601);
    expect(textOf(await proxy.callTool(10, 'echo', { text: 'x' }))).toBe('x');
  });

  it('that the server refuses with an error is told to the client as it is', async () => {
    const server = await shop.rawServer(({ json, body }) =>
      json({
        jsonrpc: '2.0',
        id: body['id'],
        error: { code: -32602, message: 'unsupported', data: { supported: [] } },
      }),
    );
    const proxy = shop.proxy({ mcpUrl: server.url });
    expect(errorOf(await proxy.handshake())).toEqual({ code: -32602, message: 'unsupported', data: { supported: [] } });
    expect(errorOf(await proxy.request(1, 'tools/list')).code).toBe(-32601);
  });
});

describe('lines', () => {
  it('that are garbage get a JSON-RPC error each, and the next one works', async () => {
    const server = await shop.sdkServer({ sessions: true });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    proxy.send('garbage', '{"id":1', '', '   ', '42', '"x"', '{"jsonrpc":"2.0","id":null,"method":"a"}', '{}', '[]');
    const codes: number[] = [];
    for (let count = 0; count < 7; count++) codes.push(errorOf(await proxy.receive((m) => m['id'] === null)).code);
    expect(codes).toEqual([-32700, -32700, -32600, -32600, -32600, -32600, -32600]);
    expect(textOf(await proxy.callTool(2, 'echo', { text: 'fine' }))).toBe('fine');
  });

  it('with a batch are answered with a batch, though the server knows none', async () => {
    const server = await shop.sdkServer({ sessions: true });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    proxy.send([
      { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'wait', arguments: { ms: 80 } } },
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'echo', arguments: { text: 'é' } } },
      { jsonrpc: '2.0', id: 'c', method: 'no/such' },
      { jsonrpc: '2.0', id: 'd', method: 'initialize' },
    ]);
    const { batch } = (await proxy.answer('batch')) as { batch: Json[] };
    const byId = new Map(batch.map((message) => [message['id'], message]));
    expect([...byId.keys()].sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(textOf(byId.get('a') as Json)).toBe('waited 80');
    expect(textOf(byId.get('b') as Json)).toBe('é');
    expect(errorOf(byId.get('c') as Json).code).toBe(-32601);
    expect(errorOf(byId.get('d') as Json).code).toBe(-32600);
    proxy.send([{ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }]);
    expect(textOf(await proxy.callTool(1, 'echo', { text: 'on' }))).toBe('on');
    expect(proxy.unread).toEqual([]);
  });

  it('keep ids and unknown members exactly as they were written', async () => {
    let received = '';
    const server = await shop.rawServer((exchange) => {
      if (shakeHands(exchange)) return;
      received = JSON.stringify(exchange.body);
      exchange.response.writeHead(200, { 'content-type': 'application/json' });
      exchange.response.end(
        '{\r\n  "jsonrpc": "2.0",\n  "result": { "x": 1.50, "n": 12345678901234567890 },\n  "id": "\\u00e9"\n}\n',
      );
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    proxy.send('{"jsonrpc":"2.0","id":"é","method":"x/y","params":{"deep":[1e3]},"unknown":true}');
    await proxy.answer('é');
    expect(proxy.stdout).toContain('"result": { "x": 1.50, "n": 12345678901234567890 },');
    expect(JSON.parse(received)).toMatchObject({ unknown: true, params: { deep: [1000] } });
  });
});

describe('configuration', () => {
  it('that is broken is told in the answer to initialize, and works once it is corrected', async () => {
    const server = await shop.sdkServer({ sessions: true });
    const file = shop.settings({ mcpUrl: server.url, broken: 'The settings are broken.' }, 'broken.json');
    const proxy = shop.proxy(file);
    const refusal = errorOf(await proxy.handshake());
    expect(refusal.message).toBe('The settings are broken. Correct the file.');
    expect(refusal.data?.code).toBe('settings/broken');
    shop.settings({ mcpUrl: server.url }, 'broken.json');
    expect(await proxy.handshake()).toMatchObject({ result: { serverInfo: { name: 'sdk-test' } } });
    expect(textOf(await proxy.callTool(1, 'echo', { text: 'now' }))).toBe('now');
  });

  it('with a peer sends it, with a notice adds it to the instructions', async () => {
    const server = await shop.sdkServer({ sessions: true });
    const proxy = shop.proxy({
      mcpUrl: server.url,
      peer: 'github.com-a-b',
      notice: 'The hooks are gone: run the installer.',
    });
    const answer = await proxy.handshake();
    expect((answer['result'] as Json)['instructions']).toBe(
      'Ask the memory.\n\nThe hooks are gone: run the installer.',
    );
    await proxy.request(1, 'tools/list');
    expect(server.seen.map(({ headers }) => headers['x-openviking-actor-peer'])).not.toContain(undefined);
  });

  it('without a peer sends none', async () => {
    const server = await shop.sdkServer({ sessions: true });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    expect(server.seen[0]?.headers['x-openviking-actor-peer']).toBeUndefined();
  });
});
