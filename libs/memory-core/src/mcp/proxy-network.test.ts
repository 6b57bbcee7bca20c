import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { errorOf, textOf } from '../../testing/mcp/proxy-process.ts';
import type { startRawServer } from '../../testing/mcp/raw-server.ts';
import { shakeHands } from '../../testing/mcp/raw-server.ts';
import { Workshop } from '../../testing/mcp/workshop.ts';

let shop: Workshop;
beforeAll(async () => {
  shop = await Workshop.open();
});
afterEach(() => shop.endTest());
afterAll(() => shop.close());

describe('redirects', () => {
  it.each([301, 302, 307, 308])('within the origin are followed with body and key: %i', async (status) => {
    const server = await shop.rawServer((exchange) => {
      if (exchange.request.url === '/mcp') return exchange.status(status, undefined, { location: '/mcp/' });
      expect(exchange.request.headers.authorization).toBe('Bearer k');
      if (!shakeHands(exchange)) exchange.json({ jsonrpc: '2.0', id: exchange.body['id'], result: 'moved' });
    });
    const proxy = shop.proxy({ mcpUrl: server.url, apiKey: 'k' });
    await proxy.handshake();
    expect((await proxy.request(1, 'tools/list'))['result']).toBe('moved');
    expect(server.methods).toEqual(['initialize', 'initialize', 'notifications/initialized', 'tools/list']);
  });

  it('to another origin send nothing there', async () => {
    const other = await shop.rawServer((exchange) => exchange.status(200));
    const server = await shop.rawServer((exchange) => {
      if (!shakeHands(exchange)) exchange.status(307, undefined, { location: other.url });
    });
    const proxy = shop.proxy({ mcpUrl: server.url, apiKey: 'k-secret' });
    await proxy.handshake();
    const { message } = errorOf(await proxy.callTool(1, 'find'));
    expect(message).toContain(`redirects to another origin, http://127.0.0.1:${other.port}`);
    expect(message).toContain('write it as the server URL');
    expect(other.methods).toEqual([]);
    expect(proxy.stdout + proxy.stderr).not.toContain('k-secret');
  });

  it('without end are given up', async () => {
    const server = await shop.rawServer((exchange) => {
      if (exchange.request.url === '/mcp' && shakeHands(exchange)) return;
      exchange.status(307, undefined, { location: `${exchange.request.url ?? ''}x` });
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    expect(errorOf(await proxy.callTool(1, 'find')).data?.code).toBe('mcp/redirect-refused');
  });
});

describe('slow and odd servers', () => {
  it('may send byte by byte', async () => {
    const server = await shop.rawServer(async (exchange) => {
      if (shakeHands(exchange)) return;
      exchange.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      const events =
        'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"é":1}}\r\n\r\n' +
        'data: {"jsonrpc":"2.0","id":1,"result":"😀"}\r\n\r\n';
      for (const byte of Buffer.from(events)) {
        exchange.response.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      exchange.response.end();
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    expect((await proxy.request(1, 'tools/call'))['result']).toBe('😀');
    expect(proxy.unread).toEqual([{ jsonrpc: '2.0', method: 'notifications/progress', params: { é: 1 } }]);
  });

  it('may keep the stream open after the answer', async () => {
    const server = await shop.rawServer((exchange) => {
      if (shakeHands(exchange)) return;
      exchange.response.writeHead(200, { 'content-type': 'text/event-stream' });
      exchange.response.write(`data: {"jsonrpc":"2.0","id":${String(exchange.body['id'])},"result":1}\n\n`);
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    for (let id = 0; id < 40; id++) await proxy.request(id, 'tools/call');
  });

  it('may think longer than an idle connection is kept', async () => {
    const server = await shop.rawServer(async (exchange) => {
      if (shakeHands(exchange)) return;
      await new Promise((resolve) => setTimeout(resolve, 4_600));
      exchange.json({ jsonrpc: '2.0', id: exchange.body['id'], result: 'at last' });
    });
    const proxy = shop.proxy({ mcpUrl: server.url });
    await proxy.handshake();
    expect((await proxy.request(1, 'tools/call'))['result']).toBe('at last');
  });

  it('may listen on one of the addresses of localhost only, also when the other comes first', async () => {
    for (const { address } of await lookup('localhost', { all: true })) {
      const server = await shop.rawServer(
        (exchange) => {
          if (!shakeHands(exchange)) exchange.json({ jsonrpc: '2.0', id: exchange.body['id'], result: address });
        },
        { host: address },
      );
      const proxy = shop.proxy({ mcpUrl: `http://localhost:${server.port}/mcp` });
      await proxy.handshake();
      expect((await proxy.request(1, 'tools/list'))['result']).toBe(address);
    }
  });
});

/** A forward proxy that resolves every name to loopback, as the only way to a server outside would. */
async function startForwardProxy(credentials?: string): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const allowed = (header: string | undefined): boolean =>
    credentials === undefined || header === `Basic ${Buffer.from(credentials).toString('base64')}`;
  const proxy = createHttpServer((request, response) => {
    const target = new URL(request.url ?? '');
    seen.push(`${request.method} ${target.host}`);
    if (!allowed(request.headers['proxy-authorization'])) return void response.writeHead(407).end();
    const headers = { ...request.headers };
    delete headers['proxy-authorization'];
    delete headers['proxy-connection'];
    const onward = httpRequest(
      { host: '127.0.0.1', port: target.port, path: target.pathname, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  const sockets = new Set<Socket>();
  proxy.on('connection', (socket: Socket) => sockets.add(socket));
  proxy.on('connect', (request, socket: Socket) => {
    seen.push(`CONNECT ${request.url ?? ''}`);
    if (!allowed(request.headers['proxy-authorization'])) return void socket.end('HTTP/1.1 407 no\r\n\r\n');
    const onward = connect(Number((request.url ?? '').split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => end.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  shop.after(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, seen };
}

function makeCertificate(): { key: string; cert: string; file: string } {
  const keyFile = shop.home.at('key.pem');
  const file = shop.home.at('ca.pem');
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=memory.test', '-addext', 'subjectAltName=DNS:memory.test,DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', keyFile, '-out', file],
    ],
    { stdio: 'ignore' },
  );
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8'), file };
}

const echoServer: Parameters<typeof startRawServer>[0] = (exchange) => {
  if (shakeHands(exchange, 's')) return;
  exchange.response.writeHead(200, { 'content-type': 'text/event-stream' });
  exchange.response.end(
    `data: {"jsonrpc":"2.0","id":${String(exchange.body['id'])},"result":{"content":[{"text":"through"}]}}\n\n`,
  );
};

describe('an HTTP proxy', () => {
  it('is used for a server outside, with its credentials, and streams', async () => {
    const forward = await startForwardProxy('me:pass word');
    const server = await shop.rawServer(echoServer);
    const proxy = shop.proxy(
      { mcpUrl: `http://memory.test:${server.port}/mcp`, apiKey: 'k' },
      { HTTP_PROXY: forward.url.replace('//', '//me:pass%20word@') },
    );
    await proxy.handshake();
    expect(textOf(await proxy.callTool(1, 'find'))).toBe('through');
    expect(new Set(forward.seen)).toEqual(
      new Set([`POST memory.test:${server.port}`, `GET memory.test:${server.port}`]),
    );
    expect(server.headers[0]?.authorization).toBe('Bearer k');
    expect(server.headers[0]?.['proxy-authorization']).toBeUndefined();
  });

  it('tunnels https, with a private certificate authority', async () => {
    const { key, cert, file } = makeCertificate();
    const forward = await startForwardProxy();
    const server = await shop.rawServer(echoServer, { server: createHttpsServer({ key, cert }) as never });
    const settings = { mcpUrl: `https://memory.test:${server.port}/mcp`, caFile: file };
    const proxy = shop.proxy(settings, { https_proxy: forward.url });
    await proxy.handshake();
    expect(textOf(await proxy.callTool(1, 'find'))).toBe('through');
    expect(forward.seen[0]).toBe(`CONNECT memory.test:${server.port}`);
  });

  it('that refuses is named, without its password', async () => {
    const forward = await startForwardProxy('me:right');
    const proxy = shop.proxy(
      { mcpUrl: 'https://memory.test/mcp', timing: { pollMs: [60_000] } },
      { HTTPS_PROXY: forward.url.replace('//', '//me:wrong-secret@') },
    );
    const { instructions } = (await proxy.handshake())['result'] as { instructions: string };
    expect(instructions).toContain(`through the proxy ${forward.url}`);
    expect(proxy.stdout + proxy.stderr).not.toContain('wrong-secret');
  });

  it('is never used for loopback, nor for what NO_PROXY exempts with its port', async () => {
    const forward = await startForwardProxy();
    const server = await shop.rawServer(echoServer);
    const everywhere = { HTTP_PROXY: forward.url, HTTPS_PROXY: forward.url, ALL_PROXY: forward.url };
    const local = shop.proxy({ mcpUrl: `http://localhost:${server.port}/mcp` }, everywhere);
    await local.handshake();
    expect(textOf(await local.callTool(1, 'find'))).toBe('through');
    const exempt = shop.proxy(
      { mcpUrl: 'http://memory.invalid:1933/mcp', timing: { pollMs: [60_000] } },
      { ...everywhere, NO_PROXY: 'memory.invalid:1933' },
    );
    const { instructions } = (await exempt.handshake())['result'] as { instructions: string };
    expect(instructions).not.toContain('through the proxy');
    expect(forward.seen).toEqual([]);
  });
});

describe('https', () => {
  it('with a private certificate authority works when its file is named', async () => {
    const { key, cert, file } = makeCertificate();
    const server = await shop.rawServer(echoServer, { server: createHttpsServer({ key, cert }) as never });
    const mcpUrl = `https://127.0.0.1:${server.port}/mcp`;
    const proxy = shop.proxy({ mcpUrl, caFile: file });
    await proxy.handshake();
    expect(textOf(await proxy.callTool(1, 'find'))).toBe('through');

    const without = shop.proxy({ mcpUrl, timing: { pollMs: [60_000] } });
    const { instructions } = (await without.handshake())['result'] as { instructions: string };
    expect(instructions).toContain('set OPENVIKING_CA_FILE');

    const caFile = shop.home.at('nowhere/ca.pem');
    const missing = shop.proxy({ mcpUrl, caFile, timing: { pollMs: [60_000] } });
    expect(JSON.stringify(await missing.handshake())).toContain('/nowhere/ca.pem cannot be read (ENOENT)');
  });

  it('asked of a server that speaks none says so', async () => {
    const server = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    shop.after(() => server.close());
    const mcpUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const proxy = shop.proxy({ mcpUrl, timing: { pollMs: [60_000] } });
    expect(JSON.stringify(await proxy.handshake())).toContain('http:// instead of https://');
  });
});
