/**
 * Must hold 5: conversations as ZCode records them, through the real bundles. What the server holds afterwards must be the
 * conversation itself: nothing lost, nothing doubled, nothing that was never said.
 */
import { existsSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeZcodeConfig, ZcodeHost } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  inTime,
  killProcessesOfHome,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { ZcodeHostOptions, ZcodeSession } from '@openviking/harness-zcode/testing';
import type { StoredMessage, StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ZCODE_PAYLOAD } from './artefacts.ts';

/** The same words again within this time are the same event, in ms. */
const SAME_WORDS_MS = 2_000;

let home: TemporaryHome;
let server: StubServer;

beforeEach(async () => {
  server = await startStubServer();
  home = createTemporaryHome();
  home.write(
    '.openviking/ovcli.conf',
    JSON.stringify({ url: server.url, api_key: 'k', plugin: { captureToolResults: true } }),
    0o600,
  );
  writeZcodeConfig(home.path, ZCODE_PAYLOAD);
});
afterEach(async () => {
  killProcessesOfHome(home.path);
  await server.close();
  home.remove();
});

function start(options: Partial<ZcodeHostOptions> = {}): ZcodeHost {
  return new ZcodeHost({ home: home.path, cwd: home.makeFolder('project'), ...options });
}

/** A message as one line per part, without ids and times. */
function lines(message: StoredMessage): string[] {
  const parts = message.parts ?? [{ type: 'text', text: message.content ?? '' }];
  return parts.map((part) =>
    part['type'] === 'tool'
      ? `${message.role} tool ${String(part['tool_name'])} ${JSON.stringify(part['tool_input'])} → ${String(part['tool_output'])} (${String(part['tool_status'])})`
      : `${message.role}: ${String(part['text'])}`,
  );
}

/** Waits until nothing of ours runs and the server holds something, then returns all of it. */
async function captured(session: ZcodeSession): Promise<string[]> {
  await server.untilMessages(`zc-${session.id}`, 1);
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  return server.conversation(`zc-${session.id}`).flatMap(lines);
}

