/** Each kind of rollout file against what must be read from it, word for word. */
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textTurnId, zcodeTranscript } from '../src/transcript.ts';
import { PlayedConversation, SESSION } from './played-conversation.ts';
import { CLIENT_LIMITS, RolloutWriter, withOffsets } from './rollout-writer.ts';
import type { WrittenMessage } from './rollout-writer.ts';
import type { MessagePart, TranscriptTurn } from '../vendor/memory-core/hot.ts';

const FIXTURE_SESSION = 'sess_7c1e0000-1111-4222-8333-444455556666';

/** As the core reads: complete lines only, a last line without its end waits. */
function fixture(name: string): { offset: number; text: string }[] {
  const text = readFileSync(join(import.meta.dirname, 'fixtures/rollout', `${name}.jsonl`), 'utf8');
  return withOffsets(text.split('\n').slice(0, -1));
}

function parse(name: string): readonly TranscriptTurn[] {
  return zcodeTranscript.parse(fixture(name), FIXTURE_SESSION);
}

function text(value: string): MessagePart {
  return { type: 'text', text: value };
}

function tool(
  id: string,
  name: string,
  input: Record<string, unknown>,
  output: string,
  status = 'completed',
): MessagePart {
  return {
    type: 'tool',
    tool_id: id,
    tool_name: name,
    tool_input: input,
    tool_output: output,
    tool_status: status as 'completed',
  };
}

/** What was said, without times and offsets. */
function said(turns: readonly TranscriptTurn[]): unknown[] {
  return turns.map(({ turnId, userText, assistant, closed }) => ({ turnId, userText, assistant, closed }));
}

