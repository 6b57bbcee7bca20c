/** What the client sends and what it accepts, payload by payload. The payloads are recordings. */
import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { claudeDialect } from '../src/dialect.ts';
import { CONTEXT_MAX_LENGTH, hostFacts } from '../src/host-facts.ts';
import { CONTEXT_LIMIT, judgeHook } from '../testing/index.ts';
import type { ClaudeEvent } from '../testing/index.ts';
import { hookPayload } from './fixture.ts';
import type { EventBinding, HookEvent, HookEventKind, Reply } from '../vendor/memory-core/hot.ts';

const { toEvent, toOutput } = claudeDialect;
const PROJECT = '/home/dev/project';

function bindingOf(entry: string): EventBinding {
  const binding = hostFacts.events.find((event) => event.entry === entry);
  if (binding === undefined) throw new Error(`no entry ${entry}`);
  return binding;
}

const read = (entry: string, payload: Record<string, unknown>, env: Record<string, string> = {}) =>
  toEvent(bindingOf(entry).kind, payload, env, entry);

describe('toEvent', () => {
  it.each([
    ['SessionStart.startup', 'session-start', { kind: 'session-start', source: 'startup' }],
    ['SessionStart.resume', 'session-start', { kind: 'session-start', source: 'resume' }],
    ['SessionStart.clear', 'session-start', { kind: 'session-start', source: 'clear' }],
    ['SessionStart.compact', 'session-start', { kind: 'session-start', source: 'compact' }],
    ['SessionStart.fork', 'session-start', { kind: 'session-start', source: 'fork' }],
    ['UserPromptSubmit', 'user-prompt-submit', { kind: 'prompt', prompt: 'SAY hello there' }],
    ['PreToolUse', 'uri-guard', { kind: 'tool-guard', toolName: 'Bash', toolInput: { command: 'echo okay-run' } }],
    ['Stop', 'stop', { kind: 'turn-end', answer: 'ANSWER to: hello there' }],
    ['PreCompact', 'pre-compact', { kind: 'pre-compact' }],
    ['SessionEnd', 'session-end', { kind: 'session-end' }],
  ])('reads %s', (name, entry, own) => {
    const payload = hookPayload(name);
    const turnId = payload['prompt_id'] as string | undefined;
    expect(read(entry, payload)).toEqual({
      session: { nativeId: payload['session_id'], origin: 'event' },
      cwd: PROJECT,
      transcriptPath: payload['transcript_path'],
      ...(turnId === undefined ? {} : { turnId }),
      ...own,
    });
  });

  it('gives prompt and turn end the same turn', () => {
    const turn = (name: string, entry: string) => read(entry, hookPayload(name))?.turnId;
    expect(turn('UserPromptSubmit', 'user-prompt-submit')).toBeDefined();
    expect(turn('Stop', 'stop')).toBe(turn('UserPromptSubmit', 'user-prompt-submit'));
  });

  it.each([
    ['SubagentStart', 'subagent-start', 'session-start', 'transcript_path'],
    ['SubagentStop', 'subagent-stop', 'turn-end', 'agent_transcript_path'],
  ])('reads %s as of the subagent, with its own record where it is named', (name, entry, kind, path) => {
    const payload = hookPayload(name);
    expect(read(entry, payload)).toMatchObject({
      kind,
      session: {
        nativeId: payload['session_id'],
        subagent: { id: payload['agent_id'], type: 'general-purpose' },
      },
      transcriptPath: payload[path],
    });
  });

  it('ignores the end of a subagent that the client started for itself', () => {
    expect(read('subagent-stop', hookPayload('SubagentStop.without-start'))).toBeUndefined();
    expect(read('subagent-start', { ...hookPayload('SubagentStart'), agent_type: '' })).toBeUndefined();
    expect(read('subagent-stop', hookPayload('Stop'))).toBeUndefined();
  });

  it('guards a subagent’s tools, and takes nothing else in it for the parent’s', () => {
    const payload = hookPayload('PreToolUse.in-subagent');
    expect(read('uri-guard', payload)).toMatchObject({
      toolName: 'Bash',
      session: { subagent: { id: payload['agent_id'] } },
    });
    const agent = { agent_id: 'a1', agent_type: 'Explore' };
    expect(read('stop', { ...hookPayload('Stop'), ...agent })).toBeUndefined();
    expect(read('user-prompt-submit', { ...hookPayload('UserPromptSubmit'), ...agent })).toBeUndefined();
    expect(read('session-start', { ...hookPayload('SessionStart.startup'), ...agent })).toBeUndefined();
  });

  it('gives the guard the address that the model wrote', () => {
    const input = (fields: Record<string, unknown>) => {
      const event = read('uri-guard', { ...hookPayload('PreToolUse.memory-address'), tool_input: fields });
      return event?.kind === 'tool-guard' ? event.toolInput : undefined;
    };
    expect(read('uri-guard', hookPayload('PreToolUse.memory-address'))).toMatchObject({
      toolInput: { file_path: 'viking://user/memories/profile.md' },
    });
    expect(input({ notebook_path: '/a/viking:/x.ipynb', offset: 3 })).toEqual({
      notebook_path: 'viking://x.ipynb',
      offset: 3,
    });
    expect(input({ file_path: 'C:\\w\\viking:\\user\\a.md' })).toEqual({ file_path: 'viking://user/a.md' });
    for (const other of ['viking://user/a.md', '/w/viking/a.md', 'see viking:/x', '/w/notviking:/x', 'viking:/x']) {
      expect(input({ file_path: other })).toEqual({ file_path: other });
    }
    const text = { file_path: '/w/a.md', content: `/w/viking:/x\n${'/viking:/'.repeat(200_000)}` };
    expect(input(text)).toEqual(text);
  });

  it('takes no part in prompts that the client writes itself', () => {
    expect(read('user-prompt-submit', hookPayload('UserPromptSubmit.task-notification'))).toBeUndefined();
    const prompt = (source: unknown) => read('user-prompt-submit', { ...hookPayload('UserPromptSubmit'), source });
    for (const source of ['system', 'loop_wakeup', 'schedule_wakeup', 'poll_event', 'another', 7]) {
      expect(prompt(source)).toBeUndefined();
    }
    for (const source of ['user', 'sdk']) expect(prompt(source)).toMatchObject({ kind: 'prompt' });
    const quoting = 'What does <task-notification>x</task-notification> mean?';
    expect(read('user-prompt-submit', { ...hookPayload('UserPromptSubmit'), prompt: quoting })).toMatchObject({
      prompt: quoting,
    });
  });

  it('finds a session id elsewhere, and says where', () => {
    const session = (fields: Record<string, unknown>, env: Record<string, string> = {}) =>
      read('user-prompt-submit', { prompt: 'x', ...fields }, env)?.session;
    const id = '0a1b2c3d-0000-4000-a000-000000000009';
    expect(session({ transcript_path: `/t/${id}.jsonl` }, { CLAUDE_CODE_SESSION_ID: 'e' })).toEqual({
      nativeId: 'e',
      origin: 'event',
    });
    expect(session({ transcript_path: `/t/${id}.jsonl` })).toEqual({ nativeId: id, origin: 'transcript-path' });
    const hash = createHash('sha256').update('/w').digest('hex').slice(0, 16);
    expect(session({ cwd: '/w' })).toEqual({ nativeId: `dir-${hash}`, origin: 'directory-hash' });
    expect(session({}, { CLAUDE_PROJECT_DIR: '/w' })).toEqual({ nativeId: `dir-${hash}`, origin: 'directory-hash' });
    expect(session({})).toBeUndefined();
  });

  it('never throws, and never yields a value of a wrong type', () => {
    const keys = [
      'session_id',
      'cwd',
      'prompt_id',
      'source',
      'prompt',
      'tool_name',
      'tool_input',
      'agent_id',
      'agent_type',
    ];
    const anything = fc.oneof(fc.dictionary(fc.constantFrom(...keys, '__proto__'), fc.anything()), fc.anything());
    fc.assert(
      fc.property(fc.constantFrom(...hostFacts.events), anything, ({ kind, entry }, value) => {
        const event = toEvent(kind, value as Record<string, unknown>, {}, entry);
        if (event === undefined) return;
        expect(event.kind).toBe(kind);
        expect(typeof event.session.nativeId).toBe('string');
        expect(typeof event.cwd).toBe('string');
        expect(['string', 'undefined']).toContain(typeof event.turnId);
        expect(['string', 'undefined']).toContain(typeof event.session.subagent?.type);
        if (event.kind === 'prompt') expect(typeof event.prompt).toBe('string');
        if (event.kind === 'tool-guard') expect(typeof event.toolInput).toBe('object');
      }),
    );
  });
});

