/**
 * What of a conversation's records still waits. A record that delivery has passed may lie there for longer, because
 * somebody holds its file: it is no work, and taking it for some would keep a worker busy without end.
 */
import { backOffOf } from './back-off.ts';
import { Conversation } from './conversation.ts';
import { FRESH, waitLeft } from './delivery-state.ts';
import { isElsewhere } from './environment-mark.ts';
import type { SpoolRecord } from './record.ts';

/** Numbers of the records that are not delivered, ascending. */
export function waitingSequence(conversation: Conversation): number[] {
  const { seq: delivered } = conversation.deliveredCursor();
  return conversation.sequence().filter((seq) => seq > delivered);
}

/** The first of them that can be read; undefined where there is none. */
export function firstWaiting(conversation: Conversation): SpoolRecord | undefined {
  for (const seq of waitingSequence(conversation)) {
    const record = conversation.read(seq);
    if (record !== undefined) return record;
  }
  return undefined;
}

/** True where the conversation has work now for a worker whose environment has the mark `here`. */
export function hasWorkHere(spool: string, session: string, here: string): boolean {
  const conversation = new Conversation(spool, session);
  if (waitLeft(backOffOf(conversation) ?? FRESH, Date.now()) > 0) return false;
  const head = firstWaiting(conversation);
  // Without a head: what cannot be read, or is delivered already, is to be cleared away.
  return head === undefined || !isElsewhere(head, here);
}

/** Says whether there is something to do; only for the holder of the lock, or behind one who had it. */
export function settleMark(conversation: Conversation): void {
  conversation.unmark();
  // A hook may have come in between.
  if (waitingSequence(conversation).length > 0) conversation.mark();
}
