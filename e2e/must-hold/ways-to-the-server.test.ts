/**
 * A server outside is reached through TLS and through a company's proxy, by code that no hook loads otherwise: a conversation is
 * played over each way, so that what works on this machine also works there.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { writeZcodeConfig, ZcodeHost } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  killProcessesOfHome,
  messageText,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ZCODE_PAYLOAD } from './artefacts.ts';
import { startForwardProxy } from './forward-proxy.ts';
import type { ForwardProxy } from './forward-proxy.ts';

const MEMORY = 'The deployment target is called heron.';

let home: TemporaryHome;
let server: StubServer;
let proxy: ForwardProxy;
let closing: (() => Promise<void>)[];

beforeEach(async () => {
  home = createTemporaryHome();
  server = await startStubServer({ apiKey: 'k' });
  proxy = await startForwardProxy();
  closing = [];
  server.store.memories.push({ uri: 'viking://~/memories/e.md', category: 'events', abstract: MEMORY, text: MEMORY });
  server.store.profile = 'Profile of a careful person.';
  writeZcodeConfig(home.path, ZCODE_PAYLOAD);
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await Promise.all([server.close(), proxy.close(), ...closing.map((close) => close())]);
  home.remove();
});

const portOf = (url: string): number => Number(new URL(url).port);

/** The server behind TLS, with a certificate that only `caFile` vouches for. */
async function behindTls(): Promise<{ port: number; caFile: string }> {
  const [keyFile, caFile] = [home.at('key.pem'), home.at('ca.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=memory.test', '-addext', 'subjectAltName=DNS:memory.test,IP:127.0.0.1'],
      ...['-keyout', keyFile, '-out', caFile],
    ],
    { stdio: 'ignore' },
  );
  const sockets = new Set<Socket>();
  const front = createTlsServer({ key: readFileSync(keyFile), cert: readFileSync(caFile) }, (socket) => {
    const onward = connect(portOf(server.url), '127.0.0.1');
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => [socket, onward].forEach((each) => each.destroy()));
    }
    socket.pipe(onward).pipe(socket);
  });
  front.on('tlsClientError', () => undefined);
  await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
  closing.push(
    () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        front.close(() => done());
      }),
  );
  return { port: (front.address() as AddressInfo).port, caFile };
}

/** Plays a turn with these settings and variables, and tells what the model was given. */
async function play(url: string, plugin: object, env: Readonly<Record<string, string>>): Promise<string> {
  home.write('.openviking/ovcli.conf', JSON.stringify({ url, api_key: 'k', plugin }), 0o600);
  const session = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project'), env }).startSession();
  const { injected } = await session.prompt('What is the deployment target called?');
  await session.answer('The target is heron.');
  await server.untilMessages(`zc-${session.id}`, 2);
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  expect(server.conversation(`zc-${session.id}`).map((message) => messageText(message))).toEqual([
    'What is the deployment target called?',
    'The target is heron.',
  ]);
  return injected;
}

it('a conversation crosses an HTTP proxy', async () => {
  const port = portOf(server.url);
  const injected = await play(`http://memory.test:${port}`, {}, { HTTP_PROXY: proxy.url });
  expect(injected).toContain(MEMORY);
  expect(injected).toContain('Profile of a careful person.');
  expect(new Set(proxy.seen.map((line) => line.split(' ')[1]))).toEqual(new Set([`memory.test:${port}`]));
});

it('a conversation crosses TLS with a certificate authority of the company’s own', async () => {
  const { port, caFile } = await behindTls();
  const injected = await play(`https://127.0.0.1:${port}`, { caFile }, {});
  expect(injected).toContain(MEMORY);
  expect(injected).toContain('Profile of a careful person.');
});

it('a conversation crosses both, through a tunnel', async () => {
  const { port, caFile } = await behindTls();
  const injected = await play(`https://memory.test:${port}`, { caFile }, { https_proxy: proxy.url });
  expect(injected).toContain(MEMORY);
  expect(injected).toContain('Profile of a careful person.');
  expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT memory.test:${port}`]));
});

it('a conversation with a server on this machine passes by every proxy', async () => {
  const everywhere = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, ALL_PROXY: proxy.url };
  expect(await play(server.url, {}, everywhere)).toContain(MEMORY);
  expect(proxy.seen).toEqual([]);
});
