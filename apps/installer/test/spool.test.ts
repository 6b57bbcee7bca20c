/** `spool` with what ships: the built installer, and the built worker that it starts, against a server on a socket. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Conversation, environmentMark } from '@openviking/memory-core/full';
import { startStubServer, waitUntil } from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { runInProcess, shippedPayloads } from './support/in-process.ts';
import type { Run } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';

const PROGRAM = fileURLToPath(new URL('../bin/openviking-install.mjs', import.meta.url));
const BUILT = fileURLToPath(new URL('../dist/payload/zcode/worker.cjs', import.meta.url));
const KEY = 'the-right-key-0123';

let server: StubServer;
beforeEach(async () => {
  server = await startStubServer({ apiKey: KEY });
});
afterEach(() => server.close());

function run(home: TemporaryHome, ...args: readonly string[]): Promise<Omit<Run, 'signal'>> {
  return runWith({}, home, ...args);
}

/** In a shell with these variables. */
function runWith(
  variables: Readonly<Record<string, string>>,
  home: TemporaryHome,
  ...args: readonly string[]
): Promise<Omit<Run, 'signal'>> {
  return new Promise((resolve, reject) => {
    const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', ...variables };
    const child = spawn(process.execPath, [PROGRAM, ...args, '--home', home.path], { env });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

const install = (home: TemporaryHome, key: string) =>
  run(home, '--harness', 'zcode', '--yes', '--url', server.url, '--api-key', key);

const conversationOf = (home: TemporaryHome) => new Conversation(home.at('.openviking/spool'), 'zc-sess_1');

/** Captures turns the way hooks do. */
function capture(home: TemporaryHome, ...texts: readonly string[]): Promise<void> {
  return captureIn({}, conversationOf(home), ...texts);
}

async function captureIn(
  variables: Readonly<Record<string, string>>,
  conversation: Conversation,
  ...texts: readonly string[]
): Promise<void> {
  conversation.prepare();
  for (const text of texts) {
    await conversation.append((cursor) => ({
      harness: 'zcode',
      nativeId: 'sess_1',
      environment: environmentMark(variables),
      createdAt: '2026-01-01T00:00:00.000Z',
      messages: [
        { role: 'user', parts: [{ type: 'text', text }], turn_id: text, created_at: '2026-01-01T00:00:00.000Z' },
      ],
      cursor,
      commit: { keep_recent_count: 0 },
    }));
  }
}

const textsAt = (to: StubServer): readonly string[] =>
  to.conversation('zc-sess_1').map(({ turn_id }) => String(turn_id));

interface ListDocument {
  readonly conversations: readonly { readonly state: string; readonly depth: number; readonly deadLetters: number }[];
}
const list = async (home: TemporaryHome) =>
  JSON.parse((await run(home, 'spool', 'list', '--json')).stdout) as ListDocument;

describe('spool', () => {
  it('was built before this test', () => {
    expect({ file: BUILT, exists: existsSync(BUILT) }).toEqual({ file: BUILT, exists: true });
  });

  it('of an empty home has nothing to do and makes nothing', () =>
    withHome(async (home) => {
      for (const args of [[], ['list'], ['retry']]) {
        expect(await run(home, 'spool', ...args)).toEqual({
          code: 0,
          stdout: 'Nothing waits for a server.\n',
          stderr: '',
        });
      }
      expect(home.has('.openviking')).toBe(false);
    }));

  it('retry sends what waits, also after the credentials were refused', () =>
    withHome(async (home) => {
      await install(home, 'a-wrong-key-0123');
      await capture(home, 'one', 'two');
      expect((await list(home)).conversations).toMatchObject([{ state: 'waiting', depth: 2, deadLetters: 0 }]);
      const first = await run(home, 'spool', 'retry', '--json');
      expect(JSON.parse(first.stdout)).toMatchObject({ conversations: 1, started: true, requeued: 0, exitCode: 0 });
      await waitUntil('the refusal to be noted', async () => (await list(home)).conversations[0]?.state === 'blocked');
      expect((await run(home, 'spool', 'list')).stdout).toContain('blocked: the server has refused the credentials');
      expect((await run(home, 'status')).stderr).toContain('2 turns wait');

      server.setApiKey('a-wrong-key-0123');
      // Nothing has changed here, so the worker would not even ask; a person may.
      expect((await run(home, 'spool', 'retry')).stdout).toContain('Delivery of 1 conversation has started');
      await server.untilMessages('zc-sess_1', 2);
      await waitUntil('the spool to be empty', async () => (await list(home)).conversations.length === 0);
      expect(textsAt(server)).toEqual(['one', 'two']);
    }));

  it('shows a dead letter with its reason, and retry sends it once, behind what waits', () =>
    withHome(async (home) => {
      await install(home, KEY);
      await capture(home, 'refused', 'fine');
      server.misbehave({
        path: /\/messages/,
        fault: { kind: 'status', status: 422 },
        times: 2,
      });
      await run(home, 'spool', 'retry');
      await server.untilMessages('zc-sess_1', 1);
      await waitUntil('the dead letter', async () => (await list(home)).conversations[0]?.depth === 0);
      expect((await list(home)).conversations).toMatchObject([{ state: 'refused', depth: 0, deadLetters: 1 }]);
      const status = await run(home, 'status');
      expect(status.stderr).toContain('has refused 1 message for good');
      expect(status.code).toBe(3);

      const shown = await run(home, 'spool', 'show', 'zc-sess_1');
      const id = /^(zc-sess_1\/dead\/\S+) {2}.*refused: 422/m.exec(shown.stdout)?.[1] ?? '';
      const letter = JSON.parse((await run(home, 'spool', 'show', id)).stdout) as object;
      expect(letter).toMatchObject({
        reason: { status: 422 },
        message: { turn_id: 'refused' },
        origin: { harness: 'zcode', nativeId: 'sess_1', commit: { keep_recent_count: 0 } },
      });

      server.behave();
      expect((await run(home, 'spool', 'retry')).stdout).toContain('1 dead letter put back');
      await server.untilMessages('zc-sess_1', 2);
      await waitUntil('the spool to be empty', async () => (await list(home)).conversations.length === 0);
      expect((await run(home, 'spool', 'retry')).stdout).toBe('Nothing waits for a server.\n');
      expect(textsAt(server)).toEqual(['fine', 'refused']);
    }));

  it('drop says what goes, asks, and removes nothing else', () =>
    withHome(async (home) => {
      await install(home, KEY);
      await capture(home, 'one', 'two', 'three');
      const asked = await run(home, 'spool', 'drop', 'zc-sess_1/2');
      expect(asked).toMatchObject({ code: 1, stdout: expect.stringContaining('This removes zc-sess_1/2') as unknown });
      expect(asked.stderr).toContain('Add --yes');
      expect(conversationOf(home).sequence()).toEqual([1, 2, 3]);

      expect(await run(home, 'spool', 'drop', 'zc-sess_1/2', '--yes')).toMatchObject({ code: 0, stderr: '' });
      expect(await run(home, 'spool', 'drop', 'zc-sess_1/2', '--yes')).toMatchObject({ code: 2 });
      expect((await run(home, 'spool', 'show', 'zc-sess_1/3')).stdout).toContain('"turn_id": "three"');
      await run(home, 'spool', 'retry');
      await server.untilMessages('zc-sess_1', 2);
      await waitUntil('the spool to be empty', async () => (await list(home)).conversations.length === 0);
      expect(textsAt(server)).toEqual(['one', 'three']);

      await capture(home, 'four', 'five');
      const whole = await run(home, 'spool', 'drop', 'zc-sess_1', '--yes', '--lang', 'zh');
      expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining('2 轮对话') as unknown });
      expect((await list(home)).conversations).toEqual([]);
    }));

  it('without an installed client can look, and says what is missing for sending', () =>
    withHome(async (home) => {
      await capture(home, 'one');
      const retried = await run(home, 'spool', 'retry');
      expect(retried).toMatchObject({ code: 3, stderr: expect.stringContaining('no installed client') as unknown });
      expect((await list(home)).conversations).toMatchObject([{ depth: 1 }]);
    }));
});

describe('spool retry --here', () => {
  const shell = (key: string) => ({ OPENVIKING_URL: server.url, OPENVIKING_API_KEY: key });
  const OLD = 'a-revoked-key-0123';

  it('sends what was said with a key that has been replaced, after saying where to and asking', () =>
    withHome(async (home) => {
      await install(home, KEY);
      await captureIn(shell(OLD), conversationOf(home), 'one', 'two');
      const inShell = (...args: readonly string[]) => runWith(shell(KEY), home, 'spool', ...args);

      const plain = await inShell('retry');
      expect(plain).toMatchObject({ code: 0, stderr: '' });
      expect(plain.stdout).toContain('1 conversation waits for a hook with other OPENVIKING_* variables than here');
      expect(plain.stdout).toContain(' spool retry --here\n');
      expect(plain.stdout).not.toContain('has started');
      expect((await inShell('list')).stdout).toContain('if these are the new ones: spool retry --here');
      expect((await runWith(shell(KEY), home, 'status')).stdout).toContain(' spool retry --here');

      const asked = await inShell('retry', '--here');
      expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('Add --yes') as unknown });
      expect(asked.stdout).toContain(`This sends 2 turns of zc-sess_1 to ${server.url}`);
      expect(conversationOf(home).read(1)?.environment).toBe(environmentMark(shell(OLD)));

      const sent = await inShell('retry', '--here', '--yes', '--json');
      expect(JSON.parse(sent.stdout)).toMatchObject({ conversations: 1, elsewhere: 0, started: true, exitCode: 0 });
      await server.untilMessages('zc-sess_1', 2);
      await waitUntil('the spool to be empty', async () => (await list(home)).conversations.length === 0);
      expect(textsAt(server)).toEqual(['one', 'two']);
      expect(JSON.stringify(server.requests)).not.toContain(OLD);
      expect((await inShell('retry', '--here')).stdout).toBe('Nothing waits for a server.\n');
    }));

  it('with an id takes that conversation alone; without variables what waits goes where the files say', () =>
    withHome(async (home) => {
      await install(home, KEY);
      const other = new Conversation(home.at('.openviking/spool'), 'zc-sess_2');
      await captureIn(shell(OLD), conversationOf(home), 'one');
      await captureIn(shell(OLD), other, 'of somebody else');
      const sent = await run(home, 'spool', 'retry', '--here', 'zc-sess_1', '--yes', '--lang', 'zh');
      expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('zc-sess_1 的 1 轮对话') as unknown });
      await server.untilMessages('zc-sess_1', 1);
      await waitUntil('one to be delivered', async () => (await list(home)).conversations.length === 1);
      expect((await list(home)).conversations).toMatchObject([{ state: 'elsewhere', depth: 1 }]);
      expect(other.read(1)?.environment).toBe(environmentMark(shell(OLD)));
      expect(server.conversation('zc-sess_2')).toEqual([]);
    }));

  it('refuses what it cannot mean', () =>
    withHome(async (home) => {
      await capture(home, 'one');
      expect(await run(home, 'spool', 'retry', '--here', 'zc-other', '--yes')).toMatchObject({ code: 2 });
      expect(await run(home, 'spool', 'retry', 'zc-sess_1')).toMatchObject({ code: 2 });
      expect(await run(home, 'spool', 'drop', 'zc-sess_1', '--here', '--yes')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--here goes with spool retry') as unknown,
      });
      expect(conversationOf(home).sequence()).toEqual([1]);
    }));
});

