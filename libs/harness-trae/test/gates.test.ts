/** The gates of the client that no file of ours can open, and payloads that only some builds send. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  createTemporaryHome,
  killProcessesOfHome,
  messageText,
  startStubServer,
  waitUntil,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { TraeHost, writeTraeHooks } from '../testing/index.ts';
import type { TraeHostOptions } from '../testing/index.ts';

const PAYLOAD = join(import.meta.dirname, '..', 'dist', 'payload-trae-cn');

let home: TemporaryHome;
let server: StubServer;

beforeEach(async () => {
  server = await startStubServer();
  home = createTemporaryHome();
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k' }), 0o600);
  writeTraeHooks('trae-cn', home.path, PAYLOAD);
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await server.close();
  home.remove();
});

const hostWith = (options: Partial<TraeHostOptions>): TraeHost =>
  new TraeHost({ home: home.path, cwd: home.makeFolder('work'), folder: '.trae-cn', ...options });

it('leaves no sign of life where the user has not allowed hooks: that is how the gate shows', async () => {
  const host = hostWith({ allowed: false });
  await host.startSession().prompt('Which package manager is preferred?');
  expect(host.runs).toEqual([]);
  expect(home.has('.openviking/state/heartbeat')).toBe(false);
});

it.each([
  ['the answer under its older name', { answerKey: 'text_content' }],
  ['a byte order mark in front of every payload', { byteOrderMark: true }],
  ['the builder as agent', { agentId: 'builder_v3' }],
] as const)('captures with %s', async (_name, options) => {
  const session = hostWith(options).startSession();
  await session.prompt('Where is the staging database?');
  await session.answer('It is on the heron machine.');
  const messages = await server.untilMessages(`trcn-${session.id}`, 2);
  expect(messages.map(messageText)).toEqual(['Where is the staging database?', 'It is on the heron machine.']);
});

it('commits whole turns at once: no event tells the end of a conversation', async () => {
  const session = hostWith({}).startSession();
  await session.prompt('Where is the staging database?');
  await session.answer('It is on the heron machine.');
  await server.untilMessages(`trcn-${session.id}`, 2);
  const stored = server.store.sessions.get(`trcn-${session.id}`);
  await waitUntil('the commit', () => stored?.commits.length !== 0);
  expect(stored?.commits.map(({ keepRecent }) => keepRecent)).toEqual([0]);
  expect(stored?.live).toEqual([]);
});

it('writes its signs of life and its user agent under the edition that it was built for', async () => {
  await hostWith({}).startSession().prompt('Which package manager is preferred?');
  expect(home.has('.openviking/state/heartbeat')).toBe(true);
  const agents = new Set(server.requests.map(({ headers }) => String(headers['user-agent']).split('/')[0]));
  expect([...agents]).toEqual(['openviking-memory-trae-cn']);
});
