/**
 * What is particular to this client, on built bundles and its strict imitation: modes in which no hook sees the turn, a
 * record that comes late, is written anew or lies elsewhere, and hooks that tell a turn's ids differently.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createTemporaryHome,
  killProcessesOfHome,
  messageText,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { CursorHost, writeCursorHooks } from '../testing/index.ts';
import type { CursorHostOptions, CursorSession } from '../testing/index.ts';

const PAYLOAD = join(import.meta.dirname, '..', 'dist', 'payload');

let home: TemporaryHome;
let server: StubServer;
const hosts: CursorHost[] = [];

beforeEach(async () => {
  if (!existsSync(PAYLOAD)) throw new Error(`${PAYLOAD} does not exist: run the build first.`);
  server = await startStubServer({ apiKey: 'key' });
  home = createTemporaryHome();
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'key' }), 0o600);
  writeCursorHooks(home.path, PAYLOAD);
});
afterEach(async () => {
  try {
    for (const { run } of hosts.splice(0).flatMap((host) => host.runs)) {
      expect(run).toMatchObject({ exitCode: 0, stderr: '', pipesHeldOpen: false, timedOut: false });
    }
  } finally {
    killProcessesOfHome(home.path);
    await server.close();
    await untilHomeIsQuiet(home.path);
    home.remove();
  }
});

function host(options: Partial<CursorHostOptions> = {}): CursorHost {
  const started = new CursorHost({ home: home.path, cwd: home.makeFolder('work/app'), ...options });
  hosts.push(started);
  return started;
}

/** What the server has of a conversation, once nothing is under way any more. */
async function stored(session: CursorSession | string, count: number): Promise<string[]> {
  const id = typeof session === 'string' ? session : `cu-${session.id}`;
  await server.untilMessages(id, count);
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  return server.conversation(id).map((message) => `${message.role}: ${messageText(message)}`);
}

const QUESTION = 'Which port does the billing service use?';
const ANSWER = 'The billing service uses port 8123.';

describe('print mode', () => {
  const PRINT = { program: 'agent', print: true } as const;

  it('stores the turn at the end of the session', async () => {
    server.store.profile = '# Profile\nPrefers short answers.\n';
    const session = host(PRINT).startSession();
    const { injected } = await session.prompt(QUESTION);
    expect(injected).toContain('Prefers short answers.');
    await session.tool('Shell', { command: 'cat billing.toml' }, 'port = 8123', { say: 'I look into the settings.' });
    await session.answer(ANSWER);
    await session.end();
    expect(await stored(session, 2)).toEqual([`user: ${QUESTION}`, expect.stringContaining(ANSWER)]);
    expect(server.store.sessions.get(`cu-${session.id}`)?.commits.length).toBeGreaterThan(0);
  });

  it('stores it at the next start where the end never came', async () => {
    const killed = host(PRINT).startSession();
    await killed.prompt(QUESTION);
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
    await killed.answer(ANSWER);
    expect(server.conversation(`cu-${killed.id}`)).toEqual([]);
    await host({ cwd: home.makeFolder('work/other') })
      .startSession()
      .prompt('something else entirely');
    expect(await stored(killed, 2)).toEqual([`user: ${QUESTION}`, `assistant: ${ANSWER}`]);
  });

  it('stores each turn of a conversation that goes on once', async () => {
    let session = host(PRINT).startSession();
    const expected: string[] = [];
    for (const turn of ['first', 'second', 'third']) {
      await session.prompt(`The ${turn} question about billing`);
      await session.answer(`The ${turn} answer about billing`);
      await session.end();
      expected.push(`user: The ${turn} question about billing`, `assistant: The ${turn} answer about billing`);
      expect(await stored(session, expected.length)).toEqual(expected);
      session = host(PRINT).startSession(session);
    }
  });
});