describe('zcodeTranscript.parse', () => {
  it('puts the steps of a turn together and pairs tool calls with their outputs', () => {
    const turns = parse('multi-step-tool-turn');
    expect(said(turns)).toEqual([
      {
        turnId: 'turn_0001',
        userText: 'Which package manager does this project use? 用中文回答 🙂',
        assistant: [
          text('I will look.'),
          tool(
            'call_a1',
            'Bash',
            { command: 'cat package.json' },
            '{"packageManager":"pnpm@9"}\n\n[Hook additional context]\n#1\na note of another hook',
          ),
          tool('call_a2', 'Read', { path: 'README.md' }, 'no such file', 'error'),
          tool('call_a3', 'Bash', { command: 'npm test' }, 'ok'),
          text('这个项目使用 pnpm。🙂'),
        ],
        closed: true,
      },
    ]);
    expect(turns[0]).toMatchObject({
      startedAt: '2026-05-04T09:01:00.000Z',
      completedAt: '2026-05-04T09:03:30.000Z',
      offset: 0,
    });
  });

  it('leaves a turn open until its last step is there, its tool calls running', () => {
    const [turn] = zcodeTranscript.parse(fixture('multi-step-tool-turn').slice(0, 2), FIXTURE_SESSION);
    expect(turn?.closed).toBe(false);
    expect(turn?.assistant.at(-1)).toEqual(tool('call_a3', 'Bash', { command: 'npm test' }, '', 'running'));
  });

  it('takes failed and superseded attempts for nothing, and keeps the prompt of a turn that was stopped', () => {
    expect(said(parse('retry'))).toEqual([
      { turnId: 'turn_0001', userText: 'Deploy it', assistant: [text('Deployed to staging.')], closed: true },
      { turnId: 'turn_0002', userText: 'And production?', assistant: [], closed: true },
      {
        turnId: 'turn_0003',
        userText: 'Forget production. Which region is staging in?',
        assistant: [text('Frankfurt.')],
        closed: true,
      },
    ]);
  });

  it('does not close a stopped turn before the next one begins', () => {
    const turns = zcodeTranscript.parse(fixture('retry').slice(0, 4), FIXTURE_SESSION);
    expect(turns.map(({ closed }) => closed)).toEqual([true, false]);
  });

  it('does not take a title for conversation, before a turn or in the middle of one', () => {
    expect(said(parse('title-between-steps'))).toEqual([
      {
        turnId: 'turn_0001',
        userText: 'Port the build to esbuild',
        assistant: [
          text('Reading the build.'),
          tool('call_a1', 'Bash', { command: 'cat package.json' }, '{}'),
          text('Done.'),
        ],
        closed: true,
      },
    ]);
  });

  it('reads deltas, and takes hook context for nobody’s words, whatever the build wraps it in', () => {
    const expected = [
      { turnId: 'turn_0001', userText: 'One', assistant: [text('First answer.')], closed: true },
      { turnId: 'turn_0002', userText: 'Two', assistant: [text('Second answer.')], closed: true },
      { turnId: 'turn_0003', userText: 'Three', assistant: [text('Third answer.')], closed: true },
    ];
    expect(said(parse('deltas'))).toEqual(expected);
    // From a stored offset on, with nothing of the lines before it.
    expect(said(zcodeTranscript.parse(fixture('deltas').slice(1), FIXTURE_SESSION))).toEqual(expected.slice(1));
  });

  it('reads the tail that a new process writes, without taking the history for new', () => {
    expect(said(parse('tail-after-restart'))).toEqual([
      {
        turnId: 'turn_0001',
        userText: 'What did we decide about ports?',
        assistant: [
          text('Looking.'),
          tool('call_a1', 'Bash', { command: 'cat package.json' }, 'PORT=0'),
          text('Port 0, always.'),
        ],
        closed: true,
      },
    ]);
  });

  it('rebuilds the first steps of a turn when the file started over in its middle', () => {
    expect(said(parse('reset-in-mid-turn'))).toEqual([
      {
        turnId: 'turn_0001',
        userText: 'Rename the module',
        assistant: [
          text('Step one.'),
          tool('call_a1', 'Bash', { command: 'cat package.json' }, 'a.ts'),
          text('Step two.'),
          tool('call_a2', 'Read', { path: 'README.md' }, 'b'),
          text('Step three.'),
          tool('call_a3', 'Bash', { command: 'npm test' }, 'ok'),
          text('Renamed.'),
        ],
        closed: true,
      },
    ]);
  });

  it('leaves out a half line and goes on after it', () => {
    const turns = parse('half-line');
    expect(said(turns)).toEqual([
      { turnId: 'turn_0001', userText: 'First', assistant: [text('One.')], closed: true },
      { turnId: 'turn_0003', userText: 'Third', assistant: [text('Three.')], closed: true },
    ]);
  });

  it('takes a line that was too long to pass on for one that is missing', () => {
    const lines = fixture('multi-step-tool-turn').map((line, index) => (index === 1 ? { ...line, text: '' } : line));
    expect(said(zcodeTranscript.parse(lines, FIXTURE_SESSION))).toEqual([
      {
        turnId: 'turn_0001',
        userText: 'Which package manager does this project use? 用中文回答 🙂',
        assistant: [
          text('I will look.'),
          tool('call_a1', 'Bash', { command: 'cat package.json' }, '', 'pending'),
          tool('call_a2', 'Read', { path: 'README.md' }, '', 'pending'),
          // The step itself was on the lost line; the next request repeats it.
          tool('call_a3', 'Bash', { command: 'npm test' }, 'ok'),
          text('这个项目使用 pnpm。🙂'),
        ],
        closed: true,
      },
    ]);
  });

  it('keeps a turn together when the conversation is compacted in its middle', () => {
    expect(said(parse('compaction-in-mid-turn'))).toEqual([
      {
        turnId: 'turn_0001',
        userText: 'Write the changelog',
        assistant: [
          text('Collecting.'),
          // Only the compaction request shows this output.
          tool('call_a1', 'Bash', { command: 'cat package.json' }, '12 commits'),
          text('Changelog written.'),
        ],
        closed: true,
      },
    ]);
  });

  it('reads request bodies of Responses items, and tells equal prompts without ids apart', () => {
    const turns = parse('responses-bodies-without-turn-ids');
    expect(said(turns).map((turn) => ({ ...(turn as object), turnId: '' }))).toEqual([
      {
        turnId: '',
        userText: 'continue',
        assistant: [text('Checking.'), tool('call_b1', 'Bash', { command: 'ls' }, 'src'), text('There is src.')],
        closed: true,
      },
      { turnId: '', userText: 'continue', assistant: [text('Nothing more to do.')], closed: true },
    ]);
    const [first, second] = turns.map(({ turnId }) => turnId);
    expect(first).toMatch(new RegExp(`^${textTurnId('continue')}-[0-9a-f]{8}$`));
    expect(second).toMatch(new RegExp(`^${textTurnId('continue')}-[0-9a-f]{8}$`));
    expect(first).not.toBe(second);
    // The id must not depend on where reading starts, or the second turn would take the first one's name.
    const rest = zcodeTranscript.parse(fixture('responses-bodies-without-turn-ids').slice(2), FIXTURE_SESSION);
    expect(rest.map(({ turnId }) => turnId)).toEqual([second]);
  });

  it('reads request bodies that are JSON text with chat messages', () => {
    expect(said(parse('chat-bodies-as-json-text'))).toEqual([
      {
        turnId: 'turn_0001',
        userText: 'List the tests',
        assistant: [tool('call_c1', 'Bash', { command: 'ls test' }, 'a.test.ts'), text('One test: a.test.ts.')],
        closed: true,
      },
    ]);
  });

  it('reads nothing from lines of another session', () => {
    expect(zcodeTranscript.parse(fixture('deltas'), 'sess_other')).toEqual([]);
  });

  it('does not give an answer whose line is lost to the turn before it', () => {
    // Stopped while a tool ran, then a turn of one line, which is lost, then a third: its list starts with the lost answer.
    const turn = { kind: 'turn', injected: 'none', end: 'answer' } as const;
    const step = {
      text: 'Trying.',
      tools: [{ output: 'x', isError: false }],
      trouble: 'none',
      between: 'nothing',
    } as const;
    const played = new PlayedConversation(
      [
        { ...turn, prompt: 'first', steps: [step], end: 'stopped', answer: '' },
        { ...turn, prompt: 'second', steps: [], answer: 'Answer of the second.' },
        { ...turn, prompt: 'third', steps: [], answer: 'Answer of the third.' },
      ],
      { withIds: true },
    );
    const lines = withOffsets(played.lines.map((line, index) => (index === 1 ? '' : line.text)));
    const turns = zcodeTranscript.parse(lines, SESSION);
    expect(turns.map(({ userText }) => userText)).toEqual(['first', 'third']);
    expect(JSON.stringify(turns)).not.toContain('Answer of the second.');
  });

  it('sees a new turn in the same prompt at the same place after a compaction', () => {
    const turn = { kind: 'turn', prompt: 'continue', steps: [], end: 'answer' } as const;
    for (const withIds of [true, false]) {
      const played = new PlayedConversation(
        [
          { ...turn, injected: 'reminder-before', answer: 'Before.' },
          { kind: 'compaction' },
          { ...turn, injected: 'none', answer: 'After.' },
        ],
        { withIds },
      );
      const turns = zcodeTranscript.parse(withOffsets(played.lines.map((line) => line.text)), SESSION);
      expect(turns.map(({ userText, assistant }) => [userText, assistant])).toEqual([
        ['continue', [text('Before.')]],
        ['continue', [text('After.')]],
      ]);
    }
  });
});

