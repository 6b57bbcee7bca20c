/**
 * `spoolMaxAgeDays`: turns that no server has taken for so long go to the dead letters, where `status` shows them and
 * `spool retry` brings them back; nothing is deleted. A clock that was set far ahead for a while makes everything look
 * old, so age alone decides nothing: it has to be seen to go on.
 */
import { join } from 'node:path';
import { readJsonObject } from '../fs/read-json.ts';
import { removeQuietly, writeFileAtomic } from '../fs/write-atomic.ts';
import { tryLock } from '../fs/lock.ts';
import type { Log } from '../log/log.ts';
import { Conversation } from './conversation.ts';
import { allSessions } from './conversation-folder.ts';
import { buryMessage } from './dead-letters.ts';
import { readAppend } from './delivery-state.ts';
import type { SpoolRecord } from './record.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Time that has to be seen to pass between finding turns too old and putting them away, in ms. */
const GRACE_MS = DAY_MS;
/** What one look may add to that, in ms: a clock that jumps ahead proves no more than this. */
const MOST_PER_LOOK_MS = GRACE_MS / 2;

export interface ExpireInput {
  readonly spool: string;
  /** 0 = keep. */
  readonly maxAgeDays: number;
  readonly log: Log;
  /** ms since 1970. */
  readonly now: number;
}

/** What `.age.json` remembers between two looks. */
interface Mark {
  /** Time of the last look, ms since 1970. */
  readonly at: number;
  /** Turns from before this time were too old at the first look, ms since 1970. */
  readonly before: number;
  /** Time that was seen to pass since, ms. */
  readonly seenMs: number;
}

/** Looks for turns that are too old and puts those away that have been so for a day of looks. Returns their number. */
export function expireOld({ spool, maxAgeDays, log, now }: ExpireInput): number {
  const markPath = join(spool, '.age.json');
  const limit = now - maxAgeDays * DAY_MS;
  const conversations = allSessions(spool).map((session) => new Conversation(spool, session));
  const isWaiting = maxAgeDays > 0 && conversations.some((conversation) => oldRecords(conversation, limit).length > 0);
  const mark = readMark(markPath);
  if (!isWaiting) {
    if (mark !== undefined) removeQuietly(markPath);
    return 0;
  }
  // A look in the future comes from a clock that was set back: it proves nothing.
  const goesOn = mark !== undefined && mark.at <= now;
  const seenMs = goesOn ? mark.seenMs + Math.min(now - mark.at, MOST_PER_LOOK_MS) : 0;
  const before = goesOn ? Math.min(mark.before, limit) : limit;
  if (seenMs < GRACE_MS) {
    writeFileAtomic(markPath, JSON.stringify({ at: now, before, seenMs } satisfies Mark));
    return 0;
  }
  const expired = conversations.reduce(
    (sum, conversation) => sum + expireConversation(conversation, before, maxAgeDays),
    0,
  );
  removeQuietly(markPath);
  if (expired > 0) log.error(`${expired} turns that waited for more than ${maxAgeDays} days are dead letters now`);
  return expired;
}

function readMark(path: string): Mark | undefined {
  const { at, before, seenMs } = readJsonObject(path) ?? {};
  return typeof at === 'number' && typeof before === 'number' && typeof seenMs === 'number'
    ? { at, before, seenMs }
    : undefined;
}

/** The records at the head of the queue that were captured before `limit`; what comes behind a younger one waits with it. */
function oldRecords(conversation: Conversation, limit: number): readonly SpoolRecord[] {
  const old: SpoolRecord[] = [];
  for (const seq of conversation.sequence()) {
    const record = conversation.read(seq);
    if (record === undefined || !(Date.parse(record.createdAt) < limit)) break;
    old.push(record);
  }
  return old;
}

function expireConversation(conversation: Conversation, limit: number, days: number): number {
  if (oldRecords(conversation, limit).length === 0) return 0;
  const lock = tryLock(conversation.lockFile);
  // It is being delivered this moment.
  if (lock === undefined) return 0;
  try {
    // The server may have a part of it, and only another attempt can find out.
    if (readAppend(join(conversation.folder, 'append.json')) !== undefined) return 0;
    let expired = 0;
    for (const record of oldRecords(conversation, limit)) {
      if (record.seq <= conversation.deliveredCursor().seq) continue;
      const reason = { status: 0, code: 'EXPIRED', message: `not delivered within ${days} days (spoolMaxAgeDays)` };
      record.messages.forEach((message, index) => buryMessage(conversation, record, index, message, reason));
      conversation.writeDeliveredCursor(record.seq, record.cursor);
      removeQuietly(conversation.recordPath(record.seq));
      expired += 1;
    }
    return expired;
  } finally {
    lock.release();
  }
}
