/** Whether a client's record has grown without any hook: the worker's question, asked before it reads a whole record. */
import type { Harness } from '../contract/harness.ts';
import type { Conversation } from '../spool/conversation.ts';
import { firstSeen } from '../spool/first-seen.ts';
import type { CaptureInput } from './capture-input.ts';
import { openSource, type TranscriptSource } from './transcript-source.ts';

/**
 * True where the record has grown since it was read last and nothing else tells what it shows: a client whose turns no
 * hook sees in some of its modes. Cheap: no line is read.
 */
export function hasUnseen(
  harness: Harness,
  source: TranscriptSource,
  conversation: Conversation,
  place: Pick<CaptureInput, 'home' | 'env'>,
): boolean {
  if (harness.transcript?.identity !== 'content') return false;
  const from = firstSeen(conversation)?.from;
  const transcript = from === undefined ? undefined : openSource(harness, source, place);
  if (transcript === undefined) return false;
  try {
    const { cursor } = conversation.captureState();
    const position = cursor.transcript ?? (typeof from === 'object' ? from : undefined);
    return position === undefined || !transcript.covers(position) || transcript.end.offset > position.offset;
  } finally {
    transcript.close();
  }
}
