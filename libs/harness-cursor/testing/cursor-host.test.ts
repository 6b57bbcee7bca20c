/**
 * The fake client must be at least as strict as the real one, and must be right about what a record looks like: a lenient
 * fake would pass hooks that block every tool in production.
 */
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTemporaryHome } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { CursorHost, judgeHook, readClaudeSettings, readHooksFile } from './index.ts';
import type { CursorEvent, CursorHostOptions, HookVerdict } from './index.ts';

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => home.remove());

describe('hooks.json', () => {
  const withEvents = (hooks: object): string => JSON.stringify({ version: 1, hooks });
  const stop = [{ command: 'true' }];

  it('is dropped whole by cursor-agent for one unknown event, and read around it by the editor', () => {
    const text = withEvents({ stop, notification: [] });
    expect(readHooksFile(text, 'agent')).toEqual({ kind: 'dropped', reason: 'unknown event notification' });
    const reading = readHooksFile(text, 'editor');
    expect(reading.kind === 'read' && [...reading.hooks.keys()]).toEqual(['stop']);
  });

  it.each([
    ['no version', '{"hooks":{}}'],
    ['a version that is text', '{"version":"1","hooks":{}}'],
    ['version 2', '{"version":2,"hooks":{}}'],
    ['a comment', '// mine\n{"version":1}'],
    ['an empty file', ''],
    ['a list', '[]'],
    ['hooks that are text', '{"version":1,"hooks":"x"}'],
  ])('is dropped by both with %s', (_what, text) => {
    expect(readHooksFile(text, 'editor').kind).toBe('dropped');
    expect(readHooksFile(text, 'agent').kind).toBe('dropped');
  });

  it.each([
    ['a group as Claude Code has them', { hooks: [{ type: 'command', command: 'true' }] }],
    ['no command', { timeout: 5 }],
    ['an unknown key', { command: 'true', managedBy: 'us' }],
    ['a time limit that is text', { command: 'true', timeout: '5' }],
  ])('has no use for an entry with %s', (_what, entry) => {
    const reading = readHooksFile(withEvents({ stop: [entry] }), 'editor');
    expect(reading.kind === 'read' && reading.hooks.get('stop')).toEqual([]);
    expect(readHooksFile(withEvents({ stop: [entry] }), 'agent').kind).toBe('dropped');
  });

  it('counts time in seconds', () => {
    const reading = readHooksFile(
      withEvents({ stop: [{ command: 'true', timeout: 2 }, { command: 'true' }] }),
      'editor',
    );
    expect(reading.kind === 'read' && reading.hooks.get('stop')?.map(({ timeoutMs }) => timeoutMs)).toEqual([
      2_000, 60_000,
    ]);
  });
});

describe('answers', () => {
  const judge = (event: CursorEvent, stdout: string, more: object = {}): HookVerdict =>
    judgeHook(event, { exitCode: 0, timedOut: false, stdout, stderr: '', ...more });

  it.each([
    '',
    'All fine.',
    '{}',
    '[]',
    '{"decision":"allow"}',
    '{"permission":"yes"}',
    '{"permission":"allow","mine":1}',
    '{"hookSpecificOutput":{}}',
  ])('of a gate that are not in its form block the tool: %s', (stdout) => {
    expect(judge('preToolUse', stdout).kind).toBe('broken');
  });

  it('of other events that are not in their form are ignored', () => {
    expect(judge('beforeSubmitPrompt', '')).toEqual({ kind: 'nothing' });
    expect(judge('beforeSubmitPrompt', 'text')).toEqual({ kind: 'nothing', ignored: 'no JSON' });
    expect(judge('beforeSubmitPrompt', '{"additional_context":"x"}').kind).toBe('nothing');
    expect(judge('sessionStart', '{"hookSpecificOutput":{"additionalContext":"x"}}').kind).toBe('nothing');
  });

  it('that fail let the action through, unless the user wanted it otherwise', () => {
    const failure = { exitCode: 1, timedOut: false, stdout: '', stderr: '' };
    expect(judgeHook('preToolUse', failure).kind).toBe('nothing');
    expect(judgeHook('preToolUse', failure, true).kind).toBe('broken');
    expect(judge('preToolUse', '', { exitCode: 2, stderr: 'no' })).toEqual({ kind: 'deny', reason: 'no' });
  });

  it('with a context over 10,000 characters do not reach the model directly', () => {
    const answer = (length: number) => JSON.stringify({ continue: true, additional_context: 'x'.repeat(length) });
    expect(judge('beforeSubmitPrompt', answer(10_000)).kind).toBe('context');
    expect(judge('beforeSubmitPrompt', answer(10_001)).kind).toBe('nothing');
  });

  it('at a turn’s end are the user’s next words', () => {
    expect(judge('stop', '{"followup_message":"go on"}')).toEqual({ kind: 'follow-up', text: 'go on' });
  });
});

