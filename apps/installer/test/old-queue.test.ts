/** The queue of the earlier shell installer: taken over once, durable, in order, whatever kills the run and whoever else sends it. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, utimesSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Conversation } from '@openviking/memory-core/full';
import { diffTrees, snapshotTree, startStubServer } from '@openviking/memory-core/testing';
import type { SpoolRecord } from '@openviking/memory-core/full';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { FIRST_IMPORT_POINT } from '../src/migration/import-queue.ts';
import { messageOf } from '../src/migration/old-message.ts';
import { parseOldEntry } from '../src/migration/old-queue.ts';
import { oldSessionOf } from '../src/migration/old-session.ts';
import { CLIENTS } from '../src/clients/catalogue.ts';
import { buildInstaller, NO_SERVER, runShipped } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const QUEUE = '.openviking/pending';
const ZCODE = 'zc-sess_1';
const CODEX = 'cx-0199';
const T0 = Date.parse('2026-11-20T08:00:00Z');

interface Queued {
  readonly type: 'addMessage' | 'commitSession';
  readonly sessionId: string;
  readonly payload: object;
  readonly createdAt: number;
}

/** Queues a request as the earlier hooks did. Returns its file's name. */
function enqueue(home: TemporaryHome, queued: Queued, retries = 0, ending = 'json'): string {
  const { type, sessionId, payload } = queued;
  const dedupKey = createHash('sha256')
    .update(JSON.stringify([type, sessionId, payload]))
    .digest('hex');
  const name = `${dedupKey}_${retries}.${ending}`;
  home.write(`${QUEUE}/${name}`, JSON.stringify({ ...queued, retries, dedupKey }), 0o600);
  return name;
}

const message = (sessionId: string, role: string, text: string, at: number): Queued => ({
  type: 'addMessage',
  sessionId,
  payload: { role, parts: [{ type: 'text', text }], turn_id: `t${at}`, peer_id: 'project-1' },
  createdAt: T0 + at,
});

/** Two conversations, queued across each other and not in the order of their names. */
function seed(home: TemporaryHome): readonly string[] {
  return [
    enqueue(home, message(ZCODE, 'user', 'first question', 1)),
    enqueue(home, message(CODEX, 'user', 'of another client', 2)),
    enqueue(home, message(ZCODE, 'assistant', 'first answer', 3), 2),
    enqueue(home, { type: 'commitSession', sessionId: ZCODE, payload: { keep_recent_count: 2 }, createdAt: T0 + 4 }),
    enqueue(home, message(ZCODE, 'user', 'second question', 5)),
  ];
}

const install = (home: TemporaryHome): readonly string[] => [
  'install',
  '--harness',
  'zcode',
  '--home',
  home.path,
  '--url',
  NO_SERVER,
  '--yes',
];

function recordsOf(home: TemporaryHome, session: string): readonly SpoolRecord[] {
  const conversation = new Conversation(home.at('.openviking/spool'), session);
  return conversation.sequence().flatMap((seq) => conversation.read(seq) ?? []);
}
const textsOf = (records: readonly SpoolRecord[]): readonly string[] =>
  records.flatMap(({ messages }) =>
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : []))),
  );
const filesIn = (home: TemporaryHome, folder: string): readonly string[] =>
  home.has(folder) ? readdirSync(home.at(folder)).filter((name) => /\.(json|processing)/.test(name)) : [];

/** The whole queue is in the spool, each request once and in order, and each file lies where it was moved to. */
function expectTakenOver(home: TemporaryHome, names: readonly string[]): void {
  const records = recordsOf(home, ZCODE);
  expect(textsOf(records)).toEqual(['first question', 'first answer', 'second question']);
  expect(records.map(({ commit }) => commit)).toEqual([
    undefined,
    undefined,
    { keep_recent_count: 2 },
    { keep_recent_count: 0 },
  ]);
  expect(textsOf(recordsOf(home, CODEX))).toEqual(['of another client']);
  expect(filesIn(home, QUEUE)).toEqual([]);
  expect(filesIn(home, `${QUEUE}/taken`)).toEqual([]);
  expect([...filesIn(home, `${QUEUE}/imported`)].sort()).toEqual([...names].sort());
}

