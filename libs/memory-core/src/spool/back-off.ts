/**
 * Back-off of one conversation: the server answers and cannot carry out what is asked for this one (an archive of it is
 * broken, a message of it is too much). That says nothing about the others, which must not wait for it.
 */
import { existsSync } from 'node:fs';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { inside } from '../fs/path.ts';
import { removeQuietly, writeFileAtomic } from '../fs/write-atomic.ts';
import type { ApiFailure } from '../http/api.ts';
import type { ConversationFolder } from './conversation-folder.ts';
import { pauseAfter, readServerDelivery, type BackOff } from './delivery-state.ts';

/**
 * True where a failure says something about all that goes to this server: nobody answers, refuses the credentials or asks to be
 * left alone for a while, or whoever answers is no OpenViking server. Source: the retry table of the server API.
 */
export function concernsServer({ class: kind, status, foreign, retryAfterMs }: ApiFailure): boolean {
  if (status === 0 || status === 429 || kind === 'blocked') return true;
  if (status === 503) return retryAfterMs !== undefined;
  return status < 500 && (foreign || kind === 'unsent' || kind === 'missing');
}

/** Undefined where the conversation's last request was carried out. */
export function backOffOf(conversation: ConversationFolder): BackOff | undefined {
  const path = pathOf(conversation);
  return existsSync(path) ? readServerDelivery(path) : undefined;
}

/**
 * Notes a failure that concerns the conversation and returns the pause in ms. `isProgress`: something was delivered before
 * it; `now` and `succeededAt`, when the server last carried something out: ms since 1970. Throws where it cannot be noted.
 */
export function noteBackOff(
  conversation: ConversationFolder,
  failure: ApiFailure,
  {
    isProgress,
    now,
    succeededAt = -Infinity,
  }: { readonly isProgress: boolean; readonly now: number; readonly succeededAt?: number },
): number {
  const known = isProgress ? undefined : backOffOf(conversation);
  const failures = (known?.failures ?? 0) + 1;
  const isOwn = known?.isOwn === true || succeededAt > (known?.failedAt ?? Infinity);
  const pause = pauseAfter(failures, failure.retryAfterMs);
  const { status, code } = failure;
  const own = isOwn ? ({ isOwn } as const) : {};
  keep(conversation, { failures, nextAttemptAt: now + pause, failedAt: now, lastError: `${status} ${code}`, ...own });
  return pause;
}

/** It may be tried now, where that can be noted; that it has failed stays known, and those that have not come first. */
export function endBackOffPause(conversation: ConversationFolder): void {
  const known = backOffOf(conversation);
  if (known !== undefined) keepIfPossible(() => keep(conversation, { ...known, failures: 0, nextAttemptAt: 0 }));
}

export function forgetBackOff(conversation: ConversationFolder): void {
  if (existsSync(pathOf(conversation))) removeQuietly(pathOf(conversation));
}

function keep(conversation: ConversationFolder, state: BackOff): void {
  writeFileAtomic(pathOf(conversation), JSON.stringify(state));
}

function pathOf({ folder }: ConversationFolder): string {
  return inside(folder, 'back-off.json');
}
