/** What the client sends and what it accepts, payload by payload. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { traeDialect } from '../src/dialect.ts';
import { EVENTS } from '../src/host-facts.ts';
import { judgeHook } from '../testing/index.ts';
import type { TraeEvent } from '../testing/index.ts';
import type { HookEventKind, Reply } from '../vendor/memory-core/hot.ts';

const { toEvent, toOutput } = traeDialect;
const KINDS: readonly HookEventKind[] = [
  'session-start',
  'prompt',
  'tool-guard',
  'answer',
  'turn-end',
  'pre-compact',
  'session-end',
];

function payload(name: string): Record<string, unknown> {
  const file = join(import.meta.dirname, 'fixtures', 'hooks', `${name}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}

const common = {
  session: { nativeId: '7c1e0000-1111-4222-8333-444455556666', origin: 'event' },
  cwd: '/srv/example',
};

describe('toEvent', () => {
  it.each([
    ['SessionStart', 'session-start', { source: 'startup' }],
    ['UserPromptSubmit', 'prompt', { prompt: '记住:发布分支叫 release 🙂' }],
    ['PreToolUse', 'tool-guard', { toolName: 'Read', toolInput: { file_path: 'viking://~/memories/profile.md' } }],
    [
      'PreToolUse.command',
      'tool-guard',
      { toolName: 'run_command', toolInput: { command: 'cat viking://~/memories/profile.md' } },
    ],
    [
      'Stop',
      'turn-end',
      { answer: 'Noted: the release branch is called release.', prompt: '记住:发布分支叫 release 🙂' },
    ],
    ['Stop.text-content', 'turn-end', { answer: 'Noted:\nthe release branch is called release.' }],
  ] as const)('reads %s', (name, kind, own) => {
    expect(toEvent(kind, payload(name))).toEqual({ kind, ...common, ...own });
  });

  it('takes no agent for a subagent: every payload names one', () => {
    for (const agent of ['solo_agent', 'builder_v3', 'anything']) {
      const event = toEvent('prompt', { ...payload('UserPromptSubmit'), agent_id: agent });
      expect(event?.session).toEqual(common.session);
    }
  });

  it('goes by what the entry was started for, not by the event name in the payload', () => {
    const { prompt, ...others } = payload('UserPromptSubmit');
    expect(prompt).toBeDefined();
    expect(toEvent('turn-end', others)).toEqual({ kind: 'turn-end', ...common });
  });

  it('prefers the answer under the documented name', () => {
    const answer = (fields: Record<string, unknown>) => {
      const event = toEvent('turn-end', { session_id: 's', ...fields });
      return event?.kind === 'turn-end' ? event.answer : 'no event';
    };
    expect(answer({ last_assistant_message: 'a', text_content: 'b' })).toBe('a');
    expect(answer({ last_assistant_message: '', text_content: 'b' })).toBe('b');
    expect(answer({ last_assistant_message: 7, text_content: null })).toBeUndefined();
  });

  it('names a conversation after its folder only where the payload has no id', () => {
    expect(toEvent('prompt', { cwd: '/w', prompt: 'x' })?.session).toEqual({
      nativeId: expect.stringMatching(/^dir-[0-9a-f]{16}$/),
      origin: 'directory-hash',
    });
    expect(toEvent('prompt', { prompt: 'x' })).toBeUndefined();
  });

  it('knows no other events, and no tool call without a tool', () => {
    for (const kind of ['answer', 'pre-compact', 'session-end'] as const) {
      expect(toEvent(kind, payload('Stop'))).toBeUndefined();
    }
    expect(toEvent('tool-guard', { session_id: 's', tool_input: {} })).toBeUndefined();
  });

  it('never throws, whatever comes', () => {
    const keys = fc.constantFrom(
      'session_id',
      'cwd',
      'workspace_roots',
      'prompt',
      'tool_name',
      'tool_input',
      'text_content',
    );
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.dictionary(keys, fc.jsonValue()), (kind, value) => {
        const event = toEvent(kind, value);
        return event === undefined || (event.kind === kind && typeof event.cwd === 'string');
      }),
    );
  });
});

describe('toOutput', () => {
  const context: Reply = { kind: 'context', text: '<openviking-context>größer "项目"</openviking-context>' };
  const deny: Reply = { kind: 'deny', reason: 'Use read instead.' };
  const judged = (kind: HookEventKind, reply: Reply) => {
    const event = EVENTS.find((binding) => binding.kind === kind)?.nativeName as TraeEvent;
    return judgeHook(event, { exitCode: 0, timedOut: false, stdout: toOutput(kind, reply) });
  };

  it.each(['session-start', 'prompt', 'tool-guard'] as const)('adds context at %s', (kind) => {
    expect(judged(kind, context)).toEqual({ kind: 'context', text: context.text });
  });

  it('denies a tool call with the reason, and nothing else', () => {
    expect(judged('tool-guard', deny)).toEqual({ kind: 'deny', reason: 'Use read instead.' });
    for (const kind of KINDS.filter((name) => name !== 'tool-guard')) expect(toOutput(kind, deny)).toBe('');
  });

  it('is silent at the end of a turn, where an answer becomes the next question', () => {
    for (const reply of [context, deny, { kind: 'nothing', notice: 'The key is refused.' } as const]) {
      expect(toOutput('turn-end', reply)).toBe('');
    }
  });

  it('is silent where there is nothing to say, and drops notices: nobody is shown them', () => {
    for (const kind of KINDS) {
      expect(toOutput(kind, { kind: 'nothing' })).toBe('');
      expect(toOutput(kind, { kind: 'nothing', notice: 'The key is refused.' })).toBe('');
      expect(toOutput(kind, { kind: 'context', text: '' })).toBe('');
    }
    expect(toOutput('prompt', { ...context, notice: 'The key is refused.' })).not.toContain('refused');
  });
});
