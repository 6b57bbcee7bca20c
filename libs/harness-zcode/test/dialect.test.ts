/** What the client sends and what it accepts, payload by payload and byte by byte. */
import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { zcodeDialect } from '../src/dialect.ts';
import { OUTPUT_MAX_BYTES } from '../src/host-facts.ts';
import type { HookEventKind, Reply } from '../vendor/memory-core/hot.ts';

const { toEvent, toOutput } = zcodeDialect;
const SESSION = 'sess_7c1e0000-1111-4222-8333-444455556666';
const KINDS: readonly HookEventKind[] = ['session-start', 'prompt', 'tool-guard', 'turn-end'];

function payload(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures/hooks', `${name}.json`), 'utf8')) as Record<
    string,
    unknown
  >;
}

const common = { session: { nativeId: SESSION, origin: 'event' }, cwd: '/srv/example' };

describe('toEvent', () => {
  it.each([
    ['SessionStart.startup', 'session-start', { source: 'startup', turnId: 'turn_0001' }],
    ['SessionStart.resume', 'session-start', { source: 'resume' }],
    ['UserPromptSubmit', 'prompt', { prompt: '记住：发布分支叫 release 🙂', turnId: 'turn_0001' }],
    [
      'PreToolUse',
      'tool-guard',
      { toolName: 'Read', toolInput: { file_path: 'viking://user/profile.md' }, turnId: 'turn_0001' },
    ],
    ['Stop', 'turn-end', { answer: 'Noted: the release branch is called release.', turnId: 'turn_0001' }],
    ['UserPromptSubmit.camel-case-only', 'prompt', { prompt: 'camel', turnId: 'turn_0001' }],
    ['Stop.snake-case-only', 'turn-end', { answer: 'snake', turnId: 'turn_0001' }],
  ] as const)('reads %s', (name, kind, own) => {
    expect(toEvent(kind, payload(name), {})).toEqual({ kind, ...common, ...own });
  });

  it('takes no part in subagents', () => {
    expect(toEvent('prompt', payload('UserPromptSubmit.subagent'), {})).toBeUndefined();
    for (const kind of KINDS) {
      expect(toEvent(kind, { session_id: 'sess_subagent_x', cwd: '/w', tool_name: 'Read' }, {})).toBeUndefined();
    }
  });

  it('goes by what the entry was started for, not by the event name in the payload', () => {
    expect(toEvent('turn-end', payload('UserPromptSubmit'), {})).toEqual({
      kind: 'turn-end',
      ...common,
      turnId: 'turn_0001',
    });
  });

  it('takes the best answer there is', () => {
    const answer = (fields: Record<string, unknown>) => {
      const event = toEvent('turn-end', { session_id: SESSION, cwd: '/w', ...fields }, {});
      return event?.kind === 'turn-end' ? event.answer : 'no event';
    };
    const all = { last_assistant_message: 'a', responseText: 'b', responsePreview: 'c' };
    expect(answer(all)).toBe('a');
    expect(answer({ ...all, last_assistant_message: '' })).toBe('b');
    expect(answer({ ...all, last_assistant_message: null, responseText: 7 })).toBe('c');
    expect(answer({ lastAssistantMessage: 'd' })).toBe('d');
    expect(answer({})).toBeUndefined();
  });

  it('reads tool input that is JSON text, and takes anything else for no input', () => {
    const input = (value: unknown) => {
      const event = toEvent('tool-guard', { session_id: SESSION, toolName: 'Bash', tool_input: value }, {});
      return event?.kind === 'tool-guard' ? event.toolInput : 'no event';
    };
    expect(input('{"command":"ls"}')).toEqual({ command: 'ls' });
    for (const other of ['ls', '{"command":', '[1]', 7, null, ['ls'], undefined]) expect(input(other)).toEqual({});
    expect(toEvent('tool-guard', { session_id: SESSION, tool_input: {} }, {})).toBeUndefined();
  });

  it('finds the working directory in the environment where the payload has none', () => {
    const cwd = (env: Record<string, string>) => toEvent('prompt', { session_id: SESSION, prompt: 'x' }, env)?.cwd;
    expect(cwd({ ZCODE_PROJECT_DIR: '/z', CLAUDE_PROJECT_DIR: '/c' })).toBe('/z');
    expect(cwd({ ZCODE_PROJECT_DIR: '', CLAUDE_PROJECT_DIR: '/c' })).toBe('/c');
    expect(cwd({})).toBe('');
  });

  it('finds a session id elsewhere, and says where', () => {
    const uuid = '0a1b2c3d-0000-4000-a000-000000000009';
    const session = (fields: Record<string, unknown>, env: Record<string, string> = {}) =>
      toEvent('prompt', { prompt: 'x', ...fields }, env)?.session;
    expect(session({ transcript_path: `/t/${uuid}/x` }, { ZCODE_SESSION_ID: SESSION })).toEqual(common.session);
    expect(session({ cwd: '/w', transcriptPath: `/t/${uuid}.jsonl` })).toEqual({
      nativeId: uuid,
      origin: 'transcript-path',
    });
    expect(session({ cwd: '/w', transcript_path: `/t/model-io-sess_${uuid}.jsonl` })).toEqual({
      nativeId: `sess_${uuid}`,
      origin: 'transcript-path',
    });
    expect(session({ cwd: '/w', transcript_path: `/t/sess_subagent_agent_${uuid}.jsonl` })).toBeUndefined();
    const hash = createHash('sha256').update('/w').digest('hex').slice(0, 16);
    expect(session({ cwd: '/w', transcript_path: '/tmp/zcode-hook-x1/transcript.jsonl' })).toEqual({
      nativeId: `dir-${hash}`,
      origin: 'directory-hash',
    });
    expect(session({})).toBeUndefined();
  });

  it('never throws, and never yields a value of a wrong type', () => {
    const keys = ['session_id', 'sessionId', 'cwd', 'turnId', 'turn_id', 'source', 'prompt', 'tool_name', 'tool_input'];
    const anything = fc.oneof(fc.dictionary(fc.constantFrom(...keys, '__proto__'), fc.anything()), fc.anything());
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), anything, (kind, value) => {
        const event = toEvent(kind, value as Record<string, unknown>, {});
        if (event === undefined) return;
        expect(typeof event.session.nativeId).toBe('string');
        expect(typeof event.cwd).toBe('string');
        expect(['string', 'undefined']).toContain(typeof event.turnId);
        if (event.kind === 'prompt') expect(typeof event.prompt).toBe('string');
        if (event.kind === 'tool-guard') expect(typeof event.toolInput).toBe('object');
        if (event.kind === 'session-start') expect(['startup', 'resume', 'clear', 'compact']).toContain(event.source);
      }),
    );
  });
});