describe('an installation', () => {
  it('whose key the server takes sends what has waited since another key was refused', () =>
    withHome(async (home) => {
      const payloads = shippedPayloads();
      const again = (...args: readonly string[]) =>
        runInProcess(args, { home: home.path, payloadRoot: payloads.folder, env: { PATH: '/usr/bin:/bin' } });
      const installWith = (key: string) =>
        again('--harness', 'zcode', '--yes', '--url', server.url, '--api-key', key, '--json');
      try {
        await installWith('a-wrong-key-0123');
        await capture(home, 'one', 'two');
        // The server does not take this key either: there is nobody to send it to.
        expect(JSON.parse((await installWith('a-wrong-key-0124')).stdout)).toMatchObject({ delivering: 0 });
        await again('spool', 'retry');
        await waitUntil('the refusal to be noted', async () =>
          (await again('status')).stdout.includes('(blocked: the server refuses the key)'),
        );

        const mended = await installWith(KEY);
        expect(JSON.parse(mended.stdout)).toMatchObject({ delivering: 1, exitCode: 0 });
        expect(mended.stderr).toContain('Delivery of 1 conversation has started');
        await server.untilMessages('zc-sess_1', 2);
        await waitUntil('the spool to be empty', async () =>
          (await again('status')).stdout.includes('Undelivered turns: none'),
        );
        expect(textsAt(server)).toEqual(['one', 'two']);
        expect(JSON.parse((await installWith(KEY)).stdout)).toMatchObject({ delivering: 0 });
      } finally {
        payloads.remove();
      }
    }));
});
