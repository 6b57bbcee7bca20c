/**
 * Delivers one conversation, in order, each message once: batch by batch, stored first and then committed, so that a process
 * that is killed in between leaves notes from which the next one goes on.
 */
import { join } from 'node:path';
import { syncFolder } from '../fs/write-atomic.ts';
import type { ApiClient, ApiFailure } from '../http/api.ts';
import { removeRecords } from './clear-records.ts';
import { commitIfEnough, commitSession, stillOpen } from './commit-delivered.ts';
import type { Conversation } from './conversation.ts';
import type { DeliverInput } from './deliver-input.ts';
import { dropAppend, readAppend, writeAppend, type AppendUnderWay } from './delivery-state.ts';
import { nextBatch } from './next-batch.ts';
import type { SpoolRecord } from './record.ts';
import { storeMessages } from './store-messages.ts';

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

function recordsBetween(conversation: Conversation, first: number, last: number): SpoolRecord[] {
  return conversation
    .sequence()
    .filter((seq) => seq >= first && seq <= last)
    .flatMap((seq) => conversation.read(seq) ?? []);
}
