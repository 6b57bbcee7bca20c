/**
 * Payloads as builds send them, and answers in the exact form that the client takes: judged by the strict fake where the
 * form decides whether a tool runs.
 */
import { describe, expect, it } from '@jest/globals';
import { cursorDialect } from '../src/dialect.ts';
import { CONTEXT_MAX_LENGTH, hostFacts } from '../src/host-facts.ts';
import { hookInput, judgeHook } from '../testing/index.ts';
import type { CursorEvent, HookDetail } from '../testing/index.ts';
import type { EventBinding, HookEvent, Reply } from '../vendor/memory-core/hot.ts';

const ID = '74676b03-4a44-4d6e-9c1f-2f8d1c0a9e11';
const CHILD = '0b0f1a52-77aa-4e0e-a8ff-5f3f2d9c4e21';
const FOLDER = '/home/u/.cursor/projects/srv-app/agent-transcripts';
const HOME = { HOME: '/home/u' };

function bindingOf(nativeName: string): EventBinding {
  const binding = hostFacts.events.find((event) => event.nativeName === nativeName);
  if (binding === undefined) throw new Error(`no event ${nativeName}`);
  return binding;
}

function read(
  payload: Record<string, unknown>,
  nativeName: string,
  env: Record<string, string> = HOME,
): HookEvent | undefined {
  const { kind, entry } = bindingOf(nativeName);
  return cursorDialect.toEvent(kind, payload, env, entry);
}

/** What the client sends for an event. */
function sent(detail: HookDetail, change: Record<string, unknown> = {}): HookEvent | undefined {
  const situation = {
    conversationId: ID,
    generationId: 'f7746f6e',
    workspaceRoots: ['/srv/app'],
    transcriptPath: `${FOLDER}/${ID}/${ID}.jsonl`,
  };
  return read({ ...(JSON.parse(hookInput(situation, detail)) as object), ...change }, detail.event);
}

