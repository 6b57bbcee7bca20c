import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { processesOfHome, untilHomeIsQuiet } from '../../testing/process-census.ts';
import { homeEnvironment } from '../../testing/temporary-home.ts';
import { waitUntil } from '../../testing/wait-until.ts';
import { errorOf, textOf, type Json } from '../../testing/mcp/proxy-process.ts';
import { shakeHands } from '../../testing/mcp/raw-server.ts';
import { Workshop } from '../../testing/mcp/workshop.ts';

let shop: Workshop;
beforeAll(async () => {
  shop = await Workshop.open();
});
afterEach(() => shop.endTest());
afterAll(() => shop.close());

const MEGABYTE = 1024 * 1024;
/** The call itself would be waited for five minutes; a busy machine takes its time even to end a process. */
const AT_LAST_MS = 60_000;
const linux = process.platform === 'linux' ? it : it.skip;

/** Highest resident memory so far, in MB. */
function peakMemory(pid: number | undefined): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1024;
}

describe('the process', () => {
  it('answers what was asked before stdin closed, then ends', async () => {
    const server = await shop.sdkServer({ sessions: true });
    const proxy = shop.proxy({ mcpUrl: server.url, timing: { drainMs: 60_000 } });
    await proxy.handshake();
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', arguments: { ms: 300 } } });
    const end = proxy.end();
    expect(textOf(await proxy.answer(1))).toBe('waited 300');
    expect(await end).toEqual({ code: 0, signal: null });
  });

  it('answers a handshake that stdin closed behind, also while the server is down', async () => {
    const timing = { drainMs: 60_000, refusedRetryMs: [600_000] };
    const proxy = shop.proxy({ mcpUrl: 'http://127.0.0.1:9/mcp', timing });
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    proxy.send(
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    );
    const end = proxy.end();
    expect((await proxy.answer(1))['result']).toMatchObject({ protocolVersion: '2025-06-18' });
    expect((await proxy.answer(2))['result']).toEqual({ tools: [] });
    expect(await end).toEqual({ code: 0, signal: null });
  });

  it('does not wait for a call that takes longer than the client has patience', async () => {
    const server = await shop.rawServer((exchange) => void shakeHands(exchange));
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
    await waitUntil('the call', () => server.methods.includes('tools/call'));
    const start = performance.now();
    expect(await proxy.end()).toEqual({ code: 0, signal: null });
    expect(performance.now() - start).toBeLessThan(AT_LAST_MS);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('ends on %s with a call in flight', async (signal, code) => {
    const server = await shop.rawServer((exchange) => void shakeHands(exchange, 's'));
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
    await waitUntil('the call', () => server.methods.includes('tools/call'));
    const start = performance.now();
    proxy.child.kill(signal);
    expect(await proxy.exited).toEqual({ code, signal: null });
    expect(performance.now() - start).toBeLessThan(AT_LAST_MS);
  });

  it('ends while the server is down, and with 0 bytes on stdin', async () => {
    const proxy = shop.proxy({ mcpUrl: 'http://127.0.0.1:9/mcp' });
    await proxy.handshake();
    expect(await proxy.end()).toEqual({ code: 0, signal: null });
    expect(await shop.proxy({ mcpUrl: 'http://127.0.0.1:9/mcp' }).end()).toEqual({ code: 0, signal: null });
  });

  it('ends when the client reads no more', async () => {
    const server = await shop.sdkServer({ sessions: true });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    proxy.child.stdout?.destroy();
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: 2, method: 'ping' });
    expect((await proxy.exited).code).toBe(0);
  });

  linux('ends with its parent, though another process keeps its stdin open', async () => {
    const settings = shop.settings({ mcpUrl: 'http://127.0.0.1:9/mcp' });
    // The client starts the proxy on a pipe whose other end a third process holds, and is killed.
    const client = spawn(
      process.execPath,
      [
        '-e',
        `const { spawn } = require('node:child_process');
         const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
         const holder = spawn('sh', ['-c', 'echo "$0"; exec sleep 600', ping], { stdio: ['ignore', 'pipe', 'ignore'] });
         const proxy = spawn(process.execPath, ${JSON.stringify([shop.home.at('proxy-entry.cjs'), settings])},
           { stdio: [holder.stdout, 'pipe', 'ignore'] });
         proxy.stdout.once('data', () => console.log(proxy.pid, holder.pid));`,
      ],
      { env: homeEnvironment(shop.home.path), stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const [pids] = (await once(client.stdout, 'data')) as [Buffer];
    const [proxyPid, holderPid] = pids.toString().trim().split(' ').map(Number) as [number, number];
    const lives = (): boolean => processesOfHome(shop.home.path).some(({ pid }) => pid === proxyPid);
    expect(lives()).toBe(true);
    client.kill('SIGKILL');
    try {
      await waitUntil('the end of the proxy', () => !lives());
    } finally {
      process.kill(holderPid, 'SIGKILL');
    }
  });

  it('leaves nothing behind after fifty starts, however they end', async () => {
    const server = await shop.sdkServer({ sessions: true });
    const settings = shop.settings({ mcpUrl: server.url });
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const proxy = shop.proxy(settings);
          if (index % 2 === 0) await proxy.handshake();
          if (index % 5 === 0) proxy.child.kill('SIGTERM');
          else if (index % 5 === 1) {
            proxy.child.stdout?.destroy();
            proxy.child.stdin?.destroy();
          } else proxy.child.stdin?.end();
          await proxy.exited;
        }),
      );
    }
    expect(await untilHomeIsQuiet(shop.home.path)).toEqual([]);
  });
});

