/**
 * Conversations that only this client holds, on the built bundles: what the conformance suite cannot know of. Real processes,
 * a real server on the loopback interface, the client's own files.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import {
  AT_ONCE_MS,
  createTemporaryHome,
  doubledAfterMs,
  homeEnvironment,
  inTime,
  killProcessesOfHome,
  messageText,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';
import { ClaudeHost, CONTEXT_LIMIT, writeClaudePlugin } from '../testing/index.ts';
import type { ClaudeHostOptions, ClaudeSession } from '../testing/index.ts';

const payloadDir = join(import.meta.dirname, '..', 'dist', 'payload');
const API_KEY = 'claude-test-key-5d1f';

let home: TemporaryHome;
let server: StubServer;
const hosts: ClaudeHost[] = [];

beforeEach(async () => {
  server = await startStubServer({ apiKey: API_KEY });
  home = createTemporaryHome();
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: API_KEY }), 0o600);
  writeClaudePlugin({ home: home.path, payloadDir });
});

afterEach(async () => {
  try {
    for (const { run } of hosts.splice(0).flatMap((host) => host.runs)) {
      expect(run).toMatchObject({ exitCode: 0, stderr: '', pipesHeldOpen: false, timedOut: false });
    }
  } finally {
    killProcessesOfHome(home.path);
    await server.close();
    home.remove();
  }
});

function startHost(options: Partial<ClaudeHostOptions> = {}): ClaudeHost {
  const host = new ClaudeHost({ home: home.path, cwd: home.makeFolder('work'), ...options });
  hosts.push(host);
  return host;
}

/** What the server has of a conversation, once nothing is under way any more. */
async function stored(session: ClaudeSession, subagent?: string): Promise<readonly string[]> {
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  const id = `cc-${session.id}${subagent === undefined ? '' : `__subagent-${subagent}`}`;
  return server.conversation(id).map((message) => `${message.role}: ${messageText(message)}`);
}

describe('a conversation', () => {
  it('keeps what the user adds while a tool runs, beside what was asked first', async () => {
    const session = startHost().startSession();
    await session.prompt('Please run the whole test suite.');
    await session.tool('Bash', { command: 'npm test' }, 'all green');
    await session.remark('And tell me how long it took.');
    await session.answer('All tests pass, in 40 seconds.');
    expect(await stored(session)).toEqual([
      'user: Please run the whole test suite.\n\nAnd tell me how long it took.',
      'assistant: All tests pass, in 40 seconds.',
    ]);
  });

  describe('of a build that numbers no turns', () => {
    const QUESTION = 'Is there anything new about the harbour?';

    it('has the same question twice if it was asked twice, and once if its event came twice', async () => {
      const messages = await inTime(AT_ONCE_MS, async () => {
        const session = startHost({ numbersTurns: false }).startSession();
        await session.prompt(QUESTION);
        await session.answer('Nothing is new, as far as I know.');
        await Promise.all([session.remark(QUESTION), session.remark(QUESTION)]);
        await session.answer('Now something is new after all.');
        const found = await stored(session);
        return { tookMs: doubledAfterMs(server.conversation(`cc-${session.id}`)), found };
      });
      expect(messages).toEqual([
        `user: ${QUESTION}`,
        'assistant: Nothing is new, as far as I know.',
        `user: ${QUESTION}`,
        'assistant: Now something is new after all.',
      ]);
    });

    it('keeps what a turn adds after its end, and what the user adds to that', async () => {
      const session = startHost({ numbersTurns: false }).startSession();
      await session.prompt('Please paint the fence and the gate.');
      await session.answer('The fence is painted.');
      await session.answer('The gate is painted, too.');
      await session.remark('And oil the hinges, please.');
      await session.answer('The hinges are oiled.');
      await session.end();
      expect(await stored(session)).toEqual([
        'user: Please paint the fence and the gate.',
        'assistant: The fence is painted.',
        'assistant: The gate is painted, too.',
        'user: And oil the hinges, please.',
        'assistant: The hinges are oiled.',
      ]);
    });
  });

  it('takes the notice of a background task for nobody’s words, and keeps the answer to it', async () => {
    const session = startHost().startSession();
    await session.prompt('Look for the parser in the background.');
    await session.answer('The search has begun.');
    server.forgetRequests();
    await session.notify('the parser lies in src/parse');
    await session.answer('The parser lies in src/parse, as it turned out.');
    expect(await stored(session)).toEqual([
      'user: Look for the parser in the background.',
      'assistant: The search has begun.',
      'assistant: The parser lies in src/parse, as it turned out.',
    ]);
    expect(server.requestsTo('POST', /search/)).toEqual([]);
  });

  it('of which the client keeps no record is kept from what its hooks were told', async () => {
    const session = startHost({ keepsRecord: false }).startSession();
    await session.prompt('What is the tallest mountain here?');
    await session.tool('Bash', { command: 'peaks' }, 'a list');
    await session.answer('The tallest mountain here is the Heron Peak.');
    await session.end();
    expect(await stored(session)).toEqual([
      'user: What is the tallest mountain here?',
      'assistant: The tallest mountain here is the Heron Peak.',
    ]);
    expect(server.store.sessions.get(`cc-${session.id}`)?.commits.length).toBeGreaterThan(0);
  });

  it('that is interrupted by leaving keeps the prompt', async () => {
    const session = startHost().startSession();
    await session.prompt('This question is never answered.');
    session.abort();
    await session.end();
    expect(await stored(session)).toEqual(['user: This question is never answered.']);
  });

  it('that is a fork keeps only what is said in it, also when both go on', async () => {
    const host = startHost();
    const first = host.startSession();
    await first.prompt('We decide for the blue theme.');
    await first.answer('The blue theme it is, noted.');
    const fork = host.forkSession(first);
    await fork.prompt('Let us try the green theme here.');
    await fork.tool('Bash', { command: 'theme green' }, 'done');
    await fork.answer('The green theme is in place here.');
    await first.prompt('Stay with the blue theme then.');
    await first.answer('Blue stays where it is.');
    expect(await stored(fork)).toEqual([
      'user: Let us try the green theme here.',
      'assistant: The green theme is in place here.',
    ]);
    expect(await stored(first)).toEqual([
      'user: We decide for the blue theme.',
      'assistant: The blue theme it is, noted.',
      'user: Stay with the blue theme then.',
      'assistant: Blue stays where it is.',
    ]);
  });

  it('that is compacted is committed first, and goes on without the summary', async () => {
    const session = startHost().startSession();
    await session.prompt('The deployment window is Thursday.');
    await session.answer('Thursday is the deployment window.');
    await session.compact('A summary that nobody said.');
    expect(server.store.sessions.get(`cc-${session.id}`)?.commits.length).toBeGreaterThan(0);
    await session.prompt('And who has to approve it?');
    await session.answer('The release team has to approve it.');
    const texts = await stored(session);
    expect(texts).toHaveLength(4);
    expect(JSON.stringify(texts)).not.toContain('summary');
    // The client's own subagents are no conversation.
    expect([...server.store.sessions.keys()].filter((id) => id.includes('subagent'))).toEqual([]);
  });

  it('keeps the work of a subagent apart from its parent’s', async () => {
    server.store.profile = 'Prefers short answers.';
    const session = startHost().startSession();
    await session.prompt('Have somebody count the files.');
    const { id, injected } = await session.subagent('Count the files in src.', 'There are 42 files in src.');
    expect(injected).toContain('Prefers short answers.');
    await session.answer('A subagent counted 42 files.');
    expect(await stored(session, id)).toEqual([
      'user: Count the files in src.',
      'assistant: There are 42 files in src.',
    ]);
    expect(await stored(session)).toEqual([
      'user: Have somebody count the files.',
      'assistant: A subagent counted 42 files.',
    ]);
  });

  it('tells trouble once in a conversation, and not again for each of its subagents', async () => {
    home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: 'another' }), 0o600);
    const host = startHost();
    const session = host.startSession();
    await session.prompt('Have two of them count the files.');
    for (const folder of ['src', 'test']) await session.subagent(`Count the files in ${folder}.`, 'There are 42.');
    await session.answer('There are 84 files.');
    const told = host.runs.filter(({ run }) => run.stdout.includes('systemMessage'));
    expect(told.map(({ run }) => run.stdout)).toEqual([expect.stringContaining('refuses the key')]);
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  });

  it('stores a subagent once whose end is told twice, as where settings name the hooks beside the plugin', async () => {
    const session = startHost().startSession();
    await session.prompt('Have somebody count the files.');
    const { id } = await session.subagent('Count the files in src.', 'There are 42 files in src.', { ends: 2 });
    await session.answer('A subagent counted 42 files.');
    expect(await stored(session, id)).toEqual([
      'user: Count the files in src.',
      'assistant: There are 42 files in src.',
    ]);
  });
});

