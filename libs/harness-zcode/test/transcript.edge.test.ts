/**
 * Files that are seldom met and would be read wrongly without a rule of their own: each test here fails when its rule is
 * taken out.
 */
import { describe, expect, it } from '@jest/globals';
import { zcodeTranscript } from '../src/transcript.ts';
import { RolloutWriter, withOffsets } from './rollout-writer.ts';
import type { WrittenAttempt, WrittenMessage } from './rollout-writer.ts';
import type { TranscriptTurn } from '../vendor/memory-core/hot.ts';

const SESSION = 'sess_5d1f2c3a-0000-4000-a000-000000000002';
const SYSTEM: WrittenMessage = { role: 'system', content: 'rules' };

const user = (content: unknown): WrittenMessage => ({ role: 'user', content });
const said = (content: unknown, ...ids: string[]): WrittenMessage => ({
  role: 'assistant',
  content,
  ...(ids.length === 0 ? {} : { toolCalls: ids.map((id) => ({ id, name: 'Bash', input: {} })) }),
});
const output = (toolCallId: string, content: string): WrittenMessage => ({ role: 'tool', toolCallId, content });
const done = (text: string) => ({ response: { finishReason: 'stop', text } });
const calls = (text: string, ...ids: string[]) => ({
  response: { finishReason: 'tool-calls', text, toolCalls: ids.map((id) => ({ id, name: 'Bash', input: {} })) },
});
const failed = { error: { name: 'AbortError', message: 'stopped' } };

/** What becomes of a line: it cannot be read, or is not in the file at all. */
type Fate = 'lost' | 'missing';
type Request = Omit<WrittenAttempt, 'sessionId'> & { readonly fate?: Fate };

/** The requests as the client writes them, one after the other, some of them lost afterwards. */
function read(...requests: readonly (Request | 'restart')[]): readonly TranscriptTurn[] {
  const writer = new RolloutWriter();
  const fates: (Fate | undefined)[] = [];
  for (const request of requests) {
    if (request === 'restart') {
      writer.restart();
    } else {
      const { fate, ...attempt } = request;
      writer.write({ sessionId: SESSION, querySource: 'main_turn', ...attempt });
      fates.push(fate);
    }
  }
  const texts = writer.lines(SESSION).map((line, index) => (fates[index] === 'lost' ? '{"half' : line.text));
  return zcodeTranscript.parse(
    withOffsets(texts).filter((_, index) => fates[index] !== 'missing'),
    SESSION,
  );
}

/** Turns in short: prompt, then texts, and tools as `id: output`. */
function short(turns: readonly TranscriptTurn[]): (string | undefined)[][] {
  return turns.map(({ userText, assistant }) => [
    userText,
    ...assistant.map((part) => (part.type === 'text' ? part.text : `${part.tool_id}: ${part.tool_output}`)),
  ]);
}

const title: Request = {
  turnId: 'any',
  requestId: 'title',
  querySource: 'session_title',
  messages: [SYSTEM, user('title, please')],
  ...done('A title'),
};

describe('attempts', () => {
  it('counts the highest attempt, in whatever order they were written', () => {
    const messages = [SYSTEM, user('go')];
    const turns = read(
      { turnId: 't1', requestId: 'r1', attempt: 2, messages, ...done('second attempt') },
      { turnId: 't1', requestId: 'r1', attempt: 1, messages, ...done('first attempt, written late') },
    );
    expect(short(turns)).toEqual([['go', 'second attempt']]);
  });

  it('takes an attempt with an error for failed even when it holds text', () => {
    const line = {
      type: 'model_io',
      turnId: 't1',
      requestId: 'r1',
      error: { name: 'AbortError' },
      request: { messages: [user('go')], messagesKind: 'full', messageOffset: 0 },
      response: { text: 'half an ans', finishReason: 'error' },
    };
    const turns = zcodeTranscript.parse(withOffsets([JSON.stringify(line)]), SESSION);
    expect(short(turns)).toEqual([['go']]);
    expect(turns[0]?.closed).toBe(false);
  });

  it('keeps steps that share a request id without being attempts of one request', () => {
    const turns = read(
      { turnId: 't1', requestId: 'same', messages: [user('go')], ...calls('one', 'c1') },
      { turnId: 't1', requestId: 'same', messages: [user('go'), said('one', 'c1'), output('c1', 'x')], ...done('two') },
    );
    expect(short(turns)).toEqual([['go', 'one', 'c1: x', 'two']]);
  });
});

