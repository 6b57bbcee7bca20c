/**
 * Delivers one conversation under its lock. A hook may append at any moment and finds the lock taken: whoever holds it looks
 * once more after giving it back, or that turn would wait for the next one.
 */
import { completeHeld } from '../../capture/complete-held.ts';
import { tryLock } from '../../fs/lock.ts';
import { forgetBackOff } from '../../spool/back-off.ts';
import { clearUp } from '../../spool/clear-records.ts';
import type { Conversation } from '../../spool/conversation.ts';
import { deliverConversation, type DeliverOutcome } from '../../spool/deliver.ts';
import { isElsewhere } from '../../spool/environment-mark.ts';
import { paced } from '../../spool/pace.ts';
import type { SpoolRecord } from '../../spool/record.ts';
import { firstWaiting, settleMark } from '../../spool/waiting.ts';
import { captureSettings } from './capture-settings.ts';
import { noteFailure, noteSuccess } from './delivery-notes.ts';
import { destinationOf, singleMessageCapability, type Destination } from './destination.ts';
import { isClosed, isResting, type Round } from './round.ts';
import type { Worker } from './worker.ts';

/**
 * Delivers what the conversation holds, unless another worker does or its server is not to be asked now. True where
 * something of it was delivered.
 */
export async function deliverOne(
  worker: Worker,
  mode: 'deliver' | 'sweep',
  conversation: Conversation,
  round: Round,
): Promise<boolean> {
  let hasDelivered = false;
  while (conversation.hasRecords()) {
    const head = firstWaiting(conversation);
    if (head !== undefined && isElsewhere(head, worker.environment)) {
      worker.log.info(`${conversation.session} waits for a hook with the environment it was said in`);
      return hasDelivered;
    }
    const destination = head === undefined ? undefined : destinationOf(worker, head, mode);
    if (destination !== undefined && (isClosed(destination, round) || isResting(conversation, destination, round)))
      return hasDelivered;
    const lock = tryLock(conversation.lockFile);
    if (lock === undefined) return hasDelivered;
    const before = conversation.sequence();
    const { seq: deliveredBefore } = conversation.deliveredCursor();
    let sent = false;
    try {
      if (destination === undefined) clearUp(conversation, worker.log);
      else {
        const outcome = await deliverTo(worker, destination, conversation, mode);
        const isProgress = conversation.deliveredCursor().seq > deliveredBefore;
        if (isProgress) hasDelivered = true;
        if (outcome.kind === 'stopped') {
          await noteFailure(worker, { destination, conversation, isProgress }, outcome.failure, round);
          return hasDelivered;
        }
        if (outcome.answered) noteSuccess(destination, round);
        forgetBackOff(conversation);
        sent = outcome.messages > 0;
        if (sent) worker.log.info(`delivered ${outcome.messages} messages of ${conversation.session}`);
      }
      settleMark(conversation);
    } finally {
      lock.release();
    }
    // What can be neither sent nor removed now would be found again and again.
    const left = new Set(conversation.sequence());
    if (!sent && before.every((seq) => left.has(seq))) break;
    // A hook may have appended after the last look and found the lock taken: the loop looks once more, without the lock.
  }
  settleMark(conversation);
  return hasDelivered;
}

function deliverTo(
  worker: Worker,
  destination: Destination,
  conversation: Conversation,
  mode: 'deliver' | 'sweep',
): Promise<DeliverOutcome> {
  return deliverConversation({
    conversation,
    client: destination.client,
    timeoutMs: paced(destination.resolved.settings.timeoutMs),
    log: worker.log,
    harness: worker.harness.declaration.id,
    takes: (record) => !isElsewhere(record, worker.environment) && destinationOf(worker, record, mode) === destination,
    complete: (record) => complete(worker, record),
    now: Date.now,
    pause: sleep,
    capability: singleMessageCapability(worker, destination),
  });
}

function complete(worker: Worker, record: SpoolRecord): SpoolRecord | undefined {
  const { settings, rules } = captureSettings(worker, record.held?.cwd ?? worker.home);
  return completeHeld(
    {
      harness: worker.harness,
      settings,
      rules,
      home: worker.home,
      env: worker.env,
    },
    record,
  );
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
