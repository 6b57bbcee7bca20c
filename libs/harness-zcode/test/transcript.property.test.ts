/**
 * Whatever a client does in whatever order, the reader must give back what was said: no answer twice, none lost, none of
 * another request's. Conversations are generated and written by the client's rules.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { zcodeTranscript } from '../src/transcript.ts';
import { PlayedConversation, SESSION } from './played-conversation.ts';
import type { Script, StepScript, TurnScript } from './played-conversation.ts';
import { withOffsets } from './rollout-writer.ts';
import type { TranscriptTurn } from '../vendor/memory-core/hot.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.constantFrom('继续', 'yes', 'A unicorn 🦄', 'line\nbreak', '<b>markup</b> & "quotes"'),
);

/** Texts carry a number that is unique in the conversation: one that turns up in the wrong place is seen. */
function numbered<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T & { readonly mark: number }> {
  return fc.tuple(arbitrary, fc.nat()).map(([value, mark]) => ({ ...value, mark }));
}

const step: fc.Arbitrary<StepScript> = numbered(
  fc.record({
    text: fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: fc.constant('') }),
    tools: fc.array(fc.record({ output: fc.oneof(text, fc.constant('')), isError: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
    trouble: fc.constantFrom(
      'none' as const,
      'unrecorded-retry' as const,
      'failed-attempt' as const,
      'superseded-attempt' as const,
      'failed-request' as const,
    ),
    between: fc.constantFrom('nothing' as const, 'title' as const, 'compact' as const, 'subagent-kind' as const),
  }),
).map(({ mark, ...rest }) => ({ ...rest, text: rest.text === '' ? '' : `${rest.text} s${mark}` }));

const turn: fc.Arbitrary<TurnScript> = numbered(
  fc.record({
    kind: fc.constant('turn' as const),
    prompt: fc.oneof(text, fc.constantFrom('continue', '继续')).filter((prompt) => prompt.trim() !== ''),
    injected: fc.constantFrom(
      'none' as const,
      'reminder-before' as const,
      'system-after' as const,
      'reminder-block' as const,
    ),
    steps: fc.array(step, { maxLength: 4 }),
    end: fc.constantFrom('answer' as const, 'answer' as const, 'failed-request' as const, 'stopped' as const),
    answer: text,
  }),
).map(({ mark, ...rest }) => ({ ...rest, answer: `${rest.answer} a${mark}` }));

const script: fc.Arbitrary<Script> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: turn },
    { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'compaction' as const }) },
  ),
  { maxLength: 8 },
);

/** The client's own limits, and small ones that make tails and start-overs frequent. */
const limits = fc.oneof(
  fc.constant({}),
  fc.record({
    maxFileBytes: fc.integer({ min: 500, max: 20_000 }),
    maxBaselineMessages: fc.integer({ min: 3, max: 12 }),
  }),
);

function parsed(lines: readonly { offset: number; text: string }[]): readonly TranscriptTurn[] {
  return zcodeTranscript.parse(lines, SESSION);
}

function said(turn: TranscriptTurn): Partial<TranscriptTurn> {
  const { turnId, userText, assistant, closed } = turn;
  return { turnId, ...(userText === undefined ? {} : { userText }), assistant, closed };
}

/** When the line of the second attempt is lost, nothing in the file says that the first one was discarded. */
function withoutSuperseding(event: Script[number]): Script[number] {
  if (event.kind !== 'turn') return event;
  const steps = event.steps.map((step): StepScript =>
    step.trouble === 'superseded-attempt' ? { ...step, trouble: 'failed-attempt' } : step,
  );
  return { ...event, steps };
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let from = 0;
  return part.every((item) => {
    const at = whole.indexOf(item, from);
    from = at + 1;
    return at >= 0;
  });
}

function texts(turn: { readonly assistant: readonly { readonly type: string }[] }): string[] {
  return turn.assistant.flatMap((part) => ('text' in part ? [String(part.text)] : []));
}

describe('zcodeTranscript, for any conversation', () => {
  it('gives back what was said, exactly', () => {
    fc.assert(
      fc.property(script, limits, (events, writerLimits) => {
        const played = new PlayedConversation(events, { limits: writerLimits, withIds: true });
        const turns = parsed(withOffsets(played.lines.map((line) => line.text)));
        expect(turns.map(said)).toEqual(played.expected);
      }),
      { numRuns: 200 },
    );
  });

  it('gives back what was said by clients that write no turn ids, each turn under an id of its own', () => {
    fc.assert(
      fc.property(script, limits, (events, writerLimits) => {
        const played = new PlayedConversation(events, { limits: writerLimits, withIds: false });
        const turns = parsed(withOffsets(played.lines.map((line) => line.text)));
        expect(turns.map((turn) => ({ ...said(turn), turnId: undefined }))).toEqual(played.expected);
        expect(new Set(turns.map(({ turnId }) => turnId)).size).toBe(turns.length);
      }),
      { numRuns: 200 },
    );
  });

  it.each([true, false])('reads the same from every line on (turn ids: %s)', (withIds) => {
    fc.assert(
      fc.property(script, limits, (events, writerLimits) => {
        const played = new PlayedConversation(events, { limits: writerLimits, withIds });
        const lines = withOffsets(played.lines.map((line) => line.text));
        const whole = parsed(lines);
        lines.forEach(({ offset }, index) => {
          const rest = parsed(lines.slice(index));
          const later = whole.filter((turn) => turn.offset >= offset);
          expect(rest.slice(rest.length - later.length)).toEqual(later);
          // Of the turn that the start cuts through only what is certain.
          for (const cut of rest.slice(0, rest.length - later.length)) {
            const source = whole.findLast((turn) => turn.offset < offset);
            expect(cut.userText ?? source?.userText).toBe(source?.userText);
            expect(isSubsequence(texts(cut), texts(source ?? { assistant: [] }))).toBe(true);
          }
        });
      }),
      { numRuns: 60 },
    );
  });

  it('says nothing wrong when one line is damaged', () => {
    fc.assert(
      fc.property(script, fc.nat(), fc.nat(), fc.boolean(), (events, which, where, tooLong) => {
        const played = new PlayedConversation(events.map(withoutSuperseding), { withIds: true });
        const lines = withOffsets(played.lines.map((line) => line.text));
        const victim = lines[which % Math.max(1, lines.length)];
        if (victim === undefined) return;
        victim.text = tooLong ? '' : victim.text.slice(0, where % victim.text.length);
        const expected = new Map(played.expected.map((turn) => [turn.turnId, turn]));
        for (const turn of parsed(lines)) {
          const truth = expected.get(turn.turnId);
          expect(turn.userText ?? truth?.userText).toBe(truth?.userText);
          expect(isSubsequence(texts(turn), texts(truth ?? { assistant: [] }))).toBe(true);
        }
      }),
      { numRuns: 250 },
    );
  });

  it('never throws, whatever the file holds', () => {
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"request":${json},"response":${json}}`),
    );
    const messages = fc.array(
      fc.oneof(
        fc.json(),
        fc.json().map((json) => `{"role":"user","content":${json}}`),
      ),
    );
    const request = messages.map(
      (list) => `{"turnId":"t","request":{"messages":[${list.join(',')}]},"response":{"text":1}}`,
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(line, request)), (written) => {
        expect(Array.isArray(parsed(withOffsets(written)))).toBe(true);
      }),
    );
  });
});