describe('toOutput', () => {
  const context = (text: string, notice?: string): Reply => ({ kind: 'context', text, ...(notice ? { notice } : {}) });
  const say = (entry: string, reply: Reply) => toOutput(bindingOf(entry).kind, reply, entry);
  /** What the client makes of it. */
  const heard = (entry: string, reply: Reply) =>
    judgeHook(bindingOf(entry).nativeName as ClaudeEvent, {
      exitCode: 0,
      timedOut: false,
      stderr: '',
      stdout: say(entry, reply),
    });

  it('says nothing in nothing at all', () => {
    for (const { entry } of hostFacts.events) {
      expect(say(entry, { kind: 'nothing' })).toBe('');
      expect(say(entry, context(''))).toBe('');
    }
  });

  it.each(['session-start', 'user-prompt-submit', 'uri-guard', 'subagent-start'])('adds context at %s', (entry) => {
    expect(say(entry, context('a "b"\n中'))).toBe(
      JSON.stringify({
        hookSpecificOutput: { hookEventName: bindingOf(entry).nativeName, additionalContext: 'a "b"\n中' },
      }),
    );
    expect(heard(entry, context('told')).verdict).toEqual({ kind: 'context', text: 'told' });
  });

  it.each(['stop', 'subagent-stop', 'pre-compact', 'session-end'])('says nothing whatever at %s', (entry) => {
    for (const reply of [context('x', 'y'), { kind: 'nothing', notice: 'y' }, { kind: 'deny', reason: 'z' }] as const) {
      expect(say(entry, reply)).toBe('');
    }
  });

  it('shows a notice to the user, with and without a context', () => {
    expect(say('user-prompt-submit', { kind: 'nothing', notice: 'The key is wrong.' })).toBe(
      '{"systemMessage":"The key is wrong."}',
    );
    expect(heard('session-start', context('told', 'The key is wrong.'))).toEqual({
      verdict: { kind: 'context', text: 'told' },
      notice: 'The key is wrong.',
    });
  });

  it('denies a tool call, and nothing else', () => {
    const deny: Reply = { kind: 'deny', reason: 'Call read instead.' };
    expect(heard('uri-guard', deny).verdict).toEqual(deny);
    for (const entry of ['session-start', 'user-prompt-submit', 'subagent-start']) expect(say(entry, deny)).toBe('');
  });

  const close = '</openviking-context>';
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('中文', '👨‍👩‍👧‍👦', '\u0000\u001b', '"\\"', '\ud83d', '<memory>', '\n'),
  );

  it('is never so long that the client hides it, and keeps the end of the envelope', () => {
    expect(CONTEXT_MAX_LENGTH).toBe(CONTEXT_LIMIT);
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 2000 }),
        (parts, times) => {
          const text = `<openviking-context>${parts.join('').repeat(times)}${close}`;
          const { verdict } = heard('user-prompt-submit', context(text));
          const shown = verdict.kind === 'context' ? verdict.text : '';
          expect(shown).not.toContain('<persisted-output>');
          expect(shown.endsWith(close)).toBe(true);
          if (shown === text.trim()) return;
          const kept = shown.slice(0, shown.indexOf('\n… (cut to fit'));
          expect(text.startsWith(kept)).toBe(true);
          const next = text.charCodeAt(kept.length);
          const last = kept.charCodeAt(kept.length - 1);
          expect(last >= 0xd800 && last < 0xdc00 && next >= 0xdc00 && next < 0xe000).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('uses the room there is, counted as the client counts', () => {
    for (const character of ['x', '中', '🦄']) {
      const fits = character.repeat(CONTEXT_LIMIT / character.length);
      expect(heard('session-start', context(fits)).verdict).toEqual({ kind: 'context', text: fits });
      const shown = heard('session-start', context(`${fits}${character}`)).verdict;
      expect(shown).toEqual({ kind: 'context', text: expect.stringContaining('cut to fit') });
    }
  });
});

describe('the host', () => {
  it('has one entry per event, each with a time limit that leaves the hook its margin', () => {
    expect(new Set(hostFacts.events.map(({ entry }) => entry)).size).toBe(hostFacts.events.length);
    expect(new Set(hostFacts.events.map(({ nativeName }) => nativeName)).size).toBe(hostFacts.events.length);
    for (const { timeout } of hostFacts.events) expect(timeout.value).toBeGreaterThan(2);
    // Without a limit of its own the client gives the end of a session 1.5 s.
    expect(bindingOf('session-end').timeout.value).toBeGreaterThanOrEqual(5);
  });

  it('handles every event by its own kind', () => {
    const kinds = hostFacts.events.map(({ kind }): HookEventKind => kind);
    const events = hostFacts.events.map(({ kind, entry }): HookEvent['kind'] | undefined => {
      const payload = { ...hookPayload('PreToolUse.in-subagent'), prompt: 'x' } as Record<string, unknown>;
      if (!entry.startsWith('subagent')) delete payload['agent_id'];
      return toEvent(kind, payload, {}, entry)?.kind;
    });
    expect(events).toEqual(kinds);
  });
});