describe('the end of a turn', () => {
  const ends = (response: NonNullable<WrittenAttempt['response']>) =>
    read({ turnId: 't1', requestId: 'r1', messages: [user('go')], response })[0]?.closed;

  it('is not a step that still has tool calls to run, whatever its finish reason says', () => {
    expect(ends({ finishReason: 'stop', text: '', toolCalls: [{ id: 'c1', name: 'Bash', input: {} }] })).toBe(false);
  });

  it.each(['tool-calls', 'tool_calls', 'tool_use', 'function_call'])('is not the finish reason %s', (finishReason) => {
    expect(ends({ finishReason, text: 'calling' })).toBe(false);
  });

  it.each(['stop', 'length', 'end_turn', 'content-filter'])('is the finish reason %s', (finishReason) => {
    expect(ends({ finishReason, text: 'x' })).toBe(true);
  });

  it('is not a step without a finish reason', () => {
    expect(ends({ text: 'x' })).toBe(false);
  });

  it('is taken back when the turn goes on, as after a hook that did not let it stop', () => {
    const first: Request = { turnId: 't1', requestId: 'r1', messages: [user('go')], ...done('one') };
    const second: Request = {
      turnId: 't1',
      requestId: 'r2',
      messages: [user('go'), said('one')],
      ...calls('two', 'c'),
    };
    expect(read(first)[0]?.closed).toBe(true);
    expect(read(first, second)[0]?.closed).toBe(false);
  });
});

describe('tool outputs', () => {
  it('stay what they were when the host clears them in later lists', () => {
    const turns = read(
      { turnId: 't1', requestId: 'r1', messages: [SYSTEM, user('go')], ...calls('', 'c1') },
      {
        turnId: 't1',
        requestId: 'r2',
        messages: [SYSTEM, user('go'), said('', 'c1'), output('c1', 'all of it')],
        ...calls('', 'c2'),
      },
      {
        turnId: 't1',
        requestId: 'r3',
        messages: [SYSTEM, user('go'), said('', 'c1'), output('c1', '[cleared]'), said('', 'c2'), output('c2', 'more')],
        ...done('done'),
      },
    );
    expect(short(turns)).toEqual([['go', 'c1: all of it', 'c2: more', 'done']]);
  });

  it('find their calls where every step counts its ids from 0', () => {
    const counted = (command: string) => ({ id: 'call_0', name: 'Bash', input: { command } });
    const step = (content: string): WrittenMessage => ({ role: 'assistant', content, toolCalls: [counted(content)] });
    const asks = (text: string) => ({ response: { finishReason: 'tool-calls', text, toolCalls: [counted(text)] } });
    const list = [SYSTEM, user('go'), step('a'), output('call_0', 'of a'), step('b'), output('call_0', 'of b')];
    const first: Request = { turnId: 't1', requestId: 'r1', messages: list.slice(0, 2), ...asks('a') };
    const second: Request = { turnId: 't1', requestId: 'r2', messages: list.slice(0, 4), ...asks('b') };
    const third: Request = { turnId: 't1', requestId: 'r3', messages: list, ...done('c') };
    const expected = [['go', 'a', 'call_0: of a', 'b', 'call_0: of b', 'c']];
    expect(short(read(first, second, third))).toEqual(expected);
    // The same with full lists, where each repeats the outputs of the steps before.
    expect(short(read(first, title, second, title, third))).toEqual(expected);
    expect(short(read(first, { ...second, fate: 'lost' }, 'restart', third))).toEqual(expected);
  });

  it('of a call that was abandoned are in the next turn’s list, and belong to the turn before', () => {
    const before = [SYSTEM, user('go'), said('working', 'c1'), output('c1', 'stopped by the user')];
    const first: Request = { turnId: 't1', requestId: 'r1', messages: before.slice(0, 2), ...calls('working', 'c1') };
    const second: Request = { turnId: 't2', requestId: 'r2', messages: [...before, user('next')], ...done('ok') };
    const expected = [
      ['go', 'working', 'c1: stopped by the user'],
      ['next', 'ok'],
    ];
    expect(short(read(first, second))).toEqual(expected);
    expect(short(read(first, title, second))).toEqual(expected);
    // After a restart with a rewritten history the turn before is found by its prompt.
    const rewritten = [{ ...SYSTEM, content: 'new rules' }, user('go'), said('working!', 'c1'), ...before.slice(3)];
    const resumed = { ...second, messages: [user('older'), ...rewritten, user('next')] };
    expect(short(read(first, 'restart', resumed))).toEqual(expected);
    // Another prompt's outputs are not taken, even with an id that fits.
    const foreign = [user('other'), said('x', 'c1'), output('c1', 'of another turn'), user('next')];
    expect(short(read(first, 'restart', { ...second, messages: foreign }))[0]).toEqual(['go', 'working', 'c1: ']);
  });

  it('of a call that the host’s own next turn shows belong to the turn before, too', () => {
    const reminder = user('<system-reminder>a task ended</system-reminder>');
    const list = [SYSTEM, user('go'), said('working', 'c1'), output('c1', 'in background'), reminder];
    const first: Request = { turnId: 't1', requestId: 'r1', messages: list.slice(0, 2), ...calls('working', 'c1') };
    const second: Request = { turnId: 't2', requestId: 'r2', messages: list, ...done('seen') };
    const expected = [
      ['go', 'working', 'c1: in background'],
      [undefined, 'seen'],
    ];
    expect(short(read(first, second))).toEqual(expected);
    expect(short(read(first, title, second))).toEqual(expected);
  });

  it('come with the response where the provider ran the tool itself', () => {
    const line = {
      turnId: 't1',
      request: { messages: [user('go')] },
      response: {
        finishReason: 'tool-calls',
        text: '',
        toolCalls: [{ toolCallId: 'c1', toolName: 'WebSearch', args: '{"query":"x"}' }],
        toolResults: [{ toolCallId: 'c1', output: { type: 'error-text', value: 'no network' } }],
      },
    };
    const [turn] = zcodeTranscript.parse(withOffsets([JSON.stringify(line)]), SESSION);
    expect(turn?.assistant).toEqual([
      {
        type: 'tool',
        tool_id: 'c1',
        tool_name: 'WebSearch',
        tool_input: { query: 'x' },
        tool_output: 'no network',
        tool_status: 'error',
      },
    ]);
  });

  it('are read from blocks, and calls that a build writes twice are one call', () => {
    const blocks = [
      { type: 'reasoning', text: 'never shown' },
      { type: 'text', text: 'look' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'Bash', input: {} },
    ];
    const results = [
      { type: 'tool-result', toolCallId: 'c1', toolName: 'Bash', output: { type: 'text', value: 'found' } },
    ];
    const turns = read({
      turnId: 't1',
      requestId: 'r2',
      messages: [user('go'), { ...said(blocks, 'c1') }, { role: 'tool', content: results }],
      ...done('done'),
    });
    expect(short(turns)).toEqual([['go', 'look', 'c1: found', 'done']]);
  });

  it('keep input that is no JSON object', () => {
    const response = { finishReason: 'tool-calls', text: '', toolCalls: [{ id: 'c1', name: 'Bash', input: 'ls -l' }] };
    const [turn] = read({ turnId: 't1', requestId: 'r1', messages: [user('go')], response });
    expect(turn?.assistant).toMatchObject([{ tool_input: { input: 'ls -l' } }]);
  });
});

