/**
 * Goes over all conversations that wait, again and again while the worker lives. Conversations that fail come last, so that
 * one of them cannot use up the patience that the others need.
 */
import { backOffOf, endBackOffPause } from '../../spool/back-off.ts';
import { allSessions, markedSessions } from '../../spool/conversation-folder.ts';
import { Conversation } from '../../spool/conversation.ts';
import { WaitingPlace } from './waiting-place.ts';
import { deliverOne } from './deliver-one.ts';
import type { Round } from './round.ts';
import type { Worker } from './worker.ts';

/** True where something was delivered. */
export async function deliverAll(worker: Worker, mode: 'deliver' | 'sweep'): Promise<boolean> {
  const place = new WaitingPlace(worker.paths.state, worker.environment);
  try {
    return await deliverInRounds(worker, mode, place);
  } finally {
    place.leave();
  }
}

async function deliverInRounds(worker: Worker, mode: 'deliver' | 'sweep', place: WaitingPlace): Promise<boolean> {
  const { first, paths } = worker;
  let everything = mode === 'sweep';
  let hasDelivered = false;
  for (;;) {
    const marked = (everything ? allSessions(paths.spool) : markedSessions(paths.spool))
      .filter((session) => session !== first)
      .map((session) => new Conversation(paths.spool, session));
    const own = first === undefined ? [] : [new Conversation(paths.spool, first)];
    // A new conversation is a good moment to try again.
    if (everything) [...own, ...marked].forEach(endBackOffPause);
    everything = false;
    const round: Round = { closed: new Map(), failed: new Map(), succeeded: new Set(), waits: [] };
    const [failing, others] = partition(marked, (conversation) => backOffOf(conversation) !== undefined);
    for (const conversation of [...own, ...others, ...failing]) {
      try {
        if (await deliverOne(worker, mode, conversation, round)) hasDelivered = true;
      } catch (error) {
        // A full disk, a file that somebody holds: what could not be noted is settled by asking the server, see `storeMessages`.
        worker.log.error(`delivering ${conversation.session}`, error);
      }
    }
    if (round.waits.length === 0) return hasDelivered;
    const wait = Math.min(...round.waits);
    if (performance.now() + wait > worker.until || !(await place.wait(wait, worker.until))) return hasDelivered;
  }
}

function partition<Item>(items: readonly Item[], fits: (item: Item) => boolean): [Item[], Item[]] {
  const [yes, no]: [Item[], Item[]] = [[], []];
  for (const item of items) (fits(item) ? yes : no).push(item);
  return [yes, no];
}
