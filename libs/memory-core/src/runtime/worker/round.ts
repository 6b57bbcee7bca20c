/**
 * What one round over the conversations has learnt, and what is therefore left alone in it: a server that does not answer is
 * asked once and not once per conversation.
 */
import { backOffOf } from '../../spool/back-off.ts';
import type { Conversation } from '../../spool/conversation.ts';
import { credentialMark } from '../../spool/credential-mark.ts';
import { readServerDelivery, waitLeft } from '../../spool/delivery-state.ts';
import type { Destination } from './destination.ts';

/** Once over all conversations. */
export interface Round {
  /** Destinations to which nothing more is sent in this round: a pause, refused credentials. */
  readonly closed: Map<Destination, boolean>;
  /** Conversations in a row at which a server has failed that answers. */
  readonly failed: Map<Destination, number>;
  /** Servers that have carried something out: what rests for one of them is tried again, unless they did so before, too. */
  readonly succeeded: Set<Destination>;
  /** Times, in ms, after which something is worth trying again. */
  readonly waits: number[];
}

/** The server has failed at this conversation, and not enough time has passed since. */
export function isResting(conversation: Conversation, destination: Destination, round: Round): boolean {
  const known = backOffOf(conversation);
  if (known === undefined || (round.succeeded.has(destination) && known.isOwn !== true)) return false;
  const wait = waitLeft(known, Date.now());
  if (wait > 0) round.waits.push(wait);
  return wait > 0;
}

/** Asked once a round. */
export function isClosed(destination: Destination, round: Round): boolean {
  const known = round.closed.get(destination);
  if (known !== undefined) return known;
  const state = readServerDelivery(destination.deliveryPath);
  const isBlocked = state.blockedFor === credentialMark(destination.resolved.connection);
  const wait = waitLeft(state, Date.now());
  if (!isBlocked && wait > 0) round.waits.push(wait);
  const closed = isBlocked || wait > 0;
  round.closed.set(destination, closed);
  return closed;
}