describe('toOutput', () => {
  const context = (text: string): Reply => ({ kind: 'context', text });

  it('says nothing in nothing at all', () => {
    for (const kind of KINDS) expect(toOutput(kind, { kind: 'nothing' })).toBe('');
    expect(toOutput('prompt', context(''))).toBe('');
  });

  it('adds context at session start and prompt, in exactly the accepted form', () => {
    expect(toOutput('session-start', context('a "b"'))).toBe(
      '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a \\"b\\""}}',
    );
    expect(toOutput('prompt', context('a\n中'))).toBe(
      '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"a\\n中"}}',
    );
  });

  it('denies a tool call, in exactly the accepted form, and nothing else', () => {
    const deny: Reply = { kind: 'deny', reason: 'Call read instead.' };
    expect(toOutput('tool-guard', deny)).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",' +
        '"permissionDecisionReason":"Call read instead."}}',
    );
    for (const kind of ['session-start', 'prompt', 'turn-end'] as const) expect(toOutput(kind, deny)).toBe('');
    expect(toOutput('tool-guard', context('a note'))).toBe('');
  });

  it('never says anything at Stop', () => {
    expect(toOutput('turn-end', context('x'))).toBe('');
  });

  const close = '</openviking-context>';
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('中文', '👨‍👩‍👧‍👦', '\u0000\u001b', '"\\"', '\ud83d', '<memory>', '\n'),
  );

  it('stays within its bytes for any text, and keeps the end of the envelope', () => {
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 4000 }),
        (parts, times) => {
          const text = `<openviking-context>${parts.join('').repeat(times)}${close}`;
          const output = toOutput('prompt', context(text));
          expect(Buffer.byteLength(output)).toBeLessThanOrEqual(OUTPUT_MAX_BYTES);
          const said = (JSON.parse(output) as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput
            .additionalContext;
          expect(said.endsWith(close)).toBe(true);
          if (said === text) return;
          expect(said).toContain('cut to fit');
          const kept = said.slice(0, said.indexOf('\n… (cut to fit'));
          // What is left is the beginning of the text, and no character is cut in two.
          expect(text.startsWith(kept)).toBe(true);
          const next = text.charCodeAt(kept.length);
          const last = kept.charCodeAt(kept.length - 1);
          expect(last >= 0xd800 && last < 0xdc00 && next >= 0xdc00 && next < 0xe000).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('uses the room there is: the last byte that fits is kept', () => {
    const frame = Buffer.byteLength(toOutput('prompt', context('x'))) - 1;
    const fits = 'x'.repeat(OUTPUT_MAX_BYTES - frame);
    expect(Buffer.byteLength(toOutput('prompt', context(fits)))).toBe(OUTPUT_MAX_BYTES);
    expect(toOutput('prompt', context(fits))).not.toContain('cut to fit');
    expect(Buffer.byteLength(toOutput('prompt', context(`${fits}x`)))).toBe(OUTPUT_MAX_BYTES);
    expect(toOutput('prompt', context(`${fits}x`))).toContain('cut to fit');
  });

  it('cuts a reason that is too long', () => {
    const output = toOutput('tool-guard', { kind: 'deny', reason: '理'.repeat(30_000) });
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(OUTPUT_MAX_BYTES);
    expect(output).toContain('"permissionDecision":"deny"');
  });
});
