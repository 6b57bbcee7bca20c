/**
 * What is noted after an attempt: whether it was the server that failed or one conversation, and for how long which of them is
 * left alone. One broken conversation must not keep the others waiting, nor a dead server be asked for each of them.
 */
import { existsSync } from 'node:fs';
import type { ApiFailure } from '../../http/api.ts';
import { concernsServer, noteBackOff } from '../../spool/back-off.ts';
import type { Conversation } from '../../spool/conversation.ts';
import { credentialMark } from '../../spool/credential-mark.ts';
import {
  pauseAfter,
  readServerDelivery,
  writeServerDelivery,
  type ServerDelivery,
} from '../../spool/delivery-state.ts';
import { STILL_UNDER_WAY } from '../../spool/store-messages.ts';
import { startLocalServer } from '../local-server.ts';
import type { Destination } from './destination.ts';
import type { Round } from './round.ts';
import type { Worker } from './worker.ts';

/** Where the server fails at so many conversations in a row, it is most likely the server: the others wait for its pause to end. */
const MOST_FAILING = 5;

/** What a delivery was about that stopped; `isProgress`: a part of it had been delivered. */
interface Stopped {
  readonly destination: Destination;
  readonly conversation: Conversation;
  readonly isProgress: boolean;
}

/**
 * A delivery has stopped: decides what that was about, the conversation or the server, and when it is worth trying again.
 *
 * What is known of the server is read right before it is written, and no lock stands around both: of what two workers note
 * in the same moment, one is lost. That costs a request too many or a pause too long by one step, and the next answer mends it.
 */
export async function noteFailure(
  worker: Worker,
  { destination, conversation, isProgress }: Stopped,
  failure: ApiFailure,
  round: Round,
): Promise<void> {
  // Uninstalled meanwhile: nothing of ours may come back into this home.
  if (!existsSync(worker.paths.spool)) return;
  const { session } = conversation;
  worker.log.error(
    `delivery of ${session} stopped: ${failure.class} ${failure.status} ${failure.code} ${failure.message}`,
  );
  const local = { client: destination.client, paths: worker.paths };
  if (failure.code === STILL_UNDER_WAY) {
    // That is about one conversation: a server that answers keeps the others waiting for nothing.
    round.waits.push(failure.retryAfterMs ?? 0);
    return;
  }
  if (failure.class === 'unsent' && (await startLocalServer(local, worker, 5_000)) === 'answers') {
    round.waits.push(0);
    return;
  }
  const { deliveryPath } = destination;
  const lastError = `${failure.status} ${failure.code}`;
  if (concernsServer(failure)) {
    noteServerFailure(destination, failure, lastError, round);
    return;
  }
  if (isProgress) noteSuccess(destination, round);
  const failed = (round.failed.get(destination) ?? 0) + 1;
  round.failed.set(destination, failed);
  const state = { ...readServerDelivery(deliveryPath), lastError };
  if (failed >= MOST_FAILING) pauseServer(destination, state, round);
  else writeServerDelivery(deliveryPath, state);
  // Last, for it throws where it cannot be noted: the server has its pause all the same.
  const succeededAt = Date.parse(state.lastSuccess ?? '');
  round.waits.push(noteBackOff(conversation, failure, { isProgress, now: Date.now(), succeededAt }));
}

function noteServerFailure(destination: Destination, failure: ApiFailure, lastError: string, round: Round): void {
  const { blockedFor: _outdated, ...known } = readServerDelivery(destination.deliveryPath);
  if (failure.class !== 'blocked') {
    pauseServer(destination, { ...known, lastError }, round, failure.retryAfterMs);
    return;
  }
  round.closed.set(destination, true);
  writeServerDelivery(destination.deliveryPath, {
    ...known,
    failures: known.failures + 1,
    nextAttemptAt: 0,
    failedAt: Date.now(),
    lastError,
    blockedFor: credentialMark(destination.resolved.connection),
  });
}

/** Nothing more is sent there until a pause is over, which grows with each one in which nothing was carried out. */
function pauseServer(destination: Destination, known: ServerDelivery, round: Round, retryAfterMs?: number): void {
  round.closed.set(destination, true);
  const failures = known.failures + 1;
  const pause = pauseAfter(failures, retryAfterMs);
  const failedAt = Date.now();
  writeServerDelivery(destination.deliveryPath, { ...known, failures, nextAttemptAt: failedAt + pause, failedAt });
  round.waits.push(pause);
}

/** The server has carried something out: what was noted against it is over. */
export function noteSuccess(destination: Destination, round: Round): void {
  round.failed.delete(destination);
  round.succeeded.add(destination);
  const success = { failures: 0, nextAttemptAt: 0, lastSuccess: new Date().toISOString() };
  writeServerDelivery(destination.deliveryPath, success);
}
