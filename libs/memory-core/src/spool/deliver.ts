/**
 * Delivers one conversation, in order, each message once. The server stores what it is sent and does not look at turn
 * ids; a request that failed may have been stored all the same. So the count of messages is noted before every append and
 * read again after every failure that leaves a doubt, by whichever process comes next.
 */
import { join } from 'node:path';
import type { Message } from '../contract/message.ts';
import { systemCode } from '../errors/error.ts';
import { ensureOwnFolder } from '../fs/folder.ts';
import { isObject } from '../fs/json-object.ts';
import { readOwn } from '../fs/read-own.ts';
import { removeQuietly, renameWithRetry, syncFolder, writeFileAtomic } from '../fs/write-atomic.ts';
import type { ApiClient, ApiFailure, ApiResult } from '../http/api.ts';
import type { Log } from '../log/log.ts';
import type { Conversation } from './conversation.ts';
import { buryMessage } from './dead-letters.ts';
import { dropAppend, readAppend, writeAppend, type AppendUnderWay } from './delivery-state.ts';
import type { CaptureCursor, CommitIntent, SpoolRecord, ThresholdCommit } from './record.ts';
import { noteGrowth } from './spool-size.ts';
import { waitingSequence } from './waiting.ts';

const MAX_MESSAGES = 100;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

export interface DeliverInput {
  readonly conversation: Conversation;
  readonly client: ApiClient;
  readonly timeoutMs: number;
  readonly log: Log;
  /** False for a record that goes elsewhere: it and what lies behind it stay where they are. */
  readonly takes?: (record: SpoolRecord) => boolean;
  /** The held record, completed if possible; called with a record whose hold belongs to this worker's harness. */
  readonly complete?: (record: SpoolRecord) => SpoolRecord | undefined;
  readonly harness: string;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /** Knowledge about this server that survives the process: it has no batch route. */
  readonly capability: { readonly singleMessages: boolean; noteSingleMessages(): void };
}

/**
 * `drained`: nothing is left that this server takes; `answered` is false where that took no request, so that it says nothing about the server.
 * Else the failure that stopped delivery; everything undelivered stays where it is.
 */
export type DeliverOutcome =
  | { readonly kind: 'drained'; readonly messages: number; readonly answered: boolean }
  | { readonly kind: 'stopped'; readonly failure: ApiFailure };

/** Only for the holder of the conversation's lock. */
export async function deliverConversation(wanted: DeliverInput): Promise<DeliverOutcome> {
  const { conversation } = wanted;
  let answered = false;
  const input: DeliverInput = { ...wanted, client: observed(wanted.client, () => (answered = true)) };
  const appendPath = join(conversation.folder, 'append.json');
  let delivered = 0;
  for (;;) {
    const deliveredSeq = conversation.deliveredCursor().seq;
    const found = openAppend(conversation, appendPath, deliveredSeq);
    let append =
      found !== undefined && found.baseUrl === input.client.baseUrl ? found : found && { ...found, baseline: null };
    if (append === undefined) removeRecords(conversation, deliveredSeq);
    const batch =
      append === undefined ? await nextBatch(input) : recordsBetween(conversation, append.firstSeq, append.lastSeq);
    if (batch.length === 0) return { kind: 'drained', messages: delivered, answered };
    const first = batch[0] as SpoolRecord;
    const last = batch.at(-1) as SpoolRecord;
    const messages = batch.flatMap((record) => record.messages);
    append ??= {
      baseUrl: input.client.baseUrl,
      firstSeq: first.seq,
      lastSeq: last.seq,
      settled: 0,
      count: 0,
      baseline: null,
      mayArriveUntil: 0,
      stored: false,
    };
    if (!append.stored) {
      const sent = await storeMessages(input, append, messages, appendPath, first.peer);
      if (sent !== undefined) return { kind: 'stopped', failure: sent };
      delivered += messages.length;
      append = { ...append, settled: messages.length, count: 0, stored: true };
      writeAppend(appendPath, append);
    }
    const commit = batch.findLast((record) => record.commit !== undefined)?.commit;
    const committed =
      commit === undefined
        ? await commitIfEnough(input, last.commitAbove, first.peer)
        : await commitSession(input, commit, first.peer);
    if (committed.kind === 'stopped') return committed;
    conversation.writeDeliveredCursor(last.seq, stillOpen(conversation, last, committed));
    removeRecords(conversation, last.seq);
    syncFolder(conversation.records);
    dropAppend(appendPath);
  }
}

/** The client itself, with `onAnswer` called for every request to which the server had something to say. */
function observed(client: ApiClient, onAnswer: () => void): ApiClient {
  return {
    baseUrl: client.baseUrl,
    async call(call) {
      const result = await client.call(call);
      if (result.ok || result.failure.status !== 0) onAnswer();
      return result;
    },
  };
}

