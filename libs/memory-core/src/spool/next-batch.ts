/**
 * Which of the waiting records go to the server together. What is said for different projects, or ends in different commits,
 * must not share a request; a record that is held may still get its answer, so it is waited for before it goes.
 */
import { writeFileAtomic } from '../fs/write-atomic.ts';
import { quarantine } from './clear-records.ts';
import type { DeliverInput } from './deliver-input.ts';
import type { SpoolRecord } from './record.ts';
import { noteGrowth } from './spool-size.ts';
import { waitingSequence } from './waiting.ts';

/** The server takes no more in one request. */
export const MAX_MESSAGES = 100;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** The next records that go together: one origin, one kind of commit, at most 100 messages and 4 MiB. */
export async function nextBatch(input: DeliverInput): Promise<SpoolRecord[]> {
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
