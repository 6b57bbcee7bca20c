/**
 * When a conversation is committed, decided where it is captured: the decision lies in the spool with the turn, so that a
 * killed worker or a server that was away changes nothing about it.
 */
import type { HostFacts } from '../contract/harness.ts';
import type { Settings } from '../contract/settings.ts';
import type { CaptureCursor, Origin, SpoolRecord } from '../spool/record.ts';

type CommitSettings = Pick<Settings, 'commitKeepRecentCount' | 'commitTurnThreshold' | 'commitTokenThreshold'>;

/** What a record asks for, and what its cursor remembers. */
export interface CommitPlan {
  readonly intent: Pick<SpoolRecord, 'commit' | 'commitAbove'>;
  readonly progress: Pick<CaptureCursor, 'uncommitted' | 'open'>;
}

/**
 * After one more record with messages. `isNewTurn` is false for the second half of a turn. A host without an end of the
 * conversation commits at once; else by number of turns, or, once the messages are stored, by number of tokens.
 */
export function planCommit(
  cursor: CaptureCursor,
  isNewTurn: boolean,
  open: Origin,
  commitAt: HostFacts['commitAt'],
  settings: CommitSettings,
): CommitPlan {
  const { commitKeepRecentCount: keep, commitTurnThreshold: threshold, commitTokenThreshold } = settings;
  const turns = (cursor.uncommitted ?? 0) + (isNewTurn ? 1 : 0);
  if (commitAt === 'turn-end' || (threshold > 0 && turns >= threshold))
    return { intent: { commit: { keep_recent_count: keep } }, progress: keep > 0 ? { open } : {} };
  return {
    intent: { commitAbove: { keep_recent_count: keep, pendingTokens: commitTokenThreshold } },
    progress: { open, ...(turns === 0 ? {} : { uncommitted: turns }) },
  };
}

/** `cursor` without what it remembers about commits, and with `progress` in its place. */
export function withProgress(cursor: CaptureCursor, progress: CommitPlan['progress']): CaptureCursor {
  const { uncommitted: _turns, open: _open, ...rest } = cursor;
  return { ...rest, ...progress };
}