/**
 * The append that was begun and not finished. A note that is out of date is cleared away; where that fails it does not
 * count all the same.
 */
function openAppend(conversation: Conversation, path: string, deliveredSeq: number): AppendUnderWay | undefined {
  const append = readAppend(path);
  if (append === undefined) return undefined;
  // Not finished but for the clearing up, and nobody has taken its records away.
  const isOpen =
    append.lastSeq > deliveredSeq && recordsBetween(conversation, append.firstSeq, append.lastSeq).length > 0;
  if (isOpen) return append;
  dropAppend(path);
  return undefined;
}

/** Removes the records up to the delivered one; among them may be one that a hook wrote too late, see `append`. */
function removeRecords(conversation: Conversation, deliveredSeq: number): void {
  for (const seq of conversation.sequence()) {
    if (seq <= deliveredSeq) removeQuietly(conversation.recordPath(seq));
  }
}

/** The next records that go together: one origin, one kind of commit, at most 100 messages and 4 MiB. */
async function nextBatch(input: DeliverInput): Promise<SpoolRecord[]> {
  const { conversation } = input;
  const batch: SpoolRecord[] = [];
  let messages = 0;
  let bytes = 0;
  // Without those that a hook wrote too late, see `append`: they are removed at the next look.
  for (const seq of waitingSequence(conversation)) {
    let record = conversation.read(seq);
    if (record === undefined) {
      quarantine(conversation, seq, input.log);
      continue;
    }
    const first = batch[0];
    if (first === undefined ? input.takes?.(record) === false : first.environment !== record.environment) break;
    if (record.heldUntil !== undefined) {
      // Only the head of the queue is worth waiting for.
      if (batch.length > 0) break;
      record = await releaseHeld(input, record);
    }
    const size = JSON.stringify(record.messages).length;
    const fits = messages + record.messages.length <= MAX_MESSAGES && bytes + size <= MAX_BATCH_BYTES;
    const before = batch.at(-1)?.commit;
    // A commit ends a batch, unless the same one follows.
    const alike =
      first === undefined ||
      (first.peer === record.peer &&
        (before === undefined || JSON.stringify(before) === JSON.stringify(record.commit)));
    if (first !== undefined && !(fits && alike)) break;
    batch.push(record);
    messages += record.messages.length;
    bytes += size;
  }
  return batch;
}

