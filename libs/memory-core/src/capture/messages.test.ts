/** A private passage that reaches over several tool calls of a turn, as a file does that is read in pages. */
import { describe, expect, it } from '@jest/globals';
import type { MessagePart } from '../contract/message.ts';
import { buildMessages, type CaptureSettings } from './messages.ts';

const SETTINGS: CaptureSettings = {
  captureAssistantTurns: true,
  captureToolResults: true,
  captureMaxLength: 24_000,
  captureToolMaxChars: 2_000,
  minQueryLength: 3,
};

const page = (number: number, output: string): MessagePart => ({
  type: 'tool',
  tool_id: `call_${number}`,
  tool_name: 'Read',
  tool_input: { file_path: '/w/notes.md', page: number },
  tool_output: output,
  tool_status: 'completed',
});

/** What is kept of an assistant's message: texts and outputs. */
function kept(...parts: readonly MessagePart[]): readonly string[] {
  const [message] = buildMessages({ turnId: 't1', assistant: { parts, at: '2026-01-02T03:04:05.000Z' } }, SETTINGS, {
    redact: true,
  });
  return (message?.parts ?? []).map((part) => (part.type === 'tool' ? part.tool_output : part.text));
}

describe('private blocks in the parts of a message', () => {
  it('hides the pages between the one where a block opens and the one where it closes', () => {
    expect(
      kept(
        page(1, 'Meeting.\n<private>\nSalaries:'),
        page(2, 'Ann earns 1'),
        { type: 'text', text: 'Next page: Ben' },
        page(3, 'Ben earns 2\n</private>\nDone.'),
        { type: 'text', text: 'The meeting is done.' },
      ),
    ).toEqual(['Meeting.', '', 'Done.', 'The meeting is done.']);
  });

  it('hides what follows in the turn when the block is not closed', () => {
    expect(kept(page(1, 'Meeting.\n<private>\nSalaries:'), page(2, 'Ann earns 1'))).toEqual(['Meeting.', '']);
  });

  it('knows a block as closed when its end lies in what is cut off', () => {
    const long = `Meeting. <private>${'salaries '.repeat(9_000)}</private>Done.`;
    expect(kept(page(1, long), page(2, 'The next file'))).toEqual(['Meeting. Done.', 'The next file']);
    expect(kept(page(1, `${'word '.repeat(6_000)}<private>x`), page(2, 'Ann earns 1'))[1]).toBe('');
  });

  describe('around the bound, wherever it falls', () => {
    // One line without blanks, as JSON and minified text are: the bound may cut through a tag.
    const SMALL: CaptureSettings = { ...SETTINGS, captureToolMaxChars: 100 };
    const BOUND = SMALL.captureToolMaxChars * 4 + 4_096;
    const offsets = (from: number): readonly number[] => Array.from({ length: 60 }, (_, index) => from - 45 + index);
    // The bound moves back by a word's length where it finds no blank.
    const all = [...offsets(BOUND), ...offsets(BOUND - 4_096)];
    const kept = (...outputs: readonly string[]): string =>
      JSON.stringify(
        buildMessages(
          { turnId: 't1', assistant: { parts: outputs.map((output, index) => page(index, output)), at: '' } },
          SMALL,
          { redact: true },
        ),
      );

    it.each(['x', 'word '])('hides the next pages when the block stays open (%j)', (filler) => {
      for (const offset of all) {
        const text = `${filler.repeat(offset).slice(0, offset)}<private>Ann${'y'.repeat(300)}`;
        const result = kept(text, 'Ben earns 1');
        expect({ offset, leak: /Ann|Ben/.test(result), start: result.includes(filler.repeat(10)) }).toEqual({
          offset,
          leak: false,
          start: true,
        });
      }
    });

    it.each(['x', 'word '])('goes on with the next page when the block is closed (%j)', (filler) => {
      for (const offset of all) {
        for (const block of ['<private>Ann</private>', '<PRIVATE reason="a">Ann<private>Eve</private></ private >']) {
          const text = `${filler.repeat(offset).slice(0, offset)}${block}${'y'.repeat(9_000)}`;
          const result = kept(text, 'Ben is next');
          expect({ offset, block, leak: /Ann|Eve/.test(result), next: result.includes('Ben is next') }).toEqual({
            offset,
            block,
            leak: false,
            next: true,
          });
        }
      }
    });

    it('hides what stands before an end that lies at the bound, and what goes on from the page before', () => {
      for (const offset of all) {
        const text = `Ann${'x'.repeat(offset - 3)}</private>Done${'y'.repeat(9_000)}`;
        for (const before of [[], ['<private>Eve']]) {
          const result = kept(...before, text, 'Ben is next');
          expect({ offset, before, leak: /Ann|Eve/.test(result), next: /Done.*Ben is next/.test(result) }).toEqual({
            offset,
            before,
            leak: false,
            next: true,
          });
        }
      }
    });

    it('hides a block of a prompt whose end lies far behind the bound', () => {
      const text = `Salaries: Ann ${'x'.repeat(200_000)}</private> Summarise them`;
      const [message] = buildMessages(
        { turnId: 't1', user: { text, sanitised: false, at: '2026-01-02T03:04:05.000Z' } },
        { ...SETTINGS, captureMaxLength: 100 },
        { redact: true },
      );
      expect(message?.parts).toEqual([{ type: 'text', text: 'Summarise them' }]);
    });
  });

  it('goes on after an answer that only explains the tag', () => {
    const answer: MessagePart = { type: 'text', text: 'Put it between `<private>` and its end.' };
    expect(kept(answer, page(1, 'The next file'))[1]).toBe('The next file');
  });

  it('does not reach into the next message', () => {
    const turn = { turnId: 't1', user: { text: 'Look <private>x', sanitised: false, at: '2026-01-02T03:04:05.000Z' } };
    const messages = buildMessages(
      { ...turn, assistant: { parts: [{ type: 'text', text: 'I have looked.' }], at: turn.user.at } },
      SETTINGS,
      { redact: true },
    );
    expect(messages.map(({ parts }) => parts)).toEqual([
      [{ type: 'text', text: 'Look' }],
      [{ type: 'text', text: 'I have looked.' }],
    ]);
  });
});

describe('a prompt from the journal', () => {
  const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const text = (unsearched: boolean, redact: boolean): string => {
    const user = { text: `My token is ${SECRET}`, sanitised: true, unsearched, at: '2026-01-02T03:04:05.000Z' };
    const [part] = buildMessages({ turnId: 't1', user }, SETTINGS, { redact })[0]?.parts ?? [];
    return part?.type === 'text' ? part.text : '';
  };

  it('is searched for secrets where redaction was off when it was noted and is on now', () => {
    expect(text(true, true)).toBe('My token is [redacted:github-token]');
    expect(text(true, false)).toContain(SECRET);
    // What was searched is not searched again.
    expect(text(false, true)).toContain(SECRET);
  });
});
