import { createServer, type RequestListener } from 'node:http';
import { createServer as createRawServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listenToStay } from '../../testing/lasting-port.ts';
import { requestOnce, type HttpOutcome, type HttpRequest } from './request.ts';
import { requestOnSocket } from './socket-request.ts';

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
});

async function listen(server: Server, host = '127.0.0.1'): Promise<string> {
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  servers.push(server);
  const port = await listenToStay(server, undefined, host);
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const serve = (listener: RequestListener): Promise<string> => listen(createServer(listener));
const raw = (talk: (socket: Socket) => void): Promise<string> => listen(createRawServer(talk));

function ask(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'POST', url, headers: { 'x-api-key': 'k' }, body: '{"query":"日本"}', timeoutMs: 60_000, ...more };
}

/** What both clients make of the same server: they must agree. */
async function both(url: string, more: Partial<HttpRequest> = {}): Promise<HttpOutcome> {
  const [own, node] = [await requestOnSocket(ask(url, more)), await requestOnce(ask(url, more))];
  if (own.kind === 'response' && node.kind === 'response') {
    expect([own.status, own.body]).toEqual([node.status, node.body]);
  } else
    expect([own.kind, 'ambiguous' in own && own.ambiguous]).toEqual([node.kind, 'ambiguous' in node && node.ambiguous]);
  return own;
}

describe('requestOnSocket', () => {
  it("asks as Node's client does", async () => {
    const seen: unknown[] = [];
    const url = await serve((incoming, outgoing) => {
      let body = '';
      incoming.on('data', (chunk) => (body += String(chunk)));
      incoming.on('end', () => {
        seen.push([incoming.method, incoming.url, body, incoming.headers]);
        outgoing.end('{"ok":true}');
      });
    });
    await both(`${url}/api/v1/search?a=b%20c&d=é`);
    await both(`${url}`, { method: 'GET', body: undefined } as unknown as Partial<HttpRequest>);
    expect(seen).toHaveLength(4);
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[2]).toEqual(seen[3]);
  });

  it.each<[string, RequestListener]>([
    ['a length', (_incoming, outgoing) => outgoing.end('{"text":"日本 🦄"}')],
    [
      'chunks that come slowly',
      (_incoming, outgoing) => {
        const text = Buffer.from(JSON.stringify({ text: '日本'.repeat(5_000) }));
        outgoing.write(text.subarray(0, 7));
        setTimeout(() => outgoing.end(text.subarray(7)), 30);
      },
    ],
    [
      'an error',
      (_incoming, outgoing) => void outgoing.writeHead(503, { 'retry-after': '7' }).end('{"status":"error"}'),
    ],
    ['nothing', (_incoming, outgoing) => void outgoing.writeHead(204).end()],
    ['a redirect', (_incoming, outgoing) => void outgoing.writeHead(302, { location: 'http://example.test/' }).end()],
    [
      'hints first',
      (_incoming, outgoing) => {
        outgoing.writeContinue();
        outgoing.writeEarlyHints({ link: '</a>; rel=preload' });
        outgoing.end('later');
      },
    ],
  ])('reads %s', async (_name, listener) => {
    expect((await both(await serve(listener))).kind).toBe('response');
  });

  it('reads an answer that ends with the connection', async () => {
    const url = await raw((socket) => socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\nall of it')));
    expect(await both(url)).toMatchObject({ kind: 'response', body: 'all of it' });
  });

  it('answers as soon as the answer is whole, whether the connection is closed or not', async () => {
    const url = await raw((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')),
    );
    expect(await requestOnSocket(ask(url))).toMatchObject({ kind: 'response', body: 'ok' });
  });

  it.each<[string, (socket: Socket) => void]>([
    ['closes without a word', (socket) => socket.once('data', () => socket.end())],
    ['resets', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    [
      'stops in the middle',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok')),
    ],
    ['speaks something else', (socket) => socket.once('data', () => socket.end('220 mail.example.test ESMTP\r\n\r\n'))],
    ['speaks first', (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
  ])('fails, as Node does, where the server %s', async (_name, talk) => {
    expect((await both(await raw(talk))).kind).toBe('failure');
  });

  it('says that nothing arrived where nobody listens', async () => {
    const url = await raw(() => undefined);
    await new Promise((done) => servers.pop()?.close(done));
    expect(await both(url)).toMatchObject({ kind: 'failure', code: 'ECONNREFUSED', ambiguous: false });
  });

  it('gives up after its time', async () => {
    const url = await raw(() => undefined);
    expect(await requestOnSocket(ask(url, { timeoutMs: 1_000 }))).toMatchObject({ code: 'TIMEOUT', ambiguous: true });
  });

  it('sends nothing that is no header', async () => {
    const url = await raw(() => undefined);
    for (const headers of [{ 'x-a': 'b\r\nx-c: d' }, { 'x-a\n': 'b' }, { 'x-a': '\u010a' }])
      expect(await requestOnSocket(ask(url, { headers }))).toMatchObject({ code: 'HEADERS', ambiguous: false });
  });

  it('says that there is no body where one could be', async () => {
    const url = await serve((incoming, outgoing) => outgoing.end(String(incoming.headers['content-length'])));
    const { body: _body, ...bare } = ask(url);
    expect(await requestOnSocket(bare)).toMatchObject({ body: '0' });
    expect(await requestOnSocket({ ...bare, method: 'GET' })).toMatchObject({ body: 'undefined' });
  });

  it('reads no more than is wanted', async () => {
    const url = await serve((_incoming, outgoing) => outgoing.end('x'.repeat(100_000)));
    expect(await both(url, { maxBytes: 1_000 })).toMatchObject({ code: 'TOO_LARGE' });
  });

  it('reaches an address of version 6 and a name', async () => {
    const url = await listen(
      createServer((incoming, outgoing) => outgoing.end(incoming.headers.host)),
      '::1',
    ).catch(() => undefined);
    // A machine without version 6.
    if (url !== undefined) expect(await both(url)).toMatchObject({ body: new URL(url).host });
    const named = await serve((incoming, outgoing) => outgoing.end(incoming.headers.host));
    expect(await both(named.replace('127.0.0.1', 'localhost'))).toMatchObject({ kind: 'response' });
  });

  it('leaves what it cannot do to Node: a user in the address, TLS, nonsense', async () => {
    const url = await serve((incoming, outgoing) => outgoing.end(incoming.headers.authorization));
    expect(await both(url.replace('//', '//me:secret@'))).toMatchObject({ body: 'Basic bWU6c2VjcmV0' });
    expect(await both(url.replace('http:', 'https:'))).toMatchObject({ kind: 'failure' });
    expect(await both('nonsense')).toMatchObject({ code: 'BAD_URL' });
  });
});
