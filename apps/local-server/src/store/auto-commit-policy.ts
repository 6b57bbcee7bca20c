/** When a session commits by itself. Values a client sends are clamped, not refused; only unknown names are refused. */

export interface AutoCommitPolicy {
  readonly pending_token_threshold: number;
  readonly message_count_threshold: number;
  /** Seconds without a message; 0 switches the idle part off. */
  readonly idle_timeout_seconds: number;
  readonly keep_recent_count: number;
  readonly min_commit_interval_seconds: number;
}

/** Default and upper bound of each field, as documented for the OpenViking API. */
const FIELDS: Readonly<Record<keyof AutoCommitPolicy, readonly [initial: number, most: number]>> = {
  pending_token_threshold: [150_000, 1_000_000],
  message_count_threshold: [100, 1_000],
  idle_timeout_seconds: [86_400, 604_800],
  keep_recent_count: [0, 500],
  min_commit_interval_seconds: [0, 604_800],
};

export const AUTO_COMMIT_FIELDS = Object.keys(FIELDS) as (keyof AutoCommitPolicy)[];

/** `changes` over `current` (or the defaults), each field clamped to its bounds. */
export function mergePolicy(
  current: AutoCommitPolicy | undefined,
  changes: { readonly [Field in keyof AutoCommitPolicy]?: number | undefined },
): AutoCommitPolicy {
  const merged: Partial<Record<keyof AutoCommitPolicy, number>> = {};
  for (const field of AUTO_COMMIT_FIELDS) {
    const [initial, most] = FIELDS[field];
    merged[field] = Math.min(most, Math.max(0, Math.trunc(changes[field] ?? current?.[field] ?? initial)));
  }
  return merged as AutoCommitPolicy;
}

/** True when a message write must be followed by a commit. */
export function thresholdReached(
  policy: AutoCommitPolicy,
  session: { readonly pendingTokens: number; readonly liveMessages: number; readonly lastCommitAt: number | undefined },
  now: number,
): boolean {
  const over =
    session.pendingTokens > policy.pending_token_threshold || session.liveMessages > policy.message_count_threshold;
  const waited =
    session.lastCommitAt === undefined || now - session.lastCommitAt >= policy.min_commit_interval_seconds * 1_000;
  return over && waited;
}