describe('what the model gets', () => {
  it('is never so long that the client hides it', async () => {
    server.store.profile = '# Profil\nBevorzugt größere Schritte. 好的 🦄\n'.repeat(2_000);
    for (let count = 0; count < 200; count += 1) {
      server.store.skills.push({
        name: `skill-${count}`,
        description: '项目'.repeat(80),
        uri: `viking://~/skills/${count}`,
      });
    }
    const { injected } = await startHost().startSession().prompt('good morning to you');
    expect(injected).toContain('Bevorzugt');
    expect(injected).not.toContain('<persisted-output>');
    expect(injected.length).toBeLessThan(CONTEXT_LIMIT + 100);
  });

  it('is a denial for a memory’s address, whatever the client makes of it', async () => {
    const session = startHost().startSession();
    await session.prompt('good morning to you');
    const { denied, hooks } = await session.tool('Read', { file_path: 'viking://~/memories/profile.md' }, 'never read');
    expect(hooks.runs).toHaveLength(1);
    expect(denied).toContain('viking://~/memories/profile.md');
  });
});

it('tells the user once when the key is refused', async () => {
  server.setApiKey('another-key');
  const session = startHost().startSession();
  const first = await session.prompt('A question with a wrong key');
  await session.answer('An answer.');
  const second = await session.prompt('Another question with a wrong key');
  expect(first.notices).toHaveLength(1);
  expect(first.notices[0]).toMatch(/OpenViking/);
  expect(second.notices).toEqual([]);
});

it('leaves a conversation to Cursor where that is the client that runs the hooks', async () => {
  const session = startHost({ env: { CURSOR_VERSION: '3.20.17' } }).startSession();
  const { injected } = await session.prompt('A question in another editor');
  await session.answer('An answer in another editor.');
  await session.end();
  expect(injected).toBe('');
  expect(await stored(session)).toEqual([]);
  expect(server.requests).toEqual([]);
});

it('has a status line that says how things are, without asking anybody', async () => {
  const session = startHost().startSession();
  await session.prompt('good morning to you');
  await session.answer('Good morning.');
  await stored(session);
  server.forgetRequests();
  const line = execFileSync(process.execPath, [join(payloadDir, 'statusline.cjs')], {
    timeout: 240_000,
    env: homeEnvironment(home.path),
    input: '{"session_id":"x","model":{"display_name":"Opus"}}\n',
  }).toString();
  expect(line).toMatch(/^OpenViking · [^\n]+\n$/);
  expect(server.requests).toEqual([]);
});
