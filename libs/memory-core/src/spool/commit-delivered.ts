/**
 * The commit behind messages that are stored. A server may refuse it for as long as an earlier archive has failed: what it
 * refused stays open in the cursor and is asked for again, or the messages would never become memory.
 */
import type { ApiFailure } from '../http/api.ts';
import type { Conversation } from './conversation.ts';
import type { DeliverInput } from './deliver-input.ts';
import type { CaptureCursor, CommitIntent, SpoolRecord, ThresholdCommit } from './record.ts';
import { isUnknownSession, sessionState } from './server-session.ts';

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
export function stillOpen(
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
export async function commitIfEnough(
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

/** Asks for a commit that was decided when the turn was captured. */
export async function commitSession(
  input: DeliverInput,
  commit: CommitIntent,
  peer: string | undefined,
): Promise<Committed> {
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
