/**
 * Takes delivered records away and sets unreadable ones aside: what needs no server. Without it one damaged file would keep
 * everything behind it from ever being delivered.
 */
import { join } from 'node:path';
import { systemCode } from '../errors/error.ts';
import { ensureOwnFolder } from '../fs/folder.ts';
import { readOwn } from '../fs/read-own.ts';
import { removeQuietly, renameWithRetry, syncFolder } from '../fs/write-atomic.ts';
import type { Log } from '../log/log.ts';
import type { Conversation } from './conversation.ts';
import { waitingSequence } from './waiting.ts';

/** Removes the records up to the delivered one; among them may be one that a hook wrote too late, see `append`. */
export function removeRecords(conversation: Conversation, deliveredSeq: number): void {
  for (const seq of conversation.sequence()) {
    if (seq <= deliveredSeq) removeQuietly(conversation.recordPath(seq));
  }
}

/**
 * What needs no server: takes away what is delivered, and sets aside what cannot be read. Only for the holder of the lock,
 * where no record waits that can be read.
 */
export function clearUp(conversation: Conversation, log: Log): void {
  removeRecords(conversation, conversation.deliveredCursor().seq);
  for (const seq of waitingSequence(conversation))
    if (conversation.read(seq) === undefined) quarantine(conversation, seq, log);
}

/**
 * A record that cannot be read any more (a damaged disk) must not stop those behind it. A name without content is what a
 * power cut leaves of a record that was being written: nobody was told that its turn is captured. The client's own record
 * has it, where there is one, and mostly our journal; notes are not flushed, so the same cut may have taken that one, too.
 */
export function quarantine(conversation: Conversation, seq: number, log: Log): void {
  if (isBlank(conversation.recordPath(seq))) {
    removeQuietly(conversation.recordPath(seq));
    log.error(
      `record ${seq} of ${conversation.session} has no content: its turn is captured again unless the same power cut took its note`,
    );
    return;
  }
  const name = String(seq).padStart(12, '0');
  ensureOwnFolder(conversation.dead);
  try {
    renameWithRetry(conversation.recordPath(seq), join(conversation.dead, `${name}-unreadable.json`));
  } catch (error) {
    // Delivered and removed in between.
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  syncFolder(conversation.dead);
  log.error(`record ${seq} of ${conversation.session} is unreadable; kept in ${conversation.dead}`);
}

function isBlank(path: string): boolean {
  try {
    return /^\0*$/.test(readOwn(path));
  } catch {
    return false;
  }
}