describe('the record', () => {
  it.each(['folder', 'flat'] as const)('is read in the layout %s', async (layout) => {
    const session = host({ layout }).startSession();
    await session.prompt(QUESTION);
    await session.tool('Read', { file_path: 'billing.toml' }, 'port = 8123', { say: 'I look into the settings.' });
    await session.answer(ANSWER);
    expect((await stored(session, 2))[1]).toMatch(/I look into the settings\.[\s\S]*8123/);
  });

  it('may come after the hooks: the answer is stored, once', async () => {
    const session = host({ recordLagMs: 150 }).startSession();
    for (const turn of ['first', 'second']) {
      await session.prompt(`The ${turn} question about billing`);
      await session.answer(`The ${turn} answer about billing`);
    }
    expect(await stored(session, 4)).toEqual([
      'user: The first question about billing',
      'assistant: The first answer about billing',
      'user: The second question about billing',
      'assistant: The second answer about billing',
    ]);
  });

  it('may be written anew, also while turns repeat', async () => {
    const session = host().startSession();
    for (const [turn, rewrite] of [
      ['one', () => session.transcript.rewrite()],
      ['two', () => session.transcript.dropFirst(2)],
      ['three', () => undefined],
    ] as const) {
      await session.prompt('Please go on with it');
      await session.answer(`This is step ${turn}`);
      expect(await untilHomeIsQuiet(home.path)).toEqual([]);
      rewrite();
    }
    expect(await stored(session, 6)).toEqual([
      'user: Please go on with it',
      'assistant: This is step one',
      'user: Please go on with it',
      'assistant: This is step two',
      'user: Please go on with it',
      'assistant: This is step three',
    ]);
  });

  it('makes up for a turn whose end no hook saw', async () => {
    const session = host().startSession();
    await session.prompt(QUESTION);
    await session.answer(ANSWER, { stop: 'missed' });
    await host({ cwd: home.makeFolder('work/other') })
      .startSession()
      .prompt('something else entirely');
    expect(await stored(session, 2)).toEqual([`user: ${QUESTION}`, `assistant: ${ANSWER}`]);
  });

  it('is not needed: prompt and answer are stored without it, once', async () => {
    let session = host({ keepsRecord: false }).startSession();
    const expected: string[] = [];
    for (const turn of ['first', 'second', 'third']) {
      if (turn === 'third') session = host({ keepsRecord: false }).startSession(session);
      await session.prompt(`The ${turn} question about billing`);
      await session.answer(`The ${turn} answer about billing`);
      expected.push(`user: The ${turn} question about billing`, `assistant: The ${turn} answer about billing`);
    }
    expect(await stored(session, expected.length)).toEqual(expected);
  });
});

describe('subagents', () => {
  it('are conversations of their own', async () => {
    const session = host().startSession();
    await session.prompt(QUESTION);
    const { id } = await session.subagent(
      'Find the port of the billing service.',
      'It is set to 8123 in billing.toml.',
    );
    await session.answer(ANSWER);
    expect(await stored(session, 2)).toEqual([`user: ${QUESTION}`, `assistant: ${ANSWER}`]);
    expect(await stored(`cu-${session.id}__subagent-${id}`, 2)).toEqual([
      'user: Find the port of the billing service.',
      'assistant: It is set to 8123 in billing.toml.',
    ]);
  });

  it('whose end is told twice, as where a project has the hooks too, are stored once', async () => {
    const session = host().startSession();
    await session.prompt(QUESTION);
    const { id } = await session.subagent('Find the port.', 'It is 8123.', { ends: 2 });
    await session.answer(ANSWER);
    expect(await stored(session, 2)).toEqual([`user: ${QUESTION}`, `assistant: ${ANSWER}`]);
    expect(await stored(`cu-${session.id}__subagent-${id}`, 2)).toEqual([
      'user: Find the port.',
      'assistant: It is 8123.',
    ]);
  });
});

describe('the gate', () => {
  it('is answered for every tool, so that none is blocked', async () => {
    const session = host().startSession();
    await session.prompt(QUESTION);
    for (const [name, input] of [
      ['Read', { file_path: 'a.ts' }],
      ['Grep', { pattern: 'viking://', path: 'src' }],
      ['Glob', { target_directory: 'src', glob_pattern: '**/*.ts' }],
      ['Write', { file_path: 'a.ts', contents: 'x' }],
      ['StrReplace', { path: 'a.ts', old_string: 'a', new_string: 'b' }],
      ['Shell', { command: 'ls' }],
      ['Delete', { path: 'a.ts' }],
      ['MCP:find', { query: 'x' }],
    ] as const) {
      expect({ name, denied: (await session.tool(name, input, 'done')).denied }).toEqual({ name, denied: undefined });
    }
    expect((await session.tool('StrReplace', { path: 'viking://~/memories/x.md' }, '')).denied).toMatch(/remember/);
    expect((await session.tool('Glob', { target_directory: 'viking://~/memories' }, '')).denied).toMatch(/list/);
    expect((await session.tool('Delete', { path: 'viking://~/memories/x.md' }, '')).denied).toMatch(/forget\(uri=/);
  });
});
