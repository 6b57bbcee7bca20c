/**
 * Stores messages at the server, each once. The server stores what it is sent and does not look at turn ids; a request that
 * failed may have been stored all the same. So the count of messages is noted before every append and read again after every
 * failure that leaves a doubt, by whichever process comes next.
 */
import type { Message } from '../contract/message.ts';
import { isObject } from '../fs/json-object.ts';
import type { ApiFailure, ApiResult } from '../http/api.ts';
import type { Conversation } from './conversation.ts';
import { buryMessage } from './dead-letters.ts';
import type { DeliverInput } from './deliver-input.ts';
import { writeAppend, type AppendUnderWay } from './delivery-state.ts';
import { MAX_MESSAGES } from './next-batch.ts';
import { isUnknownSession, sessionTotal } from './server-session.ts';

/** Stores `messages` from `append.settled` on. Undefined when all are settled, else what stopped it. */
export async function storeMessages(
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

/** Puts a message that the server will never take aside, with the reason. */
function bury(conversation: Conversation, append: AppendUnderWay, message: Message, failure: ApiFailure): void {
  const { status, code, message: why } = failure;
  const record = conversation.read(append.firstSeq) ?? append.firstSeq;
  buryMessage(conversation, record, append.settled, message, { status, code, message: why });
}
