/** What the real client's records yield. The files are recordings, see fixtures/PROVENANCE.md. */
import { describe, expect, it } from '@jest/globals';
import { claudeTranscript } from '../src/transcript.ts';
import { firstMember, linesOf, transcriptText } from './fixture.ts';
import type { MessagePart, TranscriptTurn } from '../vendor/memory-core/hot.ts';

const { locate, parse } = claudeTranscript;

function turnsOf(name: string, text = transcriptText(name)): readonly TranscriptTurn[] {
  const subagent = name.endsWith('.agent') ? firstMember(text, 'agentId') : undefined;
  return parse(linesOf(text), firstMember(text, 'sessionId'), subagent);
}

/** A part as one line: what was said, or `tool(input) status: output`. */
function told(part: MessagePart): string {
  if (part.type === 'text') return part.text;
  return `${part.tool_name}(${JSON.stringify(part.tool_input)}) ${part.tool_status}: ${part.tool_output}`;
}

const said = (turns: readonly TranscriptTurn[]) =>
  turns.map(({ userText, assistant, closed }) => [userText, assistant.map(told), closed ? 'closed' : 'open']);

describe('a recorded conversation', () => {
  it('with tools is one turn: words and calls in order, each call with its output', () => {
    const [turn, ...others] = turnsOf('tool-use');
    expect(others).toEqual([]);
    expect(turn?.assistant.map(told)).toEqual([
      'I will call Bash',
      'Bash({"command":"echo okay-run"}) completed: okay-run',
      'Read({"file_path":"note.txt"}) completed: 1\tthe note\n2\t',
      'Bash({"command":"ls /nonexistent-folder"}) error: Exit code 2\nls: cannot access \'/nonexistent-folder\': No such file or directory',
      'ANSWER to: tools done',
    ]);
    expect(turn).toMatchObject({ closed: true, userText: expect.stringContaining('SAY tools done') });
  });

  it('that was resumed goes on in the same file, each turn under the id that hooks get', () => {
    const text = transcriptText('two-turns-continue');
    const ids = [...text.matchAll(/"promptId":"([^"]+)"/g)].map((match) => match[1]);
    const turns = turnsOf('two-turns-continue');
    expect(said(turns)).toEqual([
      ['SAY first', ['ANSWER to: first'], 'closed'],
      ['SAY second', ['ANSWER to: second'], 'closed'],
    ]);
    expect(turns.map(({ turnId }) => turnId)).toEqual([...new Set(ids)]);
    const [first, second] = turns;
    expect(Date.parse(first?.startedAt ?? '')).toBeLessThanOrEqual(Date.parse(first?.completedAt ?? ''));
    expect(Date.parse(first?.completedAt ?? '')).toBeLessThan(Date.parse(second?.startedAt ?? ''));
  });

  it('that is a fork has no turn of the one that it was made from', () => {
    // The copied prompts carry the id of the fork's session and of its first prompt.
    const text = transcriptText('fork');
    expect(new Set([...text.matchAll(/"sessionId":"([^"]+)"/g)].map((match) => match[1])).size).toBe(1);
    expect(said(turnsOf('fork'))).toEqual([
      ['SAY in the fork', ['ANSWER to: in the fork'], 'closed'],
      ['SAY again in the fork', ['ANSWER to: again in the fork'], 'closed'],
    ]);
  });

  it('that is a fork whose model has not answered yet shows the new prompt alone', () => {
    const lines = transcriptText('fork').split('\n');
    const at = lines.findIndex((line) => line.includes('SAY in the fork') && line.includes('"type":"user"'));
    const text = `${lines.slice(0, at + 1).join('\n')}\n`;
    expect(said(turnsOf('fork', text))).toEqual([['SAY in the fork', [], 'open']]);
    // The same with a last copied prompt that was never answered.
    const copied = lines.filter((line) => line.includes('"SAY second"') && line.includes('"type":"user"'));
    const again = `${[...lines.slice(0, at), copied[0]?.replace(/"uuid":"[^"]+"/, '"uuid":"u"'), lines[at]].join('\n')}\n`;
    expect(said(turnsOf('fork', again))).toEqual([['SAY in the fork', [], 'open']]);
  });

  it('that is a branch made in the terminal is told by the note on each copied row', () => {
    const text = transcriptText('branch');
    expect(text).toContain('typed by hand');
    const turns = turnsOf('branch');
    expect(said(turns.slice(0, 1))).toEqual([['after the branch', ['stub says hi'], 'closed']]);
    expect(turns).toHaveLength(2);
    expect(turns[1]?.userText).toMatch(/\n\na remark typed meanwhile$/);
  });

  it.each(['compact', 'stream-json-compact-in-process'])(
    'that was compacted has neither summary nor command: %s',
    (name) => {
      const turns = turnsOf(name);
      expect(turns).toHaveLength(2);
      const everything = JSON.stringify(turns);
      for (const foreign of ['continued from a previous', '/compact', 'Compacted', 'caveat']) {
        expect(everything).not.toContain(foreign);
      }
      expect(turns.every(({ closed }) => closed)).toBe(true);
    },
  );

  it.each([
    ['interrupt-sigint', 'HANG please', 'SAY after interrupt', 'ANSWER to: after interrupt'],
    ['interrupt-sigkill', 'HANG please', 'SAY after kill', 'ANSWER to: after kill'],
  ])('that was stopped keeps the prompt and no half answer: %s', (name, stopped, next, answer) => {
    expect(said(turnsOf(name))).toEqual([
      [stopped, [], 'closed'],
      [next, [answer], 'closed'],
    ]);
  });

  it('that failed has no error for an answer', () => {
    expect(said(turnsOf('api-error'))).toEqual([
      ['FAIL please', [], 'closed'],
      ['SAY after error', [], 'open'],
    ]);
  });

  it('with a denied tool shows what the model asked for and what it was told', () => {
    const [turn] = turnsOf('guard-deny');
    expect(turn?.assistant.map(told)).toContain(
      'Read({"file_path":"viking://user/memories/profile.md"}) error: DENY-REASON-MARK',
    );
  });

  it('with prompts sent while a tool ran has them all in the running turn', () => {
    const [turn, ...others] = turnsOf('stream-json-queued');
    expect(others).toEqual([]);
    expect(turn?.userText?.split('\n\n').slice(1)).toEqual(['SAY two queued', 'SAY three queued']);
    expect(turn?.assistant.map(told).at(-1)).toBe('ANSWER to: one');
  });

  it('with commands has the answer to a command of the user’s own, and nothing of the client’s', () => {
    expect(said(turnsOf('slash-command'))).toEqual([[undefined, ['ANSWER to: greeting Ada'], 'closed']]);
  });

  it('with a background task has its notice for nobody’s words', () => {
    const turns = turnsOf('subagent');
    expect(turns).toHaveLength(2);
    expect(turns[1]?.userText).toBeUndefined();
    expect(turns[1]?.assistant).toHaveLength(1);
    expect(JSON.stringify(turns.map(({ userText }) => userText))).not.toContain('task-notification');
  });

  it('of a subagent is read from its own file, and not from its parent’s', () => {
    expect(said(turnsOf('subagent-with-tool.agent'))).toEqual([
      [
        'Helper: USE Bash {"command":"echo in-sub"} then',
        ['Bash({"command":"echo in-sub"}) completed: in-sub', expect.stringContaining('ANSWER to: ')],
        'closed',
      ],
    ]);
    const text = transcriptText('subagent-with-tool.agent');
    const session = firstMember(text, 'sessionId');
    // Builds of old keep these rows in the parent's file.
    expect(parse(linesOf(text), session)).toEqual([]);
    expect(parse(linesOf(text), session, 'another')).toEqual([]);
    expect(parse(linesOf(transcriptText('subagent-with-tool')), session, firstMember(text, 'agentId'))).toEqual([]);
  });

  it('of one process with everything in it', () => {
    const turns = turnsOf('one-process');
    expect(turns.map(({ userText }) => userText?.slice(0, 30))).toEqual([
      'plain first question',
      'SLOW question that is stopped',
      'what is in this picture',
      'RUNTOOL Bash {"command":"sleep',
      'RUNTOOL Bash {"command":"exit ',
      undefined,
      'RUNTOOL Bash {"command":"sleep',
      'RUNTOOL Agent {"description":"',
    ]);
    expect(turns[1]?.assistant).toEqual([]);
    expect(turns[6]?.userText).toMatch(/\n\na remark while it works$/);
  });

  it('that was typed by hand, with one stopped and a line for the shell', () => {
    expect(said(turnsOf('interactive'))).toEqual([
      ['typed by hand', ['stub says hi'], 'closed'],
      ['SLOW please', [], 'closed'],
      [undefined, ['stub says hi'], 'closed'],
    ]);
  });

  it('keeps every text of a message apart: the client reports the last of them as its answer', () => {
    expect(turnsOf('two-blocks')[0]?.assistant.map(told)).toEqual(['First block.', 'Second block.']);
  });

  it('never shows what hooks added, nor what the client notes for itself', () => {
    for (const name of ['tool-use', 'one-process', 'fork', 'compact', 'guard-deny', 'subagent', 'subagent.agent']) {
      const everything = JSON.stringify(turnsOf(name));
      expect(everything).not.toMatch(/CTX-|NOTICE-|a copy of what the model|leftOut|stop_hook_summary/);
    }
  });
});

describe('rows', () => {
  const session = 's1';
  let count = 0;
  const row = (fields: Record<string, unknown>) =>
    JSON.stringify({ sessionId: session, isSidechain: false, uuid: `u${(count += 1)}`, ...fields });
  const user = (promptId: string | undefined, content: unknown, more = {}) =>
    row({ type: 'user', promptId, message: { role: 'user', content }, ...more });
  const model = (content: unknown[], stop: string | null = 'end_turn', more = {}) =>
    row({ type: 'assistant', message: { id: `m${count}`, role: 'assistant', content, stop_reason: stop }, ...more });
  const text = (words: string) => ({ type: 'text', text: words });
  const read = (...rows: readonly string[]) => parse(linesOf(`${rows.join('\n')}\n`), session);

  it.each([
    ['the session id', { sessionId: 's2' }],
    ['a note of where it came from', { forkedFrom: { sessionId: 's2', messageUuid: 'x' } }],
  ])(
    'of another conversation, told by %s, are left out wherever they stand, and take nothing else with them',
    (_, of) => {
      const foreign = (n: number) => [user(`q${n}`, `FOREIGN ${n}`, of), model([text(`FOREIGN ${n}`)], 'end_turn', of)];
      const call = { type: 'tool_use', id: 't1', name: 'Bash', input: {} };
      const turns = read(
        ...foreign(1),
        user('p1', 'a question'),
        ...foreign(2),
        model([call], 'tool_use'),
        user('q9', [{ type: 'tool_result', tool_use_id: 't1', content: 'FOREIGN' }], of),
        user('p1', [{ type: 'tool_result', tool_use_id: 't1', content: 'out' }]),
        model([text('an answer')]),
        ...foreign(3),
      );
      expect(said(turns)).toEqual([['a question', ['Bash({}) completed: out', 'an answer'], 'closed']]);
    },
  );

  it('that the file repeats count once', () => {
    const answer = model([text('once')]);
    expect(said(read(user('p', 'hello'), answer, answer))).toEqual([['hello', ['once'], 'closed']]);
  });

  it('without prompt ids, from builds of old, make turns that the journal is not compared with', () => {
    const turns = read(user(undefined, 'one'), model([text('a')]), user(undefined, 'two'), model([text('b')], null));
    expect(said(turns)).toEqual([
      ['one', ['a'], 'closed'],
      ['two', ['b'], 'open'],
    ]);
    for (const { turnId } of turns) expect(turnId).toMatch(/^h-u\d+$/);
  });

  it('of a message that is not complete leave the turn open', () => {
    const thinking = { type: 'thinking', thinking: 'hm' };
    expect(said(read(user('p', 'x'), model([thinking])))).toEqual([['x', [], 'open']]);
    expect(said(read(user('p', 'x'), model([text('so far')], null)))).toEqual([['x', ['so far'], 'open']]);
    const call = { type: 'tool_use', id: 't', name: 'Bash', input: {} };
    expect(said(read(user('p', 'x'), model([call], 'tool_use')))).toEqual([['x', ['Bash({}) running: '], 'open']]);
    expect(said(read(user('p', 'x'), model([call], 'tool_use'), user('q', 'y')))[0]).toEqual([
      'x',
      ['Bash({}) pending: '],
      'closed',
    ]);
  });

  it.each(['end_turn', 'stop_sequence', 'max_tokens', 'refusal'])('that end with %s close the turn', (reason) => {
    expect(read(user('p', 'x'), model([text('y')], reason))[0]?.closed).toBe(true);
  });

  it('of a hook that sends the model back to work open the turn again', () => {
    const back = user('p', 'Stop hook feedback: go on', { isMeta: true });
    expect(said(read(user('p', 'x'), model([text('y')]), back))).toEqual([['x', ['y'], 'open']]);
    expect(said(read(user('p', 'x'), model([text('y')]), back, model([text('z')])))).toEqual([
      ['x', ['y', 'z'], 'closed'],
    ]);
  });

  it('with pictures, blocks and errors in tool results become text', () => {
    const call = { type: 'tool_use', id: 't', name: 'Shot', input: { a: 1 } };
    const result = {
      type: 'tool_result',
      tool_use_id: 't',
      content: [text('seen'), { type: 'image', source: { type: 'base64', data: 'AAAA' } }, { type: 'odd' }],
    };
    const turns = read(user('p', 'x'), model([call], 'tool_use'), user('p', [result]), model([text('done')]));
    expect(said(turns)).toEqual([['x', ['Shot({"a":1}) completed: seen\n[image]', 'done'], 'closed']]);
  });

  it('with the late output of a call give it to the call, in whatever turn that was', () => {
    const call = { type: 'tool_use', id: 't', name: 'Bash', input: {} };
    const result = { type: 'tool_result', tool_use_id: 't', content: 'late' };
    const turns = read(
      user('p', 'x'),
      model([call], 'tool_use'),
      user('q', 'y'),
      user('p', [result]),
      model([text('answer to y')]),
    );
    expect(said(turns)).toEqual([
      ['x', ['Bash({}) completed: late'], 'closed'],
      ['y', ['answer to y'], 'closed'],
    ]);
  });

  it('of the client itself are nobody’s words', () => {
    const foreign = [
      user('p', 'a summary', { isCompactSummary: true }),
      user('p', 'expanded', { isMeta: true }),
      user('p', 'for the eye only', { isVisibleInTranscriptOnly: true }),
      user('p', 'made up', { isVirtual: true }),
      user('p', '<command-name>/x</command-name>\n<command-args></command-args>'),
      user('p', '<local-command-stdout>out</local-command-stdout>'),
      user('p', '<bash-input>ls</bash-input>'),
      user('p', 'from another agent', { origin: { kind: 'peer' } }),
      user('p', 'side', { isSidechain: true }),
      row({ type: 'api-request-blob', message: { role: 'user', content: 'blob' } }),
      row({ type: 'attachment', attachment: { type: 'hook_additional_context', content: ['ctx'] } }),
      row({
        type: 'attachment',
        attachment: { type: 'queued_command', prompt: 'x', commandMode: 'task-notification' },
      }),
      model([text('No response requested.')], 'stop_sequence', { message: undefined }),
    ];
    expect(read(...foreign)).toEqual([]);
    expect(said(read(user('p', 'hello'), ...foreign.slice(0, 3), model([text('hi')]), ...foreign.slice(3)))).toEqual(
      [['hello', ['hi'], 'closed']].map(([a, b]) => [a, b, expect.any(String)]),
    );
  });

  it('that quote a tag of the client’s are the user’s words', () => {
    const words = 'Why does <command-name>/x</command-name> stand in my log?';
    expect(read(user('p', words))[0]?.userText).toBe(words);
  });
});

describe('locate', () => {
  const place = { nativeId: 's1', home: '/h', env: {} };

  it('takes the file that the event names, then the one of the project', () => {
    expect(locate({ ...place, transcriptPath: '/t/s1.jsonl' })).toEqual(['/t/s1.jsonl']);
    const env = { CLAUDE_PROJECT_DIR: '/home/a b/项目.x' };
    expect(locate({ ...place, env, transcriptPath: '/t/s1.jsonl' })).toEqual([
      '/t/s1.jsonl',
      '/h/.claude/projects/-home-a-b----x/s1.jsonl',
    ]);
    expect(locate({ ...place, env: { ...env, CLAUDE_CONFIG_DIR: '/c' } })).toEqual([
      '/c/projects/-home-a-b----x/s1.jsonl',
    ]);
    expect(locate(place)).toEqual([]);
    expect(locate({ ...place, nativeId: '../../x', env })).toEqual([]);
  });

  it('finds a subagent’s file by its own name and by its parent’s', () => {
    const own = '/t/s1/subagents/agent-a7.jsonl';
    expect(locate({ ...place, subagentId: 'a7', transcriptPath: own })).toEqual([own]);
    expect(locate({ ...place, subagentId: 'a7', transcriptPath: '/t/s1.jsonl' })).toEqual([own]);
    expect(locate({ ...place, subagentId: '../a7', transcriptPath: '/t/s1.jsonl' })).toEqual([]);
  });
});
