/**
 * Whatever a build does with its file, the reader gives back what was said: the same turns under the same ids after a
 * rewriting, no turn twice, nothing that the host added, and never an exception. Conversations are generated and written by
 * the client's rules.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cursorTranscript } from '../src/transcript.ts';
import { linesOf } from './lines-of.ts';
import type { TranscriptTurn } from '../vendor/memory-core/hot.ts';

interface TurnScript {
  readonly prompt: string;
  readonly steps: readonly { readonly text: string; readonly hasCall: boolean }[];
  readonly end: 'success' | 'aborted' | 'none';
  readonly added: 'nothing' | 'reminder' | 'files' | 'own-message';
  readonly junk: 'none' | 'blank' | 'half' | 'unknown';
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.constantFrom(
    '继续',
    'continue',
    'A unicorn 🦄',
    'line\nbreak',
    '<b>markup</b> & "quotes"',
    'user: hi',
    '{"role":"user"}',
  ),
);
const filled = text.filter((value) => value.trim() !== '' && !value.includes('user_query'));

const script: fc.Arbitrary<readonly TurnScript[]> = fc.array(
  fc.record({
    prompt: filled,
    steps: fc.array(fc.record({ text: fc.oneof(filled, fc.constant('')), hasCall: fc.boolean() }), { maxLength: 4 }),
    end: fc.constantFrom('success' as const, 'aborted' as const, 'none' as const),
    added: fc.constantFrom('nothing' as const, 'reminder' as const, 'files' as const, 'own-message' as const),
    junk: fc.constantFrom('none' as const, 'blank' as const, 'half' as const, 'unknown' as const),
  }),
  { minLength: 1, maxLength: 6 },
);

const JUNK = {
  none: '',
  blank: '\n',
  half: '{"role":"assistant","message":{"cont\n',
  unknown: '{"type":"checkpoint","id":7}\n',
};

/** The file as a build writes it. `stamp` is what differs between two writings of the same conversation. */
function write(turns: readonly TurnScript[], stamp = ''): string {
  const line = (value: object): string => `${JSON.stringify(value)}\n`;
  const message = (role: string, content: readonly object[]): string => line({ role, message: { content } });
  return turns
    .map(({ prompt, steps, end, added, junk }) => {
      const host =
        added === 'reminder'
          ? '<system_reminder>\nrecalled\n</system_reminder>\n'
          : added === 'files'
            ? '<attached_files>\na.ts\n</attached_files>\n'
            : '';
      return [
        added === 'own-message'
          ? message('user', [{ type: 'text', text: '<user_info>\nOS: linux\n</user_info>' }])
          : '',
        message('user', [
          { type: 'text', text: `${host}<timestamp>${stamp}</timestamp>\n<user_query>\n${prompt}\n</user_query>` },
        ]),
        JUNK[junk],
        ...steps.map((step) =>
          message('assistant', [
            ...(step.text === '' ? [] : [{ type: 'text', text: step.text }]),
            ...(step.hasCall ? [{ type: 'tool_use', name: 'Read', input: { path: 'a.ts' } }] : []),
          ]),
        ),
        end === 'none' ? '' : line({ type: 'turn_ended', status: end }),
      ].join('');
    })
    .join('');
}

const parse = (file: string | Uint8Array): readonly TranscriptTurn[] => cursorTranscript.parse(linesOf(file), 'id');
const withoutPlace = ({ offset: _offset, turnId: _turnId, ...turn }: TranscriptTurn): object => turn;

describe('any conversation', () => {
  it('comes back as it was said', () => {
    fc.assert(
      fc.property(script, (turns) => {
        const read = parse(write(turns));
        expect(read.map(({ userText }) => userText)).toEqual(turns.map(({ prompt }) => prompt.trim()));
        expect(read.map(({ assistant }) => assistant.map((part) => part.type === 'text' && part.text))).toEqual(
          turns.map(({ steps }) => steps.map((step) => step.text).filter((said) => said !== '')),
        );
        expect(new Set(read.map(({ turnId }) => turnId)).size).toBe(read.length);
        expect(read.map(({ closed }) => closed)).toEqual(
          turns.map(({ end }, index) => end !== 'none' || index < turns.length - 1),
        );
      }),
    );
  });

  it('has the same turns after a rewriting', () => {
    fc.assert(
      fc.property(script, text, (turns, stamp) => {
        const before = parse(write(turns, '1'));
        const after = parse(`{"type":"session_meta"}\n${write(turns, stamp.replace(/[<>]/g, ''))}`);
        expect(after.map(withoutPlace)).toEqual(before.map(withoutPlace));
      }),
    );
  });

  it('shows, cut at any byte, a beginning of the same turns', () => {
    fc.assert(
      fc.property(script, fc.nat(), (turns, place) => {
        const bytes = Buffer.from(write(turns));
        const whole = parse(bytes);
        const part = parse(bytes.subarray(0, place % (bytes.length + 1)));
        expect(part.length).toBeLessThanOrEqual(whole.length);
        part.forEach((turn, index) => {
          const { assistant, ...rest } = whole[index] as TranscriptTurn;
          expect(turn).toMatchObject({ turnId: rest.turnId, userText: rest.userText, offset: rest.offset });
          // A turn that counts as ended gets nothing more.
          expect(turn.assistant).toEqual(turn.closed ? assistant : assistant.slice(0, turn.assistant.length));
        });
      }),
    );
  });

  it('begins at any turn with the same words', () => {
    fc.assert(
      fc.property(script, fc.nat(), (turns, place) => {
        const bytes = Buffer.from(write(turns));
        const whole = parse(bytes);
        const from = whole[place % whole.length]?.offset ?? 0;
        const rest = whole.slice(place % whole.length);
        const read = parse(bytes.subarray(from));
        expect(read.map(({ userText, assistant, closed }) => ({ userText, assistant, closed }))).toEqual(
          rest.map(({ userText, assistant, closed }) => ({ userText, assistant, closed })),
        );
      }),
    );
  });
});

describe('any file', () => {
  it('is read without an exception', () => {
    const json = fc.oneof(
      fc.json(),
      fc.json().map((value) => `{"role":"user","message":${value}}`),
      fc.json().map((value) => `{"role":"assistant","message":{"content":${value}}}`),
    );
    const line = fc.oneof(
      json,
      fc.string({ unit: 'binary' }),
      fc.constantFrom('user:', 'assistant: x', '\uFEFFuser: x', '[Tool call]', ''),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        for (const turn of parse(lines.map((one) => `${one}\n`).join(''))) {
          expect(turn.userText).not.toBe('');
          expect(turn.turnId).toBe(String(turn.offset));
        }
      }),
    );
  });
});