describe('what opened a turn', () => {
  function userTextOf(...messages: WrittenMessage[]): string | undefined {
    const writer = new RolloutWriter();
    const history: WrittenMessage[] = [
      { role: 'user', content: 'before' },
      { role: 'assistant', content: 'answered' },
    ];
    const response = { finishReason: 'stop', text: 'answer' };
    writer.write({ sessionId: SESSION, turnId: 't1', requestId: 'r1', messages: [...history, ...messages], response });
    const turns = zcodeTranscript.parse(withOffsets(writer.lines(SESSION).map((line) => line.text)), SESSION);
    expect(turns).toHaveLength(1);
    expect(turns[0]?.assistant).toEqual([text('answer')]);
    return turns[0]?.userText;
  }
  const user = (content: unknown): WrittenMessage => ({ role: 'user', content });
  const reminder = '<system-reminder>\nrecalled\n</system-reminder>';

  it('is the prompt, whatever reminders stand around it', () => {
    expect(userTextOf(user(reminder), user('the prompt'), user(reminder))).toBe('the prompt');
  });

  it('keeps the words of a prompt that a build merged with a reminder, for the core to clean', () => {
    expect(userTextOf(user(`${reminder}\nthe prompt`))).toBe(`${reminder}\nthe prompt`);
  });

  it('is the prompt’s own blocks, without a block that is a reminder', () => {
    const blocks = [
      { type: 'text', text: reminder },
      { type: 'text', text: 'the prompt' },
      { type: 'image', image: 'data' },
      { type: 'text', text: 'and more' },
    ];
    expect(userTextOf(user(blocks))).toBe('the prompt\nand more');
  });

  it('is nothing for nested, unclosed and upper-case reminders alone', () => {
    const nested = '<system-reminder>a<system-reminder>b</system-reminder>c</system-reminder>';
    for (const only of [nested, '<system-reminder>cut off', '<SYSTEM-REMINDER>x</SYSTEM-REMINDER>\n\n']) {
      expect(userTextOf(user(only))).toBeUndefined();
    }
  });

  it('is the prompt and not the task notification that came with it', () => {
    const notification = user('<task-notification>task 3 finished</task-notification>');
    expect(userTextOf(notification, user('the prompt'))).toBe('the prompt');
    expect(userTextOf(user('the prompt'), notification)).toBe('the prompt');
    expect(userTextOf(notification)).toBe('<task-notification>task 3 finished</task-notification>');
  });

  it('is not a compact summary', () => {
    const summary: WrittenMessage = { ...user('All that was said.'), semantics: { kind: 'compact_summary' } };
    expect(userTextOf(summary, user('the prompt'))).toBe('the prompt');
    expect(userTextOf(summary)).toBeUndefined();
  });

  it('has no words when it is only an image, and is not the prompt before it', () => {
    expect(userTextOf(user([{ type: 'image', image: 'data' }]))).toBeUndefined();
  });

  it('is none for a turn that the host began: the earlier prompt is not told again', () => {
    expect(userTextOf(user('<system-reminder>goal not reached, go on</system-reminder>'))).toBeUndefined();
  });
});

