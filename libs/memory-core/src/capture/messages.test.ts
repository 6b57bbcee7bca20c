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
    const long = `Meeting.\n<private>${'salaries '.repeat(3_000)}</private>${' done'.repeat(3_000)}`;
    expect(kept(page(1, long), page(2, 'The next file'))).toEqual(['Meeting.', 'The next file']);
    expect(kept(page(1, `${'word '.repeat(6_000)}<private>x`), page(2, 'Ann earns 1'))[1]).toBe('');
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