describe('stdout', () => {
  it.each(['print', 'reject', 'throw'] as const)('stays pure protocol when code inside does %s', async (misbehave) => {
    const server = await shop.sdkServer({ sessions: true });
    const proxy = shop.proxy({ mcpUrl: server.url, misbehave });
    await proxy.handshake();
    proxy.child.kill('SIGUSR2');
    await waitUntil('the misbehaviour', () => proxy.stderr.includes('a library prints'));
    if (misbehave === 'throw') expect((await proxy.exited).code).toBe(1);
    else expect(textOf(await proxy.callTool(1, 'echo', { text: 'ok' }))).toBe('ok');
    expect(proxy.stderr).toContain('and prints');
    for (const line of proxy.stdout.split('\n').filter((part) => part !== '')) {
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    }
  });
});

describe('size', () => {
  linux.each([
    ['an event stream', false],
    ['JSON', true],
  ])('a result of 20 MB in %s passes within the memory budget', async (_name, json) => {
    const server = await shop.sdkServer({ sessions: true, json });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    for (let id = 0; id < 3; id++) {
      const answer = await proxy.callTool(id, 'big', { bytes: 20 * MEGABYTE });
      expect(textOf(answer)?.length).toBe(10 * MEGABYTE);
    }
    expect(peakMemory(proxy.child.pid)).toBeLessThan(110);
  });

  linux('thirty-two results of 8 MB at once do not add up in memory', async () => {
    const filler = Buffer.alloc(MEGABYTE, 'x');
    const server = await shop.rawServer(async (exchange) => {
      if (shakeHands(exchange)) return;
      const { response, body } = exchange;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`{"jsonrpc":"2.0","id":${String(body['id'])},"result":"`);
      for (let part = 0; part < 8; part++) {
        if (!response.write(filler)) await once(response, 'drain');
      }
      response.end('"}');
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    const answers = await Promise.all(
      Array.from({ length: 32 }, async (_, id) => String((await proxy.request(id, 'tools/call'))['result']).length),
    );
    expect(answers).toEqual(Array.from({ length: 32 }, () => 8 * MEGABYTE));
    expect(peakMemory(proxy.child.pid)).toBeLessThan(110);
  });

  linux('a client that does not read stops the server, not this process', async () => {
    let sent = 0;
    const server = await shop.rawServer(async (exchange) => {
      if (shakeHands(exchange)) return;
      exchange.response.writeHead(200, { 'content-type': 'text/event-stream' });
      const event = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(MEGABYTE) } })}\n\n`;
      while (sent < 300 && !exchange.response.destroyed) {
        sent++;
        if (!exchange.response.write(event)) await once(exchange.response, 'drain').catch(() => undefined);
      }
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    proxy.child.stdout?.pause();
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(sent).toBeLessThan(60);
    expect(peakMemory(proxy.child.pid)).toBeLessThan(110);
    proxy.child.kill('SIGTERM');
    proxy.child.stdout?.resume();
  });

  it('a line of 20 MB goes through, one over 64 MB is refused, and the next is served', async () => {
    let length = 0;
    const server = await shop.rawServer((exchange) => {
      if (shakeHands(exchange)) return;
      const { text = '' } = exchange.body['params'] as { text?: string };
      length = text.length;
      exchange.json({ jsonrpc: '2.0', id: exchange.body['id'], result: length });
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    const text = 'y'.repeat(20 * MEGABYTE);
    expect((await proxy.request(1, 'tools/call', { text }))['result']).toBe(20 * MEGABYTE);
    const part = 'z'.repeat(MEGABYTE);
    proxy.child.stdin?.write('{"jsonrpc":"2.0","id":2,"method":"');
    for (let count = 0; count < 65; count++) proxy.child.stdin?.write(part);
    proxy.send('"}');
    expect(errorOf(await proxy.receive((message) => message['id'] === null)).code).toBe(-32600);
    expect((await proxy.request(3, 'tools/call', { text: 'small' }))['result']).toBe(5);
  });

  it('three thousand requests at once are all answered', async () => {
    const server = await shop.rawServer((exchange) => {
      if (!shakeHands(exchange))
        exchange.json({ jsonrpc: '2.0', id: exchange.body['id'], result: exchange.body['id'] });
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    const requests: Json[] = Array.from({ length: 3_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
    proxy.send(...requests);
    for (const { id } of requests) expect((await proxy.answer(id))['result']).toBe(id);
  });
});