describe('textTurnId', () => {
  it('is the same for the prompt as a hook sees it and as the rollout repeats it', () => {
    expect(textTurnId('<system-reminder>x</system-reminder>\ncontinue\n')).toBe(textTurnId('continue'));
    expect(textTurnId('continue')).not.toBe(textTurnId('continue!'));
  });
});

describe('zcodeTranscript.locate', () => {
  const locate = (nativeId: string, env: Record<string, string | undefined> = {}) =>
    zcodeTranscript.locate({ nativeId, home: '/h', env });
  const path = (...parts: string[]) => join('/h', '.zcode', 'cli', ...parts);

  it('knows the folder of releases, then that of development builds', () => {
    expect(locate('sess_1')).toEqual([
      path('rollout', 'model-io-sess_1.jsonl'),
      path('debug', 'model-io-sess_1.jsonl'),
    ]);
    expect(locate('sess_1', { ZCODE_RUNTIME_ENV: 'development' })[0]).toBe(path('debug', 'model-io-sess_1.jsonl'));
  });

  it('names the file as the client does, and never leaves the folder', () => {
    expect(locate('../../etc/passwd')[0]).toBe(path('rollout', 'model-io-etc-passwd.jsonl'));
    expect(locate('a b::c')[0]).toBe(path('rollout', 'model-io-a-b-c.jsonl'));
    expect(locate('x'.repeat(200))[0]).toBe(path('rollout', `model-io-${'x'.repeat(80)}.jsonl`));
    expect(locate('///')).toEqual([]);
  });

  it('looks into a moved data folder last', () => {
    const moved = locate('s', { ZCODE_DATA_BASE_DIR: '/data' });
    expect(moved).toContain(join('/data', 'cli', 'rollout', 'model-io-s.jsonl'));
    expect(moved[0]).toBe(path('rollout', 'model-io-s.jsonl'));
  });
});

describe('the limit of three files', () => {
  it('loses a conversation’s file to three subagents, and begins a new one that is read for what it holds', () => {
    const writer = new RolloutWriter();
    const say = (sessionId: string, turnId: string, ...messages: WrittenMessage[]) =>
      writer.write({
        sessionId,
        turnId,
        requestId: turnId,
        messages,
        response: { finishReason: 'stop', text: `to ${turnId}` },
      });
    say(SESSION, 't1', { role: 'user', content: 'one' });
    for (const child of ['a', 'b', 'c']) say(`sess_subagent_agent_${child}`, child, { role: 'user', content: child });
    expect(writer.lines(SESSION)).toEqual([]);
    say(
      SESSION,
      't2',
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'to t1' },
      { role: 'user', content: 'two' },
    );
    const turns = zcodeTranscript.parse(withOffsets(writer.lines(SESSION).map((line) => line.text)), SESSION);
    expect(said(turns)).toEqual([{ turnId: 't2', userText: 'two', assistant: [text('to t2')], closed: true }]);
    expect(CLIENT_LIMITS.maxFiles).toBe(3);
  });
});