describe('a ZCode conversation', () => {
  it('with several model steps in one turn keeps every text and every tool call', async () => {
    const session = start().startSession();
    await session.prompt('数一下 src 里的文件 🦄');
    await session.tool('Bash', { command: 'ls src' }, 'a.ts\nb.ts', { say: 'I list the folder first.' });
    await session.tool('Read', { file_path: 'src/a.ts' }, 'ENOENT', { say: 'Then one file.', isError: true });
    await session.tool('Bash', { command: 'wc -l src/b.ts' }, '12');
    await session.answer('Two files, 共两个 👨‍👩‍👧‍👦.');
    expect(await captured(session)).toEqual([
      'user: 数一下 src 里的文件 🦄',
      'assistant: I list the folder first.',
      'assistant tool Bash {"command":"ls src"} → a.ts\nb.ts (completed)',
      'assistant: Then one file.',
      'assistant tool Read {"file_path":"src/a.ts"} → ENOENT (error)',
      'assistant tool Bash {"command":"wc -l src/b.ts"} → 12 (completed)',
      'assistant: Two files, 共两个 👨‍👩‍👧‍👦.',
    ]);
  });

  it('with title requests, failed attempts and a compaction request keeps none of them', async () => {
    const session = start().startSession();
    await session.prompt('Rename the parser module');
    session.title('Parser renaming');
    session.failAttempt({ recorded: true });
    session.failAttempt({ recorded: false });
    await session.tool('Bash', { command: 'git mv a b' }, '');
    session.title('Another title');
    await session.answer('The module is renamed.');
    session.compact('SUMMARY of all that was said so far');
    await session.prompt('Now run the tests');
    await session.answer('All tests pass.');
    expect(await captured(session)).toEqual([
      'user: Rename the parser module',
      'assistant tool Bash {"command":"git mv a b"} →  (completed)',
      'assistant: The module is renamed.',
      'user: Now run the tests',
      'assistant: All tests pass.',
    ]);
  });

  it('of many turns written as deltas keeps each once', async () => {
    const session = start().startSession();
    const expected: string[] = [];
    for (let turn = 1; turn <= 5; turn += 1) {
      await session.prompt(`Delta question number ${turn}`);
      await session.answer(`Delta answer number ${turn}`);
      expected.push(`user: Delta question number ${turn}`, `assistant: Delta answer number ${turn}`);
    }
    expect(await captured(session)).toEqual(expected);
  });

  it('that goes on in a new process with a tail of 64 messages sends nothing again', async () => {
    const first = start().startSession();
    const expected: string[] = [];
    const say = async (session: ZcodeSession, name: string): Promise<void> => {
      await session.prompt(`Question ${name} for the tail`);
      for (let step = 0; step < 6; step += 1) await session.tool('Bash', { step }, `output ${step}`);
      await session.answer(`Answer ${name} for the tail`);
      expected.push(`user: Question ${name} for the tail`);
      for (let step = 0; step < 6; step += 1)
        expected.push(`assistant tool Bash {"step":${step}} → output ${step} (completed)`);
      expected.push(`assistant: Answer ${name} for the tail`);
    };
    for (let turn = 1; turn <= 5; turn += 1) await say(first, String(turn));
    const second = start().startSession(first);
    await say(second, 'after the restart');
    expect(await captured(second)).toEqual(expected);
  });

  it('whose file starts over at its size limit loses and doubles nothing', async () => {
    const session = start({ rollout: { fileLimitBytes: 9_000 } }).startSession();
    const expected: string[] = [];
    for (let turn = 1; turn <= 6; turn += 1) {
      await session.prompt(`Question ${turn} ${'q'.repeat(600)}`);
      await session.answer(`Answer ${turn} ${'a'.repeat(600)}`);
      expected.push(`user: Question ${turn} ${'q'.repeat(600)}`, `assistant: Answer ${turn} ${'a'.repeat(600)}`);
    }
    expect(await captured(session)).toEqual(expected);
  });

  it('whose file is gone is taken from what the hooks saw', async () => {
    const host = start();
    const session = host.startSession();
    await session.prompt('A question before the file vanished');
    await session.answer('An answer before the file vanished');
    rmSync(session.rolloutPath);
    await session.prompt('A question without any file');
    rmSync(session.rolloutPath, { force: true });
    await session.answer('An answer without any file', { lineAfterStopMs: 1_500 });
    expect(await captured(session)).toEqual([
      'user: A question before the file vanished',
      'assistant: An answer before the file vanished',
      'user: A question without any file',
      'assistant: An answer without any file',
    ]);
  });

  it('whose file subagents pushed out keeps its turns, and takes none of theirs', async () => {
    const host = start();
    const session = host.startSession();
    await session.prompt('Ask three helpers about the schema');
    for (const name of ['one', 'two', 'three']) host.runSubagent(`helper prompt ${name}`, `helper answer ${name}`);
    await session.answer('They all agree on the schema.');
    expect(existsSync(session.rolloutPath)).toBe(true);
    expect(await captured(session)).toEqual([
      'user: Ask three helpers about the schema',
      'assistant: They all agree on the schema.',
    ]);
  });

  it('whose last line comes after Stop is completed from it', async () => {
    const expected = [
      'user: Look at the log and tell me',
      'assistant: I look at the log.',
      'assistant tool Bash {"command":"tail log"} → all quiet (completed)',
      'assistant: The log is quiet.',
    ];
    let found: string[] = [];
    // A turn waits a third of a second for its line: again where the machine was too busy to write it within that.
    for (let tries = 0; tries < 10 && found.length < expected.length; tries += 1) {
      const session = start().startSession();
      await session.prompt('Look at the log and tell me');
      await session.tool('Bash', { command: 'tail log' }, 'all quiet', { say: 'I look at the log.' });
      await session.answer('The log is quiet.', { lineAfterStopMs: 100 });
      found = await captured(session);
    }
    expect(found).toEqual(expected);
  });

  it('with a turn whose Stop never came keeps that turn too', async () => {
    const session = start().startSession();
    await session.prompt('The window is closed before the end');
    await session.answer('This answer was given all the same', { stop: 'missed' });
    await session.prompt('Here I am again with a question');
    await session.answer('Welcome back to the conversation');
    expect(await captured(session)).toEqual([
      'user: The window is closed before the end',
      'assistant: This answer was given all the same',
      'user: Here I am again with a question',
      'assistant: Welcome back to the conversation',
    ]);
  });

  it('has what the user adds while the model works as often as it was said, and once if two hooks were told of it', async () => {
    // A hook takes longer than a person would need to say it again: that time does not count.
    const delayMs = SAME_WORDS_MS + 500;
    server.misbehave({ path: /search/u, fault: { kind: 'delay', ms: delayMs } });
    const messages = await inTime(SAME_WORDS_MS, async () => {
      const host = start();
      const session = host.startSession();
      await session.prompt('Please go on with the fence');
      await new Promise((done) => setTimeout(done, SAME_WORDS_MS + 200));
      await session.remark('Please go on with the fence');
      await Promise.all([session.remark('And oil the hinges'), session.remark('And oil the hinges')]);
      await session.remark('And oil the hinges');
      const walls = host.runs.slice(-3).map(({ run }) => run.wallMs);
      await new Promise((done) => setTimeout(done, SAME_WORDS_MS + 200));
      await session.remark('And oil the hinges');
      await session.answer('The fence is painted.');
      // What the server takes for its answer is none of the machine's time.
      const tookMs = Math.max(...walls.map((wall) => (wall < delayMs ? wall : wall - delayMs)));
      return { tookMs, found: await captured(session) };
    });
    expect(messages).toEqual([
      `user: ${['Please go on with the fence', 'And oil the hinges'].flatMap((said) => [said, said]).join('\n\n')}`,
      'assistant: The fence is painted.',
    ]);
  });

  it.each(['user-message', 'system-message'] as const)('never contains what was added as %s', async (injection) => {
    const text = 'Memory: the deployment target is called heron.';
    server.store.memories.push({ uri: 'viking://~/memories/e.md', category: 'events', abstract: text, text });
    server.store.profile = 'Profile of a careful person.';
    const session = start({ injection }).startSession();
    const { injected } = await session.prompt('What is the deployment target called?');
    expect(injected).toContain(text);
    await session.answer('The target is heron.');
    await session.prompt('And which deployment target was it before?');
    await session.answer('Before that it was egret.');
    expect(await captured(session)).toEqual([
      'user: What is the deployment target called?',
      'assistant: The target is heron.',
      'user: And which deployment target was it before?',
      'assistant: Before that it was egret.',
    ]);
  });
});
