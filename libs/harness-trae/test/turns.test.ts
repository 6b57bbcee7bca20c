/**
 * Which prompt an answer belongs to, in a client whose payloads number no turns and that keeps no record which could be read:
 * on the built bundles, with real processes and a real server on the loopback interface.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AT_ONCE_MS,
  createTemporaryHome,
  doubledAfterMs,
  inTime,
  killProcessesOfHome,
  messageText,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { TraeHost, writeTraeHooks } from '../testing/index.ts';
import type { TraeSession } from '../testing/index.ts';

const payloadDir = join(import.meta.dirname, '..', 'dist', 'payload');
const API_KEY = 'trae-test-key-77c0';
/** The same words again within this time after the hook that noted them are the same event, in ms. */
const SAME_EVENT_MS = 500;

let home: TemporaryHome;
let server: StubServer;
let host: TraeHost;
beforeEach(async () => {
  server = await startStubServer({ apiKey: API_KEY });
  home = createTemporaryHome();
  configure();
  writeTraeHooks('trae', home.path, payloadDir);
  host = new TraeHost({ home: home.path, cwd: home.makeFolder('work'), folder: '.trae' });
});
afterEach(async () => {
  try {
    for (const { run } of host.runs) expect(run).toMatchObject({ exitCode: 0, stderr: '', timedOut: false });
  } finally {
    killProcessesOfHome(home.path);
    await server.close();
    home.remove();
  }
});

function configure(plugin: Readonly<Record<string, unknown>> = {}): void {
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: API_KEY, plugin }), 0o600);
}

/** What the server has of a conversation, once nothing is under way any more; turns that belong together on one line. */
async function stored(session: TraeSession): Promise<string[]> {
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  const turns = new Map<string, string[]>();
  for (const message of server.conversation(`tr-${session.id}`)) {
    const id = message.turn_id ?? '';
    turns.set(id, [...(turns.get(id) ?? []), `${message.role}: ${messageText(message)}`]);
  }
  return [...turns.values()].map((messages) => messages.join(' / '));
}

describe('two prompts without an answer', () => {
  const FIRST = 'Please paint the fence.';
  const SECOND = 'And then the garden gate.';
  const each = [`user: ${FIRST} / assistant: The fence is painted.`, `user: ${SECOND} / assistant: The gate is done.`];

  it('get the answer each that names them', async () => {
    const session = host.startSession();
    await session.prompt(FIRST);
    await session.prompt(SECOND);
    await session.answer('The fence is painted.', FIRST);
    await session.answer('The gate is done.', SECOND);
    expect(await stored(session)).toEqual(each);
  });

  it('and the end of the first told twice: what it adds is added there', async () => {
    const session = host.startSession();
    await session.prompt(FIRST);
    await session.prompt(SECOND);
    await session.answer('The fence is painted.', FIRST);
    await session.answer('The fence is dry, too.', FIRST);
    await session.answer('The gate is done.', SECOND);
    expect(await stored(session)).toEqual([`${each[0]} / assistant: The fence is dry, too.`, each[1]]);
  });

  it('of which the first was stopped: the answer is that of the second', async () => {
    const session = host.startSession();
    await session.prompt(FIRST);
    await session.prompt(SECOND);
    await session.answer('The gate is done.');
    expect(await stored(session)).toEqual([`user: ${FIRST}`, each[1]]);
  });

  it('that were answered one after the other, and nothing says which: all is kept, and kept once', async () => {
    const session = host.startSession();
    await session.prompt(FIRST);
    await session.prompt(SECOND);
    await session.answer('The fence is painted.');
    await session.answer('The gate is done.');
    expect((await stored(session)).join(' / ').split(' / ')).toEqual([
      `user: ${FIRST}`,
      `user: ${SECOND}`,
      'assistant: The fence is painted.',
      'assistant: The gate is done.',
    ]);
  });
});

describe('an event of which two hooks are told', () => {
  const QUESTION = 'Is there anything new about the harbour?';

  it.each([1, 2, 3])('at once is one prompt (%i)', async () => {
    const turns = await inTime(AT_ONCE_MS, async () => {
      const session = host.startSession();
      const fire = () => host.fire('UserPromptSubmit', session.id, { prompt: QUESTION });
      await Promise.all([fire(), fire()]);
      await session.answer('Nothing is new, as far as I know.');
      const found = await stored(session);
      return { tookMs: doubledAfterMs(server.conversation(`tr-${session.id}`)), found };
    });
    expect(turns).toEqual([`user: ${QUESTION} / assistant: Nothing is new, as far as I know.`]);
  });

  it('one after the other is one prompt, however long the first took', async () => {
    const delayMs = 900;
    server.misbehave({ path: /search/, fault: { kind: 'delay', ms: delayMs } });
    const file = home.at('.trae/hooks.json');
    const { version, hooks } = JSON.parse(readFileSync(file, 'utf8')) as { version: number; hooks: object };
    const twice = Object.fromEntries(Object.entries(hooks).map(([name, groups]) => [name, [...groups, ...groups]]));
    writeFileSync(file, JSON.stringify({ version, hooks: twice }));
    const turns = await inTime(delayMs + SAME_EVENT_MS, async () => {
      const session = host.startSession();
      await session.prompt(QUESTION);
      await session.answer('Nothing is new, as far as I know.');
      await session.prompt(QUESTION);
      await session.answer('Now something is new after all.');
      const found = await stored(session);
      return { tookMs: doubledAfterMs(server.conversation(`tr-${session.id}`)), found };
    });
    expect(turns).toEqual([
      `user: ${QUESTION} / assistant: Nothing is new, as far as I know.`,
      `user: ${QUESTION} / assistant: Now something is new after all.`,
    ]);
  });
});

describe('an answer to a prompt that no hook noted', () => {
  const begin = async (): Promise<TraeSession> => {
    const session = host.startSession();
    await host.fire('SessionStart', session.id, {});
    return session;
  };

  it('is kept, with the prompt where the client repeats it', async () => {
    const [told, silent] = [await begin(), await begin()];
    await told.answer('The gate is done.', 'Please do the gate.');
    await told.answer('The gate is done.', 'Please do the gate.');
    await silent.answer('The fence is painted.');
    expect(await stored(told)).toEqual(['user: Please do the gate. / assistant: The gate is done.']);
    expect(await stored(silent)).toEqual(['assistant: The fence is painted.']);
  });

  it('stays unknown where memory may have been off', async () => {
    const unknown = host.startSession();
    await unknown.answer('The gate is done.', 'Please do the gate.');
    const off = await begin();
    configure({ enabled: false });
    await host.fire('UserPromptSubmit', off.id, { prompt: 'Please do the gate.' });
    configure();
    await off.answer('The gate is done.', 'Please do the gate.');
    expect(await stored(unknown)).toEqual([]);
    expect(await stored(off)).toEqual([]);
  });
});