describe('lost lines', () => {
  const list = [SYSTEM, user('go'), said('A'), said('B'), said('C', 'c1'), output('c1', 'x')];
  const step = (count: number, requestId: string, outcome: Partial<Request>): Request => ({
    turnId: 't1',
    requestId,
    messages: list.slice(0, count),
    ...outcome,
  });
  const whole = [['go', 'A', 'B', 'C', 'c1: x', 'D']];
  const unfinished = (text: string) => ({ response: { finishReason: 'length', text } });

  it.each(['lost', 'missing'] as const)('are made good by the list of the next: %s', (fate) => {
    const requests = [
      step(2, 'r1', unfinished('A')),
      { ...step(3, 'r2', unfinished('B')), fate },
      step(4, 'r3', calls('C', 'c1')),
      step(6, 'r4', done('D')),
    ];
    expect(short(read(...requests))).toEqual(whole);
  });

  it('are made good only where one was lost: what a host rewrote is not told twice', () => {
    const rewritten = [SYSTEM, user('go'), said('A'), said('B'), said('(C, shortened)'), said('D')];
    const request = (count: number, text: string): Request => ({
      turnId: 't1',
      requestId: text,
      messages: rewritten.slice(0, count),
      ...unfinished(text),
    });
    const turns = read(
      request(2, 'A'),
      { ...request(3, 'B'), fate: 'lost' },
      request(4, 'C'),
      request(5, 'D'),
      request(6, 'E'),
    );
    expect(short(turns)).toEqual([['go', 'A', 'B', 'C', 'D', 'E']]);
  });
});