describe('payloads', () => {
  it('reads every event of the client', () => {
    const base = {
      session: { nativeId: ID, origin: 'event' },
      cwd: '/srv/app',
      turnId: 'f7746f6e',
      transcriptPath: `${FOLDER}/${ID}/${ID}.jsonl`,
    };
    expect(sent({ event: 'sessionStart' })).toEqual({
      kind: 'session-start',
      source: 'startup',
      ...base,
      transcriptPath: expect.any(String),
    });
    expect(sent({ event: 'beforeSubmitPrompt', prompt: 'hi there' })).toMatchObject({
      kind: 'prompt',
      prompt: 'hi there',
      turnId: 'f7746f6e',
    });
    expect(sent({ event: 'preToolUse', toolName: 'Read', toolInput: { file_path: 'a.ts' } })).toEqual({
      kind: 'tool-guard',
      toolName: 'Read',
      toolInput: { file_path: 'a.ts' },
      ...base,
    });
    expect(sent({ event: 'afterAgentResponse', text: 'done' })).toEqual({ kind: 'answer', text: 'done', ...base });
    expect(sent({ event: 'stop', status: 'completed' })).toEqual({ kind: 'turn-end', ...base });
    expect(sent({ event: 'preCompact' })).toEqual({ kind: 'pre-compact', ...base });
    expect(sent({ event: 'sessionEnd' })).toEqual({ kind: 'session-end', ...base });
  });

  it('works out the record where the event says null', () => {
    const event = sent({ event: 'beforeSubmitPrompt', prompt: 'hi there' });
    expect(event?.transcriptPath).toBe(`/home/u/.cursor/projects/srv-app/agent-transcripts/${ID}/${ID}.jsonl`);
    const elsewhere = read(
      { conversation_id: ID, prompt: 'x', workspace_roots: ['/srv/my.app'] },
      'beforeSubmitPrompt',
      {
        ...HOME,
        CURSOR_CONFIG_DIR: '/config',
      },
    );
    expect(elsewhere?.transcriptPath).toBe(`/config/projects/srv-my-app/agent-transcripts/${ID}/${ID}.jsonl`);
  });

  it('takes the record from the environment where only that names it', () => {
    const event = read({ conversation_id: ID, workspace_roots: ['/srv/app'] }, 'stop', {
      CURSOR_TRANSCRIPT_PATH: '/t/x.jsonl',
    });
    expect(event?.transcriptPath).toBe('/t/x.jsonl');
  });

  it.each([
    ['the first root', { workspace_roots: ['/srv/app', '/srv/lib'], cwd: '/srv/app/src' }, {}, '/srv/app'],
    ['a root in the form of a URI', { workspace_roots: ['/c:/Users/u/app'] }, {}, 'c:/Users/u/app'],
    ['cwd without roots', { workspace_roots: [], cwd: '/srv/other' }, {}, '/srv/other'],
    ['the environment where the event says nothing', { cwd: '' }, { CURSOR_PROJECT_DIR: '/srv/env' }, '/srv/env'],
    ['its older name', { workspace_roots: null }, { CLAUDE_PROJECT_DIR: '/srv/old' }, '/srv/old'],
    ['nothing', {}, {}, ''],
  ])('knows the workspace by %s', (_what, payload, env, cwd) => {
    expect(read({ conversation_id: ID, ...payload }, 'stop', env)?.cwd).toBe(cwd);
  });

  it.each([
    ['conversation_id', { conversation_id: ID, session_id: 'other' }, { nativeId: ID, origin: 'event' }],
    ['session_id', { session_id: ID }, { nativeId: ID, origin: 'event' }],
    [
      'the name of the record',
      { transcript_path: `${FOLDER}/${ID}.jsonl` },
      { nativeId: ID, origin: 'transcript-path' },
    ],
    [
      'the workspace',
      { workspace_roots: ['/srv/app'] },
      { nativeId: expect.stringMatching(/^dir-[0-9a-f]{16}$/), origin: 'directory-hash' },
    ],
  ])('knows the conversation by %s', (_what, payload, session) => {
    expect(read(payload, 'stop', {})?.session).toEqual(session);
  });

  it('leaves out a turn id that the client has not given yet', () => {
    expect(read({ conversation_id: ID, generation_id: '', prompt: 'x' }, 'beforeSubmitPrompt')).not.toHaveProperty(
      'turnId',
    );
  });

  it('reads arguments that are JSON text, and calls tools and arguments by names that the guard knows', () => {
    const tool = (name: string, input: unknown) => {
      const event = read({ conversation_id: ID, tool_name: name, tool_input: input }, 'preToolUse');
      return event?.kind === 'tool-guard' ? [event.toolName, event.toolInput] : undefined;
    };
    expect(tool('Shell', '{"command":"ls"}')).toEqual(['Shell', { command: 'ls' }]);
    expect(tool('StrReplace', { path: 'a' })).toEqual(['Edit', { path: 'a' }]);
    expect(tool('Glob', { target_directory: 'src', glob_pattern: '*.ts' })).toEqual([
      'Glob',
      { path: 'src', pattern: '*.ts' },
    ]);
    expect(tool('MCP:find', 'not json')).toEqual(['MCP:find', {}]);
    expect(tool('Grep', null)).toEqual(['Grep', {}]);
  });

  it('keeps what happens inside a subagent out of its parent', () => {
    const inside = {
      conversation_id: CHILD,
      transcript_path: `${FOLDER}/${ID}/subagents/${CHILD}.jsonl`,
      text: 'part',
    };
    expect(read(inside, 'afterAgentResponse')?.session).toEqual({
      nativeId: ID,
      origin: 'event',
      subagent: { id: CHILD },
    });
  });

  it('reads the end of a subagent by its own record', () => {
    const path = `${FOLDER}/${ID}/subagents/${CHILD}.jsonl`;
    expect(
      sent({ event: 'subagentStop', type: 'explore', task: 'look', summary: 'looked', transcriptPath: path }),
    ).toEqual({
      kind: 'turn-end',
      session: { nativeId: ID, origin: 'event', subagent: { id: CHILD, type: 'explore' } },
      cwd: '/srv/app',
      transcriptPath: path,
      answer: 'looked',
    });
    const windows = String.raw`C:\Users\u\.cursor\projects\p\agent-transcripts\${ID}\subagents\${CHILD}.jsonl`
      .replaceAll('${ID}', ID)
      .replaceAll('${CHILD}', CHILD);
    expect(read({ agent_transcript_path: windows }, 'subagentStop')?.session).toMatchObject({
      nativeId: ID,
      subagent: { id: CHILD },
    });
  });

  it('leaves a subagent alone that nothing tells apart', () => {
    expect(
      sent({ event: 'subagentStop', type: 'explore', task: 'look', summary: 'looked', transcriptPath: null }),
    ).toBeUndefined();
  });

  it.each(hostFacts.events.map(({ nativeName }) => nativeName))('takes no garbage for an event: %s', (nativeName) => {
    for (const payload of [
      {},
      { conversation_id: 7, workspace_roots: 'x' },
      { workspace_roots: [7] },
      { conversation_id: null },
    ]) {
      expect(read(payload as Record<string, unknown>, nativeName, {})).toBeUndefined();
    }
    expect(read([] as unknown as Record<string, unknown>, nativeName, {})).toBeUndefined();
  });
});

