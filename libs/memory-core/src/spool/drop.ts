/**
 * Taking something out of the spool because a person wants it gone. What is dropped stays known as captured: otherwise the
 * next look into the client's transcript would bring it back.
 */
import { join } from 'node:path';
import { tryLock } from '../fs/lock.ts';
import { removeQuietly, syncFolder, writeFileAtomic } from '../fs/write-atomic.ts';
import { forgetBackOff } from './back-off.ts';
import type { Conversation } from './conversation.ts';
import { deadLetterNames, deadLetterPath } from './dead-letters.ts';
import { dropAppend, readAppend } from './delivery-state.ts';
import { forgetMeasurement } from './measure-spool.ts';
import type { SpoolRecord } from './record.ts';

/**
 * `busy`: a worker is delivering the conversation. `under-way`: the server may have got a part of it, and only delivery can
 * find out; the conversation can be dropped as a whole. `missing`: there is no such record or letter.
 */
export type DropOutcome = 'dropped' | 'busy' | 'under-way' | 'missing';

/** Drops one record. */
export function dropRecord(conversation: Conversation, seq: number): DropOutcome {
  return underLock(conversation, () => {
    const sequence = conversation.sequence();
    if (!sequence.includes(seq)) return 'missing';
    const append = readAppend(appendPath(conversation));
    if (append !== undefined && append.firstSeq <= seq && seq <= append.lastSeq) return 'under-way';
    const record = conversation.read(seq);
    const isNewest = sequence.at(-1) === seq;
    if (isNewest && record !== undefined && sequence.length > 1) {
      // Its cursor is the only one that knows all turns, and its number must not be given away again.
      writeFileAtomic(conversation.recordPath(seq), JSON.stringify(emptied(record)), { durable: true });
      return 'dropped';
    }
    if (isNewest) conversation.writeDeliveredCursor(seq, conversation.captureState().cursor);
    removeQuietly(conversation.recordPath(seq));
    syncFolder(conversation.records);
    tidyMark(conversation);
    return 'dropped';
  });
}

/** Drops one dead letter. */
export function dropDead(conversation: Conversation, name: string): DropOutcome {
  if (!deadLetterNames(conversation).includes(name)) return 'missing';
  removeQuietly(deadLetterPath(conversation, name));
  return 'dropped';
}

/** Drops everything that waits in the conversation, dead letters included. */
export function dropConversation(conversation: Conversation): DropOutcome {
  return underLock(conversation, () => {
    const last = conversation.sequence().at(-1);
    if (last !== undefined) {
      conversation.writeDeliveredCursor(last, conversation.captureState().cursor);
      for (const seq of conversation.sequence()) if (seq <= last) removeQuietly(conversation.recordPath(seq));
      syncFolder(conversation.records);
    }
    dropAppend(appendPath(conversation));
    for (const name of deadLetterNames(conversation)) removeQuietly(deadLetterPath(conversation, name));
    tidyMark(conversation);
    return 'dropped';
  });
}

function underLock(conversation: Conversation, drop: () => DropOutcome): DropOutcome {
  const lock = tryLock(conversation.lockFile);
  if (lock === undefined) return 'busy';
  try {
    const outcome = drop();
    if (outcome === 'dropped') {
      forgetMeasurement(conversation.spool);
      // It may be what the server failed at: the rest does not rest for it.
      forgetBackOff(conversation);
    }
    return outcome;
  } finally {
    lock.release();
  }
}

function appendPath(conversation: Conversation): string {
  return join(conversation.folder, 'append.json');
}

/** Without the turn's texts, its commit, and the wish to have it completed from the transcript. */
function emptied(record: SpoolRecord): SpoolRecord {
  const { version, seq, session, harness, nativeId, peer, environment, createdAt, cursor } = record;
  return { version, seq, session, harness, nativeId, peer, environment, createdAt, messages: [], cursor };
}

function tidyMark(conversation: Conversation): void {
  if (conversation.hasRecords()) return;
  conversation.unmark();
  // A hook may have come in between.
  if (conversation.hasRecords()) conversation.mark();
}