function recordsBetween(conversation: Conversation, first: number, last: number): SpoolRecord[] {
  return conversation
    .sequence()
    .filter((seq) => seq >= first && seq <= last)
    .flatMap((seq) => conversation.read(seq) ?? []);
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

/** Waits out a hold; the worker of the same harness looks for the turn's fuller form meanwhile. */
async function releaseHeld(input: DeliverInput, record: SpoolRecord): Promise<SpoolRecord> {
  const until = record.heldUntil ?? 0;
  for (;;) {
    const fuller = record.harness === input.harness ? input.complete?.(record) : undefined;
    if (fuller !== undefined) {
      const text = JSON.stringify(fuller);
      writeFileAtomic(input.conversation.recordPath(record.seq), text, { durable: true });
      noteGrowth(input.conversation.spool, Buffer.byteLength(text));
      return fuller;
    }
    const left = until - input.now();
    // A hold further away than it can be comes from a clock that was set back.
    if (left <= 0 || left > 5_000) return record;
    await input.pause(Math.min(left, 40));
  }
}

/** Stores `messages` from `append.settled` on. Undefined when all are settled, else what stopped it. */
async function storeMessages(
  input: DeliverInput,
  begun: AppendUnderWay,
  messages: readonly Message[],
  appendPath: string,
  peer: string | undefined,
): Promise<ApiFailure | undefined> {
  const { client, conversation } = input;
  let append = begun;
  let single = input.capability.singleMessages;
  if (append.count > 0) {
    const settled = await settleDoubt(input, append, messages);
    if (!settled.ok) return settled.failure;
    const left = append.mayArriveUntil - input.now();
    // A time further away than any wait comes from a clock that was set back.
    if (settled.stored < append.count && left > 0 && left <= LONGEST_WAIT_MS) return stillUnderWay(left);
    append = { ...append, settled: append.settled + settled.stored, count: 0 };
  }
  while (append.settled < messages.length) {
    const rest = messages.slice(append.settled, append.settled + (single ? 1 : MAX_MESSAGES));
    const total = await sessionTotal(input);
    if (!total.ok) return total.failure;
    const mayArriveUntil = input.now() + input.timeoutMs;
    append = { ...append, count: rest.length, baseline: total.count, baseUrl: client.baseUrl, mayArriveUntil };
    writeAppend(appendPath, append);
    const result = await post(input, rest, single, peer);
    if (result.ok) {
      append = { ...append, settled: append.settled + rest.length, count: 0 };
      continue;
    }
    const { failure } = result;
    if (failure.class === 'missing' && !failure.foreign && !single) {
      input.capability.noteSingleMessages();
      single = true;
      append = { ...append, count: 0 };
      continue;
    }
    if (failure.class === 'ambiguous' || (failure.class === 'rejected' && rest.length > 1)) {
      const settled = await settleDoubt(input, append, messages);
      if (!settled.ok) return settled.failure;
      if (failure.class === 'ambiguous' && settled.stored < rest.length) {
        // Whoever gave up waiting knows nothing about what the server still does: what is missing may be stored in a moment.
        // The note stays, and the next attempt asks once more before it sends anything.
        const goesOn = failure.code === 'TIMEOUT' || failure.status === 504;
        writeAppend(appendPath, { ...append, mayArriveUntil: goesOn ? input.now() + input.timeoutMs : 0 });
        return failure;
      }
      append = { ...append, settled: append.settled + settled.stored, count: 0 };
      // One message spoils the batch: find out which.
      if (failure.class === 'rejected') single = true;
      continue;
    }
    // Something that is no OpenViking server says no: that is about the address, not about the message.
    if (failure.class === 'rejected' || (failure.class === 'missing' && failure.unrouted !== true)) {
      bury(conversation, append, rest[0] as Message, failure);
      input.log.error(`the server refused a message of ${conversation.session}: ${failure.status} ${failure.message}`);
      append = { ...append, settled: append.settled + 1, count: 0 };
      writeAppend(appendPath, append);
      single = input.capability.singleMessages;
      continue;
    }
    // It has not been carried out: the next attempt need not ask.
    writeAppend(appendPath, { ...append, count: 0 });
    return failure;
  }
  return undefined;
}

/** No request is waited for longer than this, in ms: the upper bound of `timeoutMs`. */
const LONGEST_WAIT_MS = 300_000;

/** Code of the failure that says: of this conversation nothing may be sent before `retryAfterMs` have passed. */
export const STILL_UNDER_WAY = 'STILL_UNDER_WAY';

function stillUnderWay(leftMs: number): ApiFailure {
  return {
    class: 'busy',
    status: 425,
    code: STILL_UNDER_WAY,
    message: 'an earlier request may still be carried out',
    foreign: false,
    retryAfterMs: leftMs,
  };
}

function post(
  input: DeliverInput,
  messages: readonly Message[],
  single: boolean,
  peer: string | undefined,
): Promise<ApiResult> {
  const path = `/sessions/${encodeURIComponent(input.conversation.session)}/messages`;
  return input.client.call({
    method: 'POST',
    path: single ? path : `${path}/batch`,
    body: single ? messages[0] : { messages },
    timeoutMs: input.timeoutMs,
    ...(peer === undefined ? {} : { peer }),
  });
}

type Asked<Answer> = ({ readonly ok: true } & Answer) | { readonly ok: false; readonly failure: ApiFailure };

/** What the server says of the session; undefined when it does not exist yet. */
async function sessionState(
  input: DeliverInput,
): Promise<Asked<{ readonly state: Readonly<Record<string, unknown>> | undefined }>> {
  const result = await input.client.call({
    method: 'GET',
    path: `/sessions/${encodeURIComponent(input.conversation.session)}?auto_create=false`,
    timeoutMs: input.timeoutMs,
  });
  // A gateway's own 404 says nothing about the session.
  if (!result.ok)
    return isUnknownSession(result.failure) ? { ok: true, state: undefined } : { ok: false, failure: result.failure };
  return { ok: true, state: isObject(result.value) ? result.value : {} };
}

/** Archived and live messages of the session; 0 when it does not exist yet, null when the server does not tell. */
async function sessionTotal(input: DeliverInput): Promise<Asked<{ readonly count: number | null }>> {
  const session = await sessionState(input);
  if (!session.ok) return session;
  if (session.state === undefined) return { ok: true, count: 0 };
  const count = session.state['total_message_count'];
  return { ok: true, count: typeof count === 'number' ? count : null };
}

function isUnknownSession(failure: ApiFailure): boolean {
  return failure.class === 'missing' && !failure.foreign;
}

/** How many of the `append.count` messages under way the server has. */
async function settleDoubt(
  input: DeliverInput,
  append: AppendUnderWay,
  messages: readonly Message[],
): Promise<{ readonly ok: true; readonly stored: number } | { readonly ok: false; readonly failure: ApiFailure }> {
  const total = await sessionTotal(input);
  if (!total.ok) return total;
  if (total.count !== null && append.baseline !== null) {
    const stored = total.count - append.baseline;
    if (stored >= 0 && stored <= append.count) return { ok: true, stored };
  }
  // The count does not explain it (an old server, another writer, another server): look for the messages themselves.
  const context = await input.client.call({
    method: 'GET',
    path: `/sessions/${encodeURIComponent(input.conversation.session)}/context?token_budget=1000000`,
    timeoutMs: input.timeoutMs,
  });
  if (!context.ok) {
    if (isUnknownSession(context.failure)) return { ok: true, stored: 0 };
    return { ok: false, failure: context.failure };
  }
  const live = isObject(context.value) && Array.isArray(context.value['messages']) ? context.value['messages'] : [];
  const there = new Set(
    live.filter(isObject).map((message) => `${String(message['role'])} ${String(message['turn_id'])}`),
  );
  const underWay = messages.slice(append.settled, append.settled + append.count);
  let stored = 0;
  while (stored < underWay.length && there.has(`${underWay[stored]?.role} ${underWay[stored]?.turn_id}`)) stored += 1;
  return { ok: true, stored };
}

/**
 * What became of a batch's commit. `refused`: the messages are stored, and the server does not archive them now; an earlier
 * archive that failed is the usual reason, and until somebody mends that a commit at once would be refused again.
 */
type Committed =
  | { readonly kind: 'done' | 'none' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'stopped'; readonly failure: ApiFailure };

/**
 * The cursor behind a delivered record. It was made before anybody knew whether the server commits: what a commit was
 * refused for stays open, so that the next turn, the end of the conversation or a sweep asks for it again.
 */
function stillOpen(
  conversation: Conversation,
  { cursor, peer, environment }: SpoolRecord,
  committed: Committed,
): CaptureCursor {
  const before = conversation.deliveredCursor().cursor.open;
  if (committed.kind === 'done') {
    if (cursor.open?.refused === undefined) return cursor;
    const { refused: _before, ...open } = cursor.open;
    return { ...cursor, open };
  }
  const refused = committed.kind === 'refused' ? committed.reason : before?.refused;
  if (refused === undefined && before === undefined) return cursor;
  const open = cursor.open ?? before ?? { peer, environment };
  return { ...cursor, open: { ...open, ...(refused === undefined ? {} : { refused }) } };
}

/**
 * Commits when enough has gathered at the server. It is asked anew by every worker that finds the messages stored and the
 * cursor where it was, and a commit that was carried out has taken the tokens away: so there is never a second one.
 */
async function commitIfEnough(
  input: DeliverInput,
  intent: ThresholdCommit | undefined,
  peer: string | undefined,
): Promise<Committed> {
  if (intent === undefined) return { kind: 'none' };
  const { pendingTokens, ...commit } = intent;
  const session = await sessionState(input);
  if (!session.ok) return { kind: 'stopped', failure: session.failure };
  const pending = session.state?.['pending_tokens'];
  const isEnough = typeof pending === 'number' && pending >= pendingTokens;
  return isEnough ? commitSession(input, commit, peer) : { kind: 'none' };
}

async function commitSession(input: DeliverInput, commit: CommitIntent, peer: string | undefined): Promise<Committed> {
  const result = await input.client.call({
    method: 'POST',
    path: `/sessions/${encodeURIComponent(input.conversation.session)}/commit`,
    body: commit,
    timeoutMs: input.timeoutMs,
    ...(peer === undefined ? {} : { peer }),
  });
  if (result.ok) return { kind: 'done' };
  const { failure } = result;
  // The server knows no such session, or no more: there is nothing to commit.
  if (isUnknownSession(failure) && failure.unrouted !== true) return { kind: 'done' };
  if (failure.class !== 'rejected' && !isUnknownSession(failure)) return { kind: 'stopped', failure };
  input.log.error(`commit of ${input.conversation.session} refused: ${failure.status} ${failure.message}`);
  return { kind: 'refused', reason: `${failure.status} ${failure.code}` };
}

/** Puts a message that the server will never take aside, with the reason. */
function bury(conversation: Conversation, append: AppendUnderWay, message: Message, failure: ApiFailure): void {
  const { status, code, message: why } = failure;
  const record = conversation.read(append.firstSeq) ?? append.firstSeq;
  buryMessage(conversation, record, append.settled, message, { status, code, message: why });
}

/**
 * A record that cannot be read any more (a damaged disk) must not stop those behind it. A name without content is what a
 * power cut leaves of a record that was being written: nobody was told that its turn is captured. The client's own record
 * has it, where there is one, and mostly our journal; notes are not flushed, so the same cut may have taken that one, too.
 */
function quarantine(conversation: Conversation, seq: number, log: Log): void {
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
