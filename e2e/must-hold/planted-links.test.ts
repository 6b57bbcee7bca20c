/** A link that somebody has put among our files, while a folder was open to others, leads nothing of a conversation elsewhere. */
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
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

let home: TemporaryHome;
let server: StubServer;
beforeEach(async () => {
  server = await startStubServer();
  home = createTemporaryHome();
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k' }), 0o600);
  writeZcodeConfig(home.path, ZCODE_PAYLOAD);
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await server.close();
  home.remove();
});

it.each([
  'state/heartbeat',
  'state/sessions',
  'state/sessions/<session>',
  'spool/.queue',
  'spool/<session>',
  'spool/<session>/records',
])('%s is made anew where it is a link', async (where) => {
  const elsewhere = home.makeFolder('elsewhere');
  const session = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project') }).startSession();
  const path = home.at('.openviking', ...where.replace('<session>', `zc-${session.id}`).split('/'));
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(elsewhere, path);
  server.store.memories.push({
    uri: 'viking://~/memories/events/release.md',
    abstract: 'The release is on Friday.',
    text: 'The release is on Friday.',
    category: 'events',
  });
  await session.prompt('When is the release on Friday?');
  await session.answer('It is on Friday.');
  await server.untilMessages(`zc-${session.id}`, 2);
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  expect(server.conversation(`zc-${session.id}`).map((message) => messageText(message))).toHaveLength(2);
  expect(readdirSync(elsewhere)).toEqual([]);
});