describe('an installation', () => {
  it('takes the queue over in its order, says so once, and keeps every file as it was', () =>
    withHome(async (home) => {
      const names = seed(home);
      const before = names.map((name) => home.readText(`${QUEUE}/${name}`));
      const run = await installer.run(install(home));
      expect(run.code).toBe(3);
      expect(run.stdout).toContain("4 messages that the earlier installer's hooks could not deliver were taken over");
      expectTakenOver(home, names);
      expect(names.map((name) => home.readText(`${QUEUE}/imported/${name}`))).toEqual(before);
      const [first] = recordsOf(home, ZCODE);
      expect(first).toMatchObject({
        harness: 'zcode',
        nativeId: 'sess_1',
        peer: 'project-1',
        createdAt: new Date(T0 + 1).toISOString(),
        messages: [{ role: 'user', turn_id: 't1', peer_id: 'project-1' }],
      });
      expect(recordsOf(home, CODEX)[0]?.harness).toBe('codex');
      // What a conversation knows of its turns decides what is history: the import must not look like a captured turn.
      expect(first?.cursor.turns).toEqual([]);

      const after = snapshotTree(home.path);
      const again = await installer.run(install(home));
      expect(again.stdout).not.toContain('taken over');
      expect(diffTrees(after, snapshotTree(home.path))).toEqual([]);
    }));

  it('that only shows its plan takes over nothing, and says what it would', () =>
    withHome(async (home) => {
      seed(home);
      const before = snapshotTree(home.path);
      const run = await installer.run([...install(home), '--dry-run']);
      expect(run.stdout).toContain(`5 requests of the earlier installer's hooks would be taken over`);
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    }));

  it('killed at any point of it is finished by the next, and nothing is there twice', () =>
    withHome(async (probe) => {
      seed(probe);
      const points = Array.from({ length: 40 }, (_, index) => FIRST_IMPORT_POINT + index);
      let killed = 0;
      for (const point of points) {
        const isOver = await withHome(async (home) => {
          const names = seed(home);
          const run = await installer.runStopped(point, 'kill', install(home));
          if (run.signal !== 'SIGKILL') return true;
          killed += 1;
          await installer.run(install(home));
          expectTakenOver(home, names);
          await installer.run(install(home));
          expectTakenOver(home, names);
          return false;
        });
        if (isOver) break;
      }
      // Five are claimed, five put into the spool, five moved.
      expect(killed).toBe(15);
    }));

  it('leaves what an earlier hook is sending, and takes it when that hook is long gone', () =>
    withHome(async (home) => {
      const name = enqueue(home, message(ZCODE, 'user', 'under way', 1), 0, 'processing');
      const run = await installer.run(install(home));
      expect(run.stdout).toContain('is being sent by a hook of the earlier installer');
      expect(filesIn(home, QUEUE)).toEqual([name]);
      const longAgo = new Date(Date.now() - 11 * 60_000);
      utimesSync(home.at(QUEUE, name), longAgo, longAgo);
      await installer.run(install(home));
      expect(textsOf(recordsOf(home, ZCODE))).toEqual(['under way']);
    }));

  it('takes one request once although two files hold it, and the same words of a later time again', () =>
    withHome(async (home) => {
      const yes = message(ZCODE, 'user', 'yes', 1);
      enqueue(home, yes, 0);
      enqueue(home, yes, 1);
      await installer.run(install(home));
      expect(textsOf(recordsOf(home, ZCODE))).toEqual(['yes']);
      enqueue(home, yes, 0);
      enqueue(home, { ...yes, createdAt: T0 + 60_000 }, 1);
      await installer.run(install(home));
      expect(textsOf(recordsOf(home, ZCODE))).toEqual(['yes', 'yes']);
      expect(filesIn(home, `${QUEUE}/imported`)).toHaveLength(4);
    }));

  it('names what it cannot understand, and leaves it', () =>
    withHome(async (home) => {
      const odd = {
        'cut_0.json': '{"type":"addMess',
        'other_0.json': '{"type":"deleteSession","sessionId":"zc-1"}',
        'escape_0.json': JSON.stringify({ ...message('../../etc', 'user', 'x', 1), dedupKey: 'escape' }),
        'empty_0.json': JSON.stringify({ ...message(ZCODE, 'user', 'x', 1), payload: { role: 'user', parts: [] } }),
      };
      for (const [name, text] of Object.entries(odd)) home.write(`${QUEUE}/${name}`, text);
      home.write(`${QUEUE}/notes.txt`, 'mine');
      home.makeFolder(`${QUEUE}/folder.json`);
      const run = await installer.run(install(home));
      for (const name of Object.keys(odd)) {
        expect(run.stdout).toContain(`${home.at(QUEUE, name)} cannot be understood`);
        expect(home.readText(`${QUEUE}/${name}`)).toBe(odd[name as keyof typeof odd]);
      }
      expect(home.has('.openviking/spool/zc-1')).toBe(false);
      expect(home.has(`${QUEUE}/taken`)).toBe(false);
    }));

  it('keeps no secret that the earlier hooks had kept', () =>
    withHome(async (home) => {
      const key = `sk-ant-api03-${'Ab3dEf6h'.repeat(11)}-Ab3dEfAA`;
      enqueue(home, message(ZCODE, 'user', `my key is ${key}`, 1));
      await installer.run(install(home));
      const [record] = recordsOf(home, ZCODE);
      expect(JSON.stringify(record)).not.toContain(key);
      expect(textsOf(recordsOf(home, ZCODE))[0]).toMatch(/^my key is /);
    }));

  it('finds a queue that was moved, and the spool that is set', () =>
    withHome(async (home) => {
      enqueue(home, message(ZCODE, 'user', 'elsewhere', 1));
      const env = { OPENVIKING_PENDING_DIR: home.at(QUEUE), OPENVIKING_SPOOL_DIR: home.at('spooled') };
      await installer.run(install(home), { env });
      expect(readdirSync(home.at('spooled', ZCODE, 'records'))).toHaveLength(1);
      // One outside of the home that is acted on is somebody else's.
      await withHome(async (other) => {
        enqueue(other, message(ZCODE, 'user', 'not mine', 1));
        await installer.run(install(home), { env: { OPENVIKING_PENDING_DIR: other.at(QUEUE) } });
        expect(filesIn(other, QUEUE)).toHaveLength(1);
      });
    }));
});