describe('a conversation', () => {
  /** Hooks that write their event and what they were sent into a file. */
  const record = (events: readonly CursorEvent[], answer = ''): void => {
    const command = `cat >> "$HOME/payloads"; printf '%s' '${answer}'`;
    home.write(
      '.cursor/hooks.json',
      JSON.stringify({ version: 1, hooks: Object.fromEntries(events.map((event) => [event, [{ command }]])) }),
    );
  };
  const payloads = (): Record<string, unknown>[] =>
    home.has('payloads')
      ? home
          .readText('payloads')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, unknown>)
      : [];
  const host = (options: Partial<CursorHostOptions> = {}): CursorHost =>
    new CursorHost({ home: home.path, cwd: home.makeFolder('work/app'), ...options });
  const ALL: readonly CursorEvent[] = [
    'sessionStart',
    'beforeSubmitPrompt',
    'afterAgentResponse',
    'stop',
    'preCompact',
    'subagentStop',
    'sessionEnd',
  ];

  it('runs its events in order, each with the ids of the conversation and the turn', async () => {
    record(ALL);
    const session = host().startSession();
    await session.prompt('one');
    await session.answer('first');
    session.abort();
    await session.end();
    const sent = payloads();
    expect(sent.map((payload) => payload['hook_event_name'])).toEqual([
      'sessionStart',
      'beforeSubmitPrompt',
      'afterAgentResponse',
      'stop',
      'stop',
      'sessionEnd',
    ]);
    expect(new Set(sent.map((payload) => payload['conversation_id']))).toEqual(new Set([session.id]));
    expect(sent.map((payload) => payload['generation_id'] === '')).toEqual([true, false, false, false, false, false]);
    expect(sent.map((payload) => payload['transcript_path'] === null)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(sent.filter((payload) => payload['status'] !== undefined).map((payload) => payload['status'])).toEqual([
      'completed',
      'aborted',
    ]);
  });

  it('runs no hook for prompt, answer and end of a turn in print mode', async () => {
    record([...ALL, 'preToolUse'], '{"permission":"allow"}');
    const session = host({ program: 'agent', print: true }).startSession();
    await session.prompt('one');
    await session.tool('Read', { file_path: 'a' }, 'text');
    await session.answer('first');
    await session.end();
    expect(payloads().map((payload) => payload['hook_event_name'])).toEqual([
      'sessionStart',
      'preToolUse',
      'sessionEnd',
    ]);
  });

  it('blocks a tool whose gate says nothing', async () => {
    record(['preToolUse']);
    const session = host().startSession();
    await session.prompt('one');
    expect((await session.tool('Read', { file_path: 'a' }, 'text')).denied).toMatch(/invalid JSON/);
  });

  it('keeps its record as the client does', async () => {
    const session = host().startSession();
    await session.prompt('What is in a?');
    await session.tool('Read', { path: 'a' }, 'text of a', { say: 'I look.' });
    await session.answer('Text.');
    expect(session.transcript.path).toBe(
      home.at(
        '.cursor',
        'projects',
        home
          .at('work', 'app')
          .slice(1)
          .replace(/[^A-Za-z0-9]/g, '-'),
        'agent-transcripts',
        session.id,
        `${session.id}.jsonl`,
      ),
    );
    const lines = readFileSync(session.transcript.path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual([
      {
        role: 'user',
        message: {
          content: [
            {
              type: 'text',
              text: expect.stringMatching(/^<timestamp>.*<\/timestamp>\n<user_query>\nWhat is in a\?\n<\/user_query>$/),
            },
          ],
        },
      },
      {
        role: 'assistant',
        message: {
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', name: 'Read', input: { path: 'a' } },
          ],
        },
      },
      { role: 'assistant', message: { content: [{ type: 'text', text: 'Text.' }] } },
      { type: 'turn_ended', status: 'success' },
    ]);
    expect(JSON.stringify(lines)).not.toContain('text of a');
  });

  it('keeps a subagent’s record in a folder of its own and tells its parent of the end', async () => {
    record(['subagentStop']);
    const session = host().startSession();
    await session.prompt('Delegate it.');
    const { id } = await session.subagent('Look around.', 'Looked around.');
    const [payload] = payloads();
    expect(payload).toMatchObject({ conversation_id: session.id, task: 'Look around.', summary: 'Looked around.' });
    expect(String(payload?.['agent_transcript_path'])).toMatch(new RegExp(`${session.id}/subagents/${id}\\.jsonl$`));
    expect(existsSync(String(payload?.['agent_transcript_path']))).toBe(true);
  });

  it('runs Claude Code’s hooks as well, once per command line, and marks them with its version', async () => {
    const command = 'printf "%s\\n" "$CURSOR_VERSION" >> "$HOME/versions"';
    home.write(
      '.claude/settings.json',
      JSON.stringify({
        hooks: {
          UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }],
          Stop: [{ hooks: [{ type: 'command', command: 'cat >> "$HOME/payloads"' }] }],
        },
      }),
    );
    home.write('.cursor/hooks.json', JSON.stringify({ version: 1, hooks: { beforeSubmitPrompt: [{ command }] } }));
    const session = host().startSession();
    await session.prompt('one');
    await session.answer('first');
    expect(home.readText('versions')).toBe('3.20.17\n');
    expect(payloads().map((payload) => payload['cursor_version'])).toEqual(['3.20.17']);
  });

  it('reads Claude Code’s groups, and what they call tools', () => {
    const settings = {
      hooks: {
        PreToolUse: [{ matcher: 'Bash|Read', hooks: [{ type: 'command', command: 'guard', args: ['x'], timeout: 3 }] }],
        Notification: [{ hooks: [{ command: 'n' }] }],
      },
    };
    const hooks = readClaudeSettings(JSON.stringify(settings));
    expect([...hooks.keys()]).toEqual(['preToolUse']);
    const [guard] = hooks.get('preToolUse') ?? [];
    expect(guard).toMatchObject({ command: 'guard', timeoutMs: 3_000, origin: 'claude' });
    expect(['Shell', 'Read', 'Write'].map((name) => guard?.matcher?.test(name))).toEqual([true, true, false]);
    expect(readClaudeSettings('broken').size).toBe(0);
  });
});
