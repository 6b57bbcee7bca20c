/** The delivery worker as the process that it is: what keeps it busy, when it ends, and what it says of the server. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { capturedTurn, messageOf } from '../../testing/captured-turn.ts';
import {
  createTemporaryHome,
  homeEnvironment,
  leaveWaiting,
  messageText,
  startStubServer,
  waitUntil,
  type StubServer,
  type TemporaryHome,
} from '../../testing/index.ts';
import { backOffOf } from '../spool/back-off.ts';
import { Conversation } from '../spool/conversation.ts';
import { markedSessions } from '../spool/conversation-folder.ts';
import { deadLetterNames } from '../spool/dead-letters.ts';
import { homePaths, serverStatePath } from '../fs/home-paths.ts';
import { readServerDelivery, writeServerDelivery } from '../spool/delivery-state.ts';
import { notePrompt, pendingPrompts } from '../spool/journal.ts';

const SESSION = 'aa-one';
let home: TemporaryHome;
let server: StubServer;
let conversation: Conversation;
beforeEach(async () => {
  server = await startStubServer({ apiKey: 'k' });
  home = createTemporaryHome();
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k' }), 0o600);
  conversation = new Conversation(homePaths(home.path).spool, SESSION);
  conversation.prepare();
  await bundleWorker();
});
afterEach(async () => {
  await server.close();
  home.remove();
});

/** A worker of a client that keeps no record of its conversations. `timeScale`: of its pauses and of its life. */
async function bundleWorker(defaults = {}, timeScale = 1): Promise<void> {
  const declaration = { id: 'one', events: [], settingDefaults: defaults };
  const harness = { declaration, dialect: { hostTags: [], hostNoise: [] }, version: '1.2.3' };
  await build({
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: home.at('program', 'worker.cjs'),
    stdin: {
      contents: `import { runWorker } from './run-worker.ts';
        runWorker(${JSON.stringify(harness)}, process.argv.slice(2));`,
      resolveDir: import.meta.dirname,
    },
    define: { TIME_SCALE: String(timeScale) },
    external: ['undici'],
  });
}

/** Runs a worker to its end, at most four minutes, which only end what hangs. `preload`: a program that comes before it in the same process. */
async function work(
  mode: 'deliver' | 'sweep' = 'deliver',
  preload?: string,
  env: Record<string, string> = {},
): Promise<number | null> {
  const before = preload === undefined ? [] : ['--require', home.write('program/before.cjs', preload)];
  const child = spawn(process.execPath, [...before, home.at('program', 'worker.cjs'), mode, SESSION], {
    env: homeEnvironment(home.path, env),
    stdio: 'ignore',
    timeout: 240_000,
    killSignal: 'SIGKILL',
  });
  return new Promise((done) => child.once('exit', (code) => done(code)));
}

async function capture(name: string, { harness = 'one', empty = false } = {}): Promise<void> {
  const more = { harness, ...(empty ? { messages: [] } : {}) };
  await conversation.append((cursor) => capturedTurn(cursor, name, [messageOf('user', name)], more));
}

const said = (): string[] => server.conversation(SESSION).map((message) => messageText(message));
const marked = (): string[] => markedSessions(conversation.spool);
const deliveryPath = (): string => serverStatePath(homePaths(home.path), 'delivery', server.url);

/** Files of records can be read and written, and not removed. */
const HELD = `const fs = require('node:fs');
const unlink = fs.unlinkSync;
fs.unlinkSync = (path) => {
  if (/records/u.test(path)) throw Object.assign(new Error('held'), { code: 'EPERM' });
  unlink(path);
};`;

/** Nothing can be noted about conversations and servers. */
const READ_ONLY_NOTES = `const fs = require('node:fs');
const rename = fs.renameSync;
fs.renameSync = (from, to) => {
  if (/(back-off|delivery-[^/]*)\\.json$/u.test(to)) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
  rename(from, to);
};`;