it('what was taken over reaches the server once, in order, and is committed', () =>
  withHome(async (home) => {
    const server = await startStubServer();
    try {
      seed(home);
      const run = ['--harness', 'zcode', '--home', home.path, '--url', server.url, '--yes'];
      expect((await runShipped(['install', ...run])).code).toBe(0);
      await runShipped(['spool', 'retry', '--home', home.path]);
      const stored = await server.untilMessages(ZCODE, 3);
      expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
      expect(await server.untilMessages(CODEX, 1)).toHaveLength(1);
      await runShipped(['install', ...run]);
      await runShipped(['spool', 'retry', '--home', home.path]);
      expect(server.conversation(ZCODE)).toHaveLength(3);
    } finally {
      await server.close();
    }
  }));

describe('a request', () => {
  it.each([
    ['not JSON', 'x'],
    ['a list', '[]'],
    ['without a conversation', '{"type":"addMessage"}'],
  ])('that is %s is none', (_case, text) => {
    expect(parseOldEntry(text, 'a_0.json', 0)).toBeUndefined();
  });

  it.each([
    [1_700_000_000_000, 1_700_000_000_000],
    ['1700000000000', 1_700_000_000_000],
    ['2026-11-20T08:00:00Z', T0],
    [undefined, 7],
    ['yesterday', 7],
    [1e300, 7],
  ])('of the time %j is of %i', (createdAt, at) => {
    const text = JSON.stringify({ type: 'commitSession', sessionId: 'zc-1', createdAt });
    expect(parseOldEntry(text, 'a_0.json', 7)?.createdAt).toBe(at);
  });

  it('with plain content, without turn and time, gets them', () => {
    const text = JSON.stringify({ type: 'addMessage', sessionId: 'zc-1', payload: { role: 'user', content: 'hi' } });
    const entry = parseOldEntry(text, 'abc_3.json', T0);
    expect(entry === undefined ? undefined : messageOf(entry)).toMatchObject({
      parts: [{ type: 'text', text: 'hi' }],
      turn_id: expect.stringMatching(/^queued-[0-9a-f]{16}$/),
      created_at: new Date(T0).toISOString(),
    });
  });

  it.each([
    ['cc-1', 'claude', '1'],
    ['trcn-1', 'trae-cn', '1'],
    ['tr-1', 'trae', '1'],
    ['cx-1', 'codex', '1'],
    ['something', 'zcode', 'something'],
  ])('of %s is of %s', (session, harness, nativeId) => {
    expect(oldSessionOf(session, CLIENTS, 'zcode')).toEqual({ harness, nativeId });
  });

  it.each(['', '.', '..', 'a/b', 'a\\b', '.hidden', 'x'.repeat(300)])('of %j has no place', (session) => {
    expect(oldSessionOf(session, CLIENTS, 'zcode')).toBeUndefined();
  });
});

it('a hook that captures a turn of the same conversation afterwards keeps what the cursor knows, and captures no history', () =>
  withHome(async (home) => {
    // See import-queue.ts: a run that is killed at the wrong moment is found out by that.
    enqueue(home, message(ZCODE, 'user', 'queued', 1));
    await runShipped(['install', '--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
    const launcher = home.at('.openviking/agent-integrations/zcode/launch');
    const hook = (entry: string, event: object): void => {
      const input = JSON.stringify({ session_id: 'sess_1', turn_id: 'turn-new', cwd: home.path, ...event });
      execFileSync(launcher, [entry], { timeout: 240_000, input, env: { PATH: '/usr/bin:/bin', HOME: home.path } });
    };
    hook('user-prompt-submit', { hook_event_name: 'UserPromptSubmit', prompt: 'what colour does the sky have?' });
    hook('stop', { hook_event_name: 'Stop', last_assistant_message: 'It is blue most of the time.' });
    const records = recordsOf(home, ZCODE);
    expect(textsOf(records)).toEqual(['queued', 'what colour does the sky have?', 'It is blue most of the time.']);
    const cursor = records.at(-1)?.cursor as {
      readonly turns: readonly string[];
      readonly imported?: readonly string[];
    };
    expect(cursor.imported).toEqual((records[0]?.cursor as typeof cursor).imported);
    expect([cursor.imported?.length, cursor.turns.length]).toEqual([1, 1]);
  }));