describe('lines without turn ids', () => {
  const go = user('continue');

  it('belong to the turn under way, also when the host rewrote what came before', () => {
    const turns = read(
      { requestId: 'r1', messages: [SYSTEM, go], ...calls('one', 'c1') },
      { requestId: 'r2', messages: [SYSTEM, go, said('one', 'c1'), output('c1', 'x')], ...calls('two', 'c2') },
      {
        requestId: 'r3',
        messages: [
          { ...SYSTEM, content: 'new rules' },
          go,
          said('one', 'c1'),
          output('c1', '-'),
          said('two', 'c2'),
          output('c2', 'y'),
        ],
        ...done('three'),
      },
    );
    expect(short(turns)).toEqual([['continue', 'one', 'c1: x', 'two', 'c2: y', 'three']]);
  });

  it('belong to the turn under way after a compaction around it', () => {
    const turns = read(
      { requestId: 'r1', messages: [SYSTEM, user('old'), said('older'), go], ...calls('one', 'c1') },
      { requestId: 'r2', messages: [SYSTEM, go], ...done('two') },
    );
    expect(short(turns)).toEqual([['continue', 'one', 'c1: ', 'two']]);
  });

  it('are a new turn when the user says the same again, answered or not', () => {
    expect(
      short(
        read(
          { requestId: 'r1', messages: [SYSTEM, go], ...failed },
          { requestId: 'r2', messages: [SYSTEM, go, go], ...failed },
          { requestId: 'r3', messages: [SYSTEM, go, go], ...done('one') },
          { requestId: 'r4', messages: [SYSTEM, go, go, said('one'), go], ...done('two') },
        ),
      ),
    ).toEqual([['continue'], ['continue', 'one'], ['continue', 'two']]);
  });

  it('of which nobody can say what they belong to are left out', () => {
    const turns = read(
      { requestId: 'r1', messages: [said('one', 'c1'), output('c1', 'x')], ...done('two') },
      { requestId: 'r2', messages: [said('one', 'c1'), output('c1', 'x'), said('two'), go], ...done('three') },
    );
    expect(short(turns)).toEqual([['continue', 'three']]);
  });
});

describe('lists that look like the one before', () => {
  it('do not hide a prompt that stands where an equal one stood', () => {
    const turns = read(
      { turnId: 't1', requestId: 'r1', messages: [SYSTEM, user('a')], ...failed },
      { turnId: 't2', requestId: 'r2', messages: [SYSTEM, user('a'), user('b')], ...done('to the first b') },
      { turnId: 't3', requestId: 'r3', messages: [SYSTEM, user('summary'), user('b')], ...done('to the second b') },
    );
    expect(short(turns)).toEqual([['a'], ['b', 'to the first b'], ['b', 'to the second b']]);
  });

  it('do not give an old prompt to a turn that the host began in the middle of things', () => {
    const list = [
      SYSTEM,
      user('go'),
      said('working', 'c1'),
      output('c1', 'x'),
      user('<system-reminder>go on</system-reminder>'),
    ];
    const turns = read(
      { turnId: 't1', requestId: 'r1', messages: list.slice(0, 2), ...calls('working', 'c1') },
      title,
      { turnId: 't2', requestId: 'r2', messages: list, ...done('went on') },
    );
    expect(short(turns)).toEqual([
      ['go', 'working', 'c1: x'],
      [undefined, 'went on'],
    ]);
  });
});

describe('a value nested deeper than the stack', () => {
  it('costs its line and no other', () => {
    const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
    const line = (turnId: string, content: string) =>
      `{"turnId":"${turnId}","request":{"messages":[{"role":"user","content":"go"},` +
      `{"role":"assistant","content":"","toolCalls":[{"id":"c1","name":"Bash","input":{}}]},` +
      `{"role":"tool","toolCallId":"c1","content":${content}}]},"response":{"text":"done","finishReason":"stop"}}`;
    const turns = zcodeTranscript.parse(withOffsets([line('t1', '"x"'), line('t2', deep), line('t3', '"y"')]), SESSION);
    expect(short(turns.filter(({ turnId }) => turnId !== 't2'))).toEqual([
      ['go', 'c1: x', 'done'],
      ['go', 'c1: y', 'done'],
    ]);
  });
});

describe('times', () => {
  it('are left out when they are no times', () => {
    const line = (startedAt: unknown, completedAt: unknown) =>
      zcodeTranscript.parse(
        withOffsets([JSON.stringify({ turnId: 't', startedAt, completedAt, request: { messages: [user('x')] } })]),
        SESSION,
      )[0];
    expect(line('2026-01-01T00:00:00Z', 1_767_225_600_000)).toMatchObject({
      startedAt: '2026-01-01T00:00:00Z',
      completedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(line('yesterday', 1e300)).not.toHaveProperty('startedAt');
    expect(line({}, undefined)).not.toHaveProperty('completedAt');
  });
});
