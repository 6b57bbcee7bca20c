/**
 * A turn whose record was not finished at its end is held for a moment. This looks once more before it is sent, so that the
 * memory gets the answer and the tools of it, and not only what the hook was told.
 */
import { turnKey } from '../spool/journal.ts';
import { withCaptured, type SpoolRecord } from '../spool/record.ts';
import type { CaptureInput } from './capture-input.ts';
import { answered } from './content-key.ts';
import { buildMessages } from './messages.ts';
import { linesFrom } from './read-transcript.ts';
import { openSource } from './transcript-source.ts';

/**
 * The record of a held turn, completed from the transcript if that shows the turn's end by now; else undefined. Only for
 * the holder of the delivery lock, and only before the record was sent.
 */
export function completeHeld(
  input: Pick<CaptureInput, 'harness' | 'settings' | 'rules' | 'home' | 'env'>,
  record: SpoolRecord,
): SpoolRecord | undefined {
  const { harness } = input;
  const reader = harness.transcript;
  if (reader?.parse === undefined || record.held === undefined) return undefined;
  const { cursor } = record;
  const transcript = openSource(harness, record, input);
  if (transcript === undefined) return undefined;
  try {
    const parsed = reader.parse(linesFrom(transcript, cursor.transcript), record.nativeId, record.subagentId);
    const turns =
      reader.identify?.({ turns: parsed, prompts: [], cursor, marks: harness.dialect, transcript }).turns ?? parsed;
    const index = turns.findIndex((turn) => turn.turnId === record.held?.turnId);
    const turn = turns[index];
    if (turn === undefined || !turn.closed || turn.assistant.length === 0) return undefined;
    const messages = buildMessages(
      {
        turnId: turn.turnId,
        peer: record.peer,
        assistant: { parts: turn.assistant, at: turn.completedAt ?? record.createdAt },
      },
      input.settings,
      input.rules,
    );
    const next = turns[index + 1];
    const { held: _held, heldUntil: _until, ...rest } = record;
    const position = next === undefined ? transcript.end : transcript.at(next.offset);
    const key = turnKey(turn.turnId);
    const content = cursor.awaited?.find(({ turnId }) => turnId === turn.turnId)?.content;
    const known = content === undefined ? undefined : { content, ...answered(turn.assistant) };
    const captured = withCaptured(cursor, key, { user: false, assistant: true }, known);
    const awaited = (cursor.awaited ?? []).filter(({ passed }) => passed === true);
    return {
      ...rest,
      messages: [...record.messages.filter((message) => message.role === 'user'), ...messages],
      cursor: { ...captured, ...(content === undefined ? {} : { awaited }), transcript: position },
    };
  } finally {
    transcript.close();
  }
}