describe('answers', () => {
  const say = (nativeName: string, reply: Reply): string => {
    const { kind, entry } = bindingOf(nativeName);
    return cursorDialect.toOutput(kind, reply, entry);
  };
  const judge = (nativeName: string, reply: Reply) =>
    judgeHook(nativeName as CursorEvent, { exitCode: 0, timedOut: false, stdout: say(nativeName, reply), stderr: '' });
  const context: Reply = { kind: 'context', text: 'remembered' };

  it('puts context where the client takes it', () => {
    expect(say('sessionStart', context)).toBe('{"additional_context":"remembered"}');
    expect(say('beforeSubmitPrompt', context)).toBe('{"continue":true,"additional_context":"remembered"}');
    expect(say('preToolUse', context)).toBe('{"permission":"allow","additional_context":"remembered"}');
    for (const event of ['sessionStart', 'beforeSubmitPrompt', 'preToolUse']) {
      expect(judge(event, context)).toEqual({ kind: 'context', text: 'remembered' });
    }
  });

  it('denies with a reason on both channels', () => {
    expect(JSON.parse(say('preToolUse', { kind: 'deny', reason: 'use read' }))).toEqual({
      permission: 'deny',
      user_message: 'use read',
      agent_message: 'use read',
    });
    expect(judge('preToolUse', { kind: 'deny', reason: 'use read' })).toEqual({ kind: 'deny', reason: 'use read' });
  });

  it('has an answer of its own for a gate that has nothing to say, and for nothing else', () => {
    const gate = hostFacts.events.find(({ kind }) => kind === 'tool-guard');
    expect(judgeHook('preToolUse', { exitCode: 0, timedOut: false, stdout: gate?.silence ?? '', stderr: '' })).toEqual({
      kind: 'nothing',
    });
    for (const { nativeName, silence, kind } of hostFacts.events) {
      expect(say(nativeName, { kind: 'nothing', notice: 'the key is wrong' })).toBe('');
      if (kind !== 'tool-guard') expect(silence).toBeUndefined();
    }
  });

  it.each(['stop', 'subagentStop', 'afterAgentResponse', 'preCompact', 'sessionEnd'])(
    'never starts another turn at %s',
    (event) => {
      for (const reply of [context, { kind: 'deny', reason: 'no' }] as const) expect(say(event, reply)).toBe('');
    },
  );

  it('refuses no prompt', () => {
    expect(judge('beforeSubmitPrompt', { kind: 'deny', reason: 'no' })).toEqual({ kind: 'nothing' });
  });

  it.each([
    ['Latin', 'a'],
    ['Chinese', '记'],
    ['emoji', '🦄'],
  ])('keeps a long context inline and its envelope closed: %s', (_what, letter) => {
    const text = `<openviking-context source="prompt">\n${letter.repeat(CONTEXT_MAX_LENGTH)}\n</openviking-context>`;
    const verdict = judge('beforeSubmitPrompt', { kind: 'context', text });
    if (verdict.kind !== 'context') throw new Error(verdict.kind);
    expect(verdict.text.length).toBeLessThanOrEqual(CONTEXT_MAX_LENGTH);
    expect(verdict.text.length).toBeGreaterThan(CONTEXT_MAX_LENGTH - 10);
    expect(verdict.text).toMatch(/\n… \(cut to fit this client\)\n<\/openviking-context>$/);
    expect((verdict.text as string & { isWellFormed(): boolean }).isWellFormed()).toBe(true);
  });
});