describe('a worker', () => {
  it('believes no pause that ends years from now: the clock was set back since it was noted', async () => {
    await capture('a');
    const pause = { failures: 3, nextAttemptAt: Date.now() + 10 * 365 * 24 * 60 * 60_000 };
    writeServerDelivery(deliveryPath(), pause);
    writeFileSync(join(conversation.folder, 'back-off.json'), JSON.stringify(pause));
    expect(await work()).toBe(0);
    expect(said()).toEqual(['a']);
    expect(readServerDelivery(deliveryPath())).toMatchObject({ failures: 0, nextAttemptAt: 0 });
    expect(backOffOf(conversation)).toBeUndefined();
  });

  it('ends although nobody lets it remove what it has delivered, and sends it once', async () => {
    await capture('a');
    await capture('b');
    expect(await work('deliver', HELD)).toBe(0);
    expect(conversation.sequence()).toEqual([1, 2]);
    expect(said()).toEqual(['a', 'b']);
    // That is no work for which every hook should start another one.
    expect(marked()).toEqual([]);
    await capture('c');
    expect(await work('sweep')).toBe(0);
    expect(said()).toEqual(['a', 'b', 'c']);
    expect(conversation.sequence()).toEqual([]);
  });

  it('sets aside what cannot be read, also where there is nothing else', async () => {
    await capture('a');
    writeFileSync(conversation.recordPath(1), 'no record');
    expect(await work()).toBe(0);
    expect(conversation.sequence()).toEqual([]);
    expect(deadLetterNames(conversation)).toEqual(['000000000001-unreadable']);
    expect(marked()).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('says that the server answered only where it was asked', async () => {
    const failing = {
      failures: 3,
      nextAttemptAt: 1,
      blockedFor: 'other credentials',
      lastError: '401 UNAUTHENTICATED',
    };
    writeServerDelivery(deliveryPath(), failing);
    // What `spool drop` leaves of a turn: nothing to send.
    await capture('a', { empty: true });
    expect(await work()).toBe(0);
    expect(conversation.sequence()).toEqual([]);
    expect(server.requests).toEqual([]);
    expect(readServerDelivery(deliveryPath())).toEqual(failing);

    await capture('b');
    expect(await work()).toBe(0);
    expect(readServerDelivery(deliveryPath())).toEqual({
      failures: 0,
      nextAttemptAt: 0,
      lastSuccess: expect.any(String),
    });
  });

  it('asks a server that fails again and again for a few conversations at once only, and comes to the others', async () => {
    const names = ['ab-1', 'ab-2', 'ab-3', 'ab-4', 'ab-5', 'ab-6', 'zz-good'];
    for (const name of names) {
      conversation = new Conversation(conversation.spool, name);
      conversation.prepare();
      await capture(name);
    }
    server.misbehave({ path: /\/sessions\/ab-/u, fault: { kind: 'status', status: 500 } });
    const ended = work();
    await server.untilMessages('zz-good', 1);
    const firstAt = new Map<string, number>();
    for (const { path, at } of server.requests) {
      const name = path.split('/')[4] ?? '';
      if (!firstAt.has(name)) firstAt.set(name, at);
    }
    const [fifth, sixth] = [...firstAt].slice(4);
    expect(new Set([...firstAt.keys()].slice(0, 5))).toEqual(new Set(names.slice(0, 5)));
    // The pause of the server, which is 1 s at first, lies between them.
    expect((sixth?.[1] ?? 0) - (fifth?.[1] ?? 0)).toBeGreaterThan(900);
    expect(server.conversation('ab-1')).toEqual([]);
    server.behave();
    expect(await ended).toBe(0);
    for (const name of names) expect(server.conversation(name).map((message) => messageText(message))).toEqual([name]);
    expect(marked()).toEqual([]);
  });

  it('asks a server that fails at everything ever more seldom, and goes on as soon as it carries something out', async () => {
    const waiting = leaveWaiting(home, { conversations: 60, harness: 'one', sessionPrefix: 'aa-' });
    server.misbehave({ fault: { kind: 'status', status: 502 } });
    await bundleWorker({}, 0.1);
    expect(await work()).toBe(0);
    // Pauses of 1, 2, 4, 8 and 16 s fit into its minute, and those of the conversations never come to more.
    expect(server.requests.length).toBeGreaterThanOrEqual(10);
    expect(server.requests.length).toBeLessThanOrEqual(30);
    const { failures, nextAttemptAt, lastError } = readServerDelivery(deliveryPath());
    expect({ failures, lastError }).toEqual({ failures: server.requests.length / 5, lastError: '502 STUB' });
    expect(nextAttemptAt).toBeGreaterThan(0);

    // Until then nobody asks at all, also a worker that is started meanwhile.
    const pause = { failures, nextAttemptAt: Date.now() + 150_000, failedAt: Date.now(), lastError: '502 STUB' };
    writeServerDelivery(deliveryPath(), pause);
    server.behave();
    server.forgetRequests();
    expect(await work()).toBe(0);
    expect(server.requests).toEqual([]);
    expect(await work('sweep')).toBe(0);
    expect(marked()).toEqual([]);
    for (const session of waiting) expect(server.conversation(session)).toHaveLength(2);
    expect(readServerDelivery(deliveryPath())).toMatchObject({ failures: 0, nextAttemptAt: 0 });
  });

  it('gives a server no pause of its own for four conversations at which it fails', async () => {
    const failing = leaveWaiting(home, { conversations: 4, harness: 'one', sessionPrefix: 'ab-' });
    server.misbehave({ path: /\/sessions\/ab-/u, fault: { kind: 'status', status: 500 } });
    await bundleWorker({}, 0.05);
    expect(await work()).toBe(0);
    expect(server.requests.length).toBeGreaterThan(failing.length);
    expect(readServerDelivery(deliveryPath())).toMatchObject({ failures: 0, nextAttemptAt: 0, lastError: '500 STUB' });
  });

  it.each([
    ['a folder in its place', undefined],
    ['a disk that takes no notes', READ_ONLY_NOTES],
  ])('does the rest of its work where a back-off cannot be written: %s', async (_why, preload) => {
    // Old enough to be told as too old, and not delivered: what comes behind delivery sees it.
    const [failing = ''] = leaveWaiting(home, { conversations: 1, harness: 'one', sessionPrefix: 'ab-' });
    const backOff = `.openviking/spool/${failing}/back-off.json`;
    if (preload === undefined) home.makeFolder(backOff);
    else home.write(backOff, JSON.stringify({ failures: 2, nextAttemptAt: 1 }));
    const connection = { url: server.url, api_key: 'k', plugin: { spoolMaxAgeDays: 30 } };
    home.write('.openviking/ovcli.conf', JSON.stringify(connection), 0o600);
    writeServerDelivery(deliveryPath(), { failures: 2, nextAttemptAt: 1 });
    server.misbehave({ path: /\/sessions\/ab-/u, fault: { kind: 'status', status: 500 } });
    await capture('a');
    expect(await work('sweep', preload)).toBe(0);
    expect(said()).toEqual(['a']);
    for (const note of ['.size.json', '.age.json']) expect(home.has(`.openviking/spool/${note}`)).toBe(true);
  });

  it('notes a failure at a conversation with it, and changes nothing that is known of the server but its last error', async () => {
    const known = { failures: 2, nextAttemptAt: 1, blockedFor: 'other credentials', lastSuccess: '2026-01-01' };
    writeServerDelivery(deliveryPath(), known);
    await capture('a');
    server.misbehave({ method: 'POST', fault: { kind: 'status', status: 500 } });
    const ended = work();
    await waitUntil('the note', () => backOffOf(conversation) !== undefined);
    expect(readServerDelivery(deliveryPath())).toEqual({ ...known, lastError: '500 STUB' });
    server.behave();
    await ended;
    expect(said()).toEqual(['a']);
    expect(backOffOf(conversation)).toBeUndefined();
    expect(readServerDelivery(deliveryPath())).toMatchObject({ failures: 0, lastSuccess: expect.stringMatching(/T/u) });
  });

  it('says in its log that it failed, and nothing of what was said', async () => {
    await capture('a');
    server.misbehave({ fault: { kind: 'silence' } });
    const failing = `const now = () => require('node:fs').existsSync(${JSON.stringify(home.at('now'))});
      setInterval(() => { if (now()) throw new TypeError('What the user typed'); }, 10);`;
    const working = work('deliver', failing);
    await waitUntil('a question to the server', () => server.requests.length > 0);
    home.write('now', '');
    expect(await working).toBe(1);
    const log = readFileSync(join(homePaths(home.path).logs, 'one.log'), 'utf8');
    expect(log).toMatch(/ error worker TypeError at .*before\.cjs/u);
    expect(log).not.toContain('typed');
  });

  it('sends with the defaults of its client, and what another one left under its own name', async () => {
    await bundleWorker({ timeoutMs: 1_000 });
    await capture('a', { harness: 'two' });
    expect(await work()).toBe(0);
    const agents = new Set(server.requests.map(({ headers }) => headers['user-agent']));
    expect([...agents]).toEqual(['openviking-memory-one/1.2.3']);

    await capture('b');
    server.misbehave({ method: 'GET', fault: { kind: 'delay', ms: 10_000 }, times: 1 });
    server.forgetRequests();
    expect(await work()).toBe(0);
    // What the default says was over too soon and was tried again; what is usual, 15 s, would have been enough.
    expect(server.requestsTo('GET', /\/sessions\//u).length).toBeGreaterThan(1);
    expect(said()).toEqual(['a', 'b']);
  });

  it('keeps no prompt of a subagent that was noted before subagents were to be left out', async () => {
    notePrompt(conversation, {
      turnId: 't1',
      harness: 'one',
      nativeId: 'one',
      subagentId: 'two',
      text: 'Look into the parser.',
      typed: 'x',
      at: '2026-01-01T00:00:00.000Z',
      cwd: home.path,
    });
    const plugin = { skipSubagentSessions: true };
    home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'k', plugin }), 0o600);
    expect(await work()).toBe(0);
    expect(pendingPrompts(conversation)).toEqual([]);
    expect(server.requests).toEqual([]);
  });
});

describe('a worker whose environment names a server of its own', () => {
  let other: StubServer;
  beforeEach(async () => {
    other = await startStubServer({ apiKey: 'other' });
  });
  afterEach(() => other.close());
  const environment = () => ({ OPENVIKING_URL: other.url, OPENVIKING_API_KEY: 'other' });

  it('takes a record of an older program, which has no mark, where the files say', async () => {
    await capture('old');
    expect(await work('deliver', undefined, environment())).toBe(0);
    expect(said()).toEqual(['old']);
    expect(other.requests).toEqual([]);
  });

  it('sends it to that one where the files name none: it can only have been meant for it', async () => {
    home.write('.openviking/ovcli.conf', '{}', 0o600);
    await capture('old');
    expect(await work('deliver', undefined, environment())).toBe(0);
    expect(other.conversation(SESSION).map((message) => messageText(message))).toEqual(['old']);
  });

  it('leaves a prompt alone whose end it cannot capture: its settings lie elsewhere', async () => {
    const at = new Date(Date.now() - 24 * 60 * 60_000).toISOString();
    const prompt = { harness: 'one', nativeId: 'one', text: 'a prompt', typed: 't', at, cwd: home.path };
    notePrompt(conversation, { ...prompt, turnId: 'elsewhere', environment: '5f3a0c11' });
    expect(await work('sweep', undefined, environment())).toBe(0);
    expect(pendingPrompts(conversation)).toHaveLength(1);
    expect(conversation.hasRecords()).toBe(false);
  });
});

it('a switch in the shell of one conversation drops no prompt of another', async () => {
  const theirs = new Conversation(conversation.spool, 'aa-two');
  theirs.prepare();
  const at = new Date().toISOString();
  for (const [of, nativeId] of [
    [conversation, 'one'],
    [theirs, 'two'],
  ] as const)
    notePrompt(of, {
      turnId: 't',
      harness: 'one',
      nativeId,
      text: 'x',
      typed: 't',
      at,
      cwd: home.path,
      environment: '',
    });
  expect(await work('sweep', undefined, { OPENVIKING_AUTO_CAPTURE: 'false' })).toBe(0);
  expect([conversation, theirs].map((of) => pendingPrompts(of).length)).toEqual([0, 1]);
});
