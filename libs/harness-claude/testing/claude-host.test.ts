/** The fake has to be as strict as the client: a hook that the client would not hear must not be heard here. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createTemporaryHome } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { ClaudeHost } from './claude-host.ts';
import { matches } from './client-hooks.ts';
import { judgeHook } from './output.ts';
import type { ClaudeEvent } from './client-hooks.ts';

const outcome = (stdout: string, more = {}) => ({ exitCode: 0, timedOut: false, stderr: '', stdout, ...more });
const adding = (event: string, text = 'told') =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } });

describe('an answer', () => {
  it('is heard in the client’s own form', () => {
    expect(judgeHook('SessionStart', outcome(adding('SessionStart'))).verdict).toEqual({
      kind: 'context',
      text: 'told',
    });
    expect(judgeHook('UserPromptSubmit', outcome('plain words')).verdict).toEqual({
      kind: 'context',
      text: 'plain words',
    });
    const extra = outcome(adding('PreToolUse').replace('{', '{"mine":1,"suppressOutput":true,'));
    expect(judgeHook('PreToolUse', extra).verdict.kind).toBe('context');
  });

  it.each<[string, ClaudeEvent, string]>([
    ['under another event’s name', 'SessionStart', adding('UserPromptSubmit')],
    [
      'with a decision that it does not know',
      'UserPromptSubmit',
      adding('UserPromptSubmit').replace('{', '{"decision":"allow",'),
    ],
    ['before a compaction', 'PreCompact', adding('PreCompact')],
    ['at the end', 'SessionEnd', adding('SessionEnd')],
    ['as plain text where none is taken', 'Stop', 'plain words'],
  ])('is not heard %s', (_how, event, stdout) => {
    const { verdict } = judgeHook(event, outcome(stdout));
    expect(verdict).toEqual({ kind: 'nothing', dropped: expect.any(String) });
  });

  it('that would start another turn is an error', () => {
    for (const event of ['Stop', 'SubagentStop'] as const) {
      expect(() => judgeHook(event, outcome(adding(event)))).toThrow('run the model again');
      expect(() => judgeHook(event, outcome('{"decision":"block","reason":"go on"}'))).toThrow('run the model again');
      expect(() => judgeHook(event, outcome('', { exitCode: 2, stderr: 'go on' }))).toThrow('run the model again');
    }
  });

  it('of more than 10,000 characters is hidden from the model', () => {
    const text = 'x'.repeat(10_001);
    expect(judgeHook('SessionStart', outcome(adding('SessionStart', text))).verdict).toMatchObject({
      text: expect.stringContaining('<persisted-output>'),
    });
  });

  it('of a hook that failed is nothing', () => {
    for (const more of [{ exitCode: 1 }, { timedOut: true }, { exitCode: null }]) {
      expect(judgeHook('SessionStart', outcome(adding('SessionStart'), more)).verdict.kind).toBe('failed');
    }
    expect(judgeHook('PreToolUse', outcome('', { exitCode: 2, stderr: 'no' })).verdict).toEqual({
      kind: 'deny',
      reason: 'no',
    });
  });
});

it('matches tools by name, not by a part of it', () => {
  expect(matches('Read|Bash', 'Read')).toBe(true);
  expect(matches('Read|Bash', 'BashOutput')).toBe(false);
  expect(matches('mcp__.*', 'mcp__x__find')).toBe(true);
  for (const everything of [undefined, '', '*']) expect(matches(everything, 'Read')).toBe(true);
});

describe('a session', () => {
  let home: TemporaryHome;
  beforeEach(() => {
    home = createTemporaryHome();
  });
  afterEach(() => home.remove());

  const hook = (event: string, command: string, more = {}) =>
    home.write(
      '.claude/settings.json',
      JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'command', command, ...more }] }] } }),
    );
  const host = () => new ClaudeHost({ home: home.path, cwd: home.makeFolder('work') });

  it('tells its hooks what the client tells them, by stdin and environment', async () => {
    hook('UserPromptSubmit', 'sed "s/^/got /"; printf "%s" "$CLAUDE_PROJECT_DIR|$CLAUDE_CODE_SESSION_ID" >env');
    const session = host().startSession();
    const { injected } = await session.prompt('hello');
    expect(JSON.parse(injected.slice(injected.indexOf('{'))) as unknown).toMatchObject({
      session_id: session.id,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'hello',
      prompt_id: expect.any(String),
    });
    expect(home.readText('work/env')).toBe(`${home.at('work')}|${session.id}`);
  });

  it('has no record before the first prompt, and the final answer in it at Stop', async () => {
    const check = (file: string) =>
      `p=$(sed 's/.*"transcript_path":"\\([^"]*\\)".*/\\1/'); [ -f "$p" ] && tail -1 "$p" >${file} || echo none >${file}`;
    hook('UserPromptSubmit', check('before'));
    const session = host().startSession();
    await session.prompt('hello');
    expect(home.readText('work/before')).toBe('none\n');
    hook('Stop', check('after'));
    const again = host().resumeSession(session);
    await again.prompt('hello again');
    await again.answer('the very end');
    expect(home.readText('work/after')).toContain('the very end');
  });

  it('gives the end of a session no more than 1.5 s, unless the hook says otherwise', async () => {
    hook('SessionEnd', 'sleep 2; echo done >end');
    await host().startSession().end();
    expect(home.has('work/end')).toBe(false);
    hook('SessionEnd', 'sleep 2; echo done >end', { timeout: 5 });
    await host().startSession().end();
    expect(home.has('work/end')).toBe(true);
  });

  it('begins a fork with the rows of the other, under its own ids', async () => {
    const first = host().startSession();
    await first.prompt('one');
    await first.answer('answer to one');
    const fork = host().forkSession(first);
    await fork.prompt('two');
    const rows = readFileSync(fork.situation.transcriptPath, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(new Set(rows.map((row) => row['sessionId']))).toEqual(new Set([fork.id]));
    const prompts = rows.filter((row) => row['type'] === 'user');
    expect(new Set(prompts.map((row) => row['promptId'])).size).toBe(1);
    const answers = rows.filter((row) => row['type'] === 'assistant');
    for (const row of answers) expect(row['requestSessionId']).toBe(first.id);
  });
});
