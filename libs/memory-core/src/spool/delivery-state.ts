/** What delivery remembers between processes: back-off and refused credentials, the append under way. */
import { readJsonObject } from '../fs/read-json.ts';
import { removeQuietly, writeFileAtomic } from '../fs/write-atomic.ts';
import { LONGEST_RETRY_AFTER_MS } from '../http/api.ts';
import { paced } from './pace.ts';

/** A pause after failures. */
export interface BackOff {
  /** Failures in a row. */
  readonly failures: number;
  /** ms since 1970; nothing is sent before. */
  readonly nextAttemptAt: number;
  /** ms since 1970, when the pause began: a clock that shows less was set back since. */
  readonly failedAt?: number;
  /** Status and code. */
  readonly lastError?: string;
  /** Of a conversation: the server carried something else out between two failures at it, so a success there says nothing about it. */
  readonly isOwn?: true;
}

/** How delivery to one server goes, for all conversations that go there. */
export interface ServerDelivery extends BackOff {
  /** Mark of the credentials that were refused: nothing is sent until they are others. */
  readonly blockedFor?: string;
  /** ISO 8601. */
  readonly lastSuccess?: string;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

export const FRESH: ServerDelivery = { failures: 0, nextAttemptAt: 0 };

export function readServerDelivery(path: string): ServerDelivery {
  const value = readJsonObject(path);
  if (value === undefined) return FRESH;
  return {
    failures: typeof value['failures'] === 'number' ? value['failures'] : 0,
    nextAttemptAt: typeof value['nextAttemptAt'] === 'number' ? value['nextAttemptAt'] : 0,
    ...(typeof value['failedAt'] === 'number' ? { failedAt: value['failedAt'] } : {}),
    ...(typeof value['blockedFor'] === 'string' ? { blockedFor: value['blockedFor'] } : {}),
    ...(typeof value['lastSuccess'] === 'string' ? { lastSuccess: value['lastSuccess'] } : {}),
    ...(typeof value['lastError'] === 'string' ? { lastError: value['lastError'] } : {}),
    ...(value['isOwn'] === true ? { isOwn: true } : {}),
  };
}

export function writeServerDelivery(path: string, state: ServerDelivery): void {
  writeFileAtomic(path, JSON.stringify(state));
}

/** Forgets back-off and refused credentials: a person wants another attempt now. */
export function allowAttempt(path: string): void {
  const { failures, blockedFor, lastSuccess } = readServerDelivery(path);
  if (failures === 0 && blockedFor === undefined) return;
  writeServerDelivery(path, { ...FRESH, ...(lastSuccess === undefined ? {} : { lastSuccess }) });
}

/** The pause before the next attempt, in ms: 1 s, 2 s, 4 s … 5 min, or what the server asked for. */
export function pauseAfter(failures: number, retryAfterMs?: number): number {
  const own = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, Math.min(failures, 20) - 1));
  return paced(Math.max(own, retryAfterMs ?? 0));
}

/**
 * Time left to wait, in ms. A pause that begins in the future, or ends further away than any pause lasts, comes from a clock
 * that was set back: it is over.
 */
export function waitLeft(state: BackOff, now: number): number {
  const left = state.nextAttemptAt - now;
  const isPossible = now >= (state.failedAt ?? 0) && left <= paced(LONGEST_RETRY_AFTER_MS);
  return isPossible ? Math.max(0, left) : 0;
}

/**
 * An append that was begun: written durably before the request leaves. Whoever finds it after a crash asks the server for
 * its count and knows which of the messages arrived.
 */
export interface AppendUnderWay {
  readonly baseUrl: string;
  /** Records whose messages, in order, are meant. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Messages of these records that are settled: stored or in the dead letters. */
  readonly settled: number;
  /** The next `count` messages are on their way … */
  readonly count: number;
  /** … to a session that held this many; null when the server does not tell. */
  readonly baseline: number | null;
  /**
   * Until then (ms since 1970) a request that nobody waits for any more may still be carried out: a slow server stores what
   * it was sent although the worker that sent it was killed. What is missing is not sent again before.
   */
  readonly mayArriveUntil: number;
  /** All messages are settled; what is left is the commit. */
  readonly stored: boolean;
}

export function readAppend(path: string): AppendUnderWay | undefined {
  const value = readJsonObject(path) as Partial<AppendUnderWay> | undefined;
  if (value === undefined || typeof value.firstSeq !== 'number' || typeof value.lastSeq !== 'number') return undefined;
  return {
    baseUrl: value.baseUrl ?? '',
    firstSeq: value.firstSeq,
    lastSeq: value.lastSeq,
    settled: value.settled ?? 0,
    count: value.count ?? 0,
    baseline: value.baseline ?? null,
    mayArriveUntil: value.mayArriveUntil ?? 0,
    stored: value.stored === true,
  };
}

export function writeAppend(path: string, append: AppendUnderWay): void {
  writeFileAtomic(path, JSON.stringify(append), { durable: true });
}

export function dropAppend(path: string): void {
  removeQuietly(path);
}
