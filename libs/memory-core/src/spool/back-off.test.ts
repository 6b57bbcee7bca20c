import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryConversation, type TemporaryConversation } from '../../testing/temporary-conversation.ts';
import { interpret, type ApiFailure } from '../http/api.ts';
import { backOffOf, concernsServer, forgetBackOff, noteBackOff, endBackOffPause } from './back-off.ts';
import type { Conversation } from './conversation.ts';
import { waitLeft } from './delivery-state.ts';

let temporary: TemporaryConversation;
let conversation: Conversation;
beforeEach(() => {
  temporary = temporaryConversation();
  ({ conversation } = temporary);
});
afterEach(() => temporary.remove());

function failureOf(status: number, error?: object, headers: Record<string, string> = {}): ApiFailure {
  const body = error === undefined ? 'a page' : JSON.stringify({ status: 'error', error });
  const result = interpret({ kind: 'response', status, headers, body });
  if (result.ok) throw new Error('no failure');
  return result.failure;
}

describe('a failure', () => {
  const ours = { code: 'INTERNAL', message: 'no' };
  it.each<[string, ApiFailure]>([
    ['500', failureOf(500, ours)],
    ['502 of a gateway', failureOf(502)],
    ['503 that names no time', failureOf(503, ours)],
    ['504', failureOf(504)],
    ['408', failureOf(408, ours)],
    ['409, retryable', failureOf(409, { ...ours, details: { retryable: true } })],
    ['an error in a 200', failureOf(200, ours)],
  ])('concerns the conversation where the server answers and fails: %s', (_what, failure) => {
    expect(concernsServer(failure)).toBe(false);
  });

  const unanswered = interpret({ kind: 'failure', ambiguous: true, code: 'TIMEOUT', message: '' });
  it.each<[string, ApiFailure]>([
    ['no answer', (unanswered as { failure: ApiFailure }).failure],
    ['401', failureOf(401, ours)],
    ['429', failureOf(429, ours)],
    ['503 with Retry-After', failureOf(503, ours, { 'retry-after': '7' })],
    ['a redirection', failureOf(302)],
    ['a page that is not there', failureOf(404)],
    ['a page', failureOf(200)],
  ])('concerns all that goes there: %s', (_what, failure) => {
    expect(concernsServer(failure)).toBe(true);
  });
});

describe('the back-off of a conversation', () => {
  const failure = failureOf(500, { code: 'INTERNAL', message: 'no' });
  const now = Date.now();
  const left = (at = now): number => waitLeft(backOffOf(conversation) ?? { failures: 0, nextAttemptAt: 0 }, at);

  it('grows from one second to five minutes, and begins anew after something was delivered', () => {
    const pauses = Array.from({ length: 11 }, () => noteBackOff(conversation, failure, { isProgress: false, now }));
    expect(pauses.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(pauses.slice(-2)).toEqual([300_000, 300_000]);
    expect(left()).toBe(300_000);
    expect(noteBackOff(conversation, failure, { isProgress: true, now })).toBe(1_000);
    expect(noteBackOff(conversation, failureOf(500, {}, { 'retry-after': '60' }), { isProgress: false, now })).toBe(
      60_000,
    );
  });

  it('is known to be its own where the server carried something out between two failures', () => {
    const noted = (at: number, succeededAt?: number): unknown => {
      noteBackOff(conversation, failure, {
        isProgress: false,
        now: at,
        ...(succeededAt === undefined ? {} : { succeededAt }),
      });
      return backOffOf(conversation)?.isOwn;
    };
    expect(noted(now, now - 1)).toBeUndefined();
    expect(noted(now + 10, now - 1)).toBeUndefined();
    expect(noted(now + 20, now + 15)).toBe(true);
    expect(noted(now + 30)).toBe(true);
    endBackOffPause(conversation);
    expect(backOffOf(conversation)?.isOwn).toBe(true);
    noteBackOff(conversation, failure, { isProgress: true, now: now + 40, succeededAt: now + 39 });
    expect(backOffOf(conversation)?.isOwn).toBeUndefined();
  });

  it('can be ended without being forgotten, and is forgotten with the first success', () => {
    noteBackOff(conversation, failure, { isProgress: false, now });
    endBackOffPause(conversation);
    expect(left()).toBe(0);
    expect(backOffOf(conversation)).toMatchObject({ failures: 0, lastError: '500 INTERNAL' });
    forgetBackOff(conversation);
    endBackOffPause(conversation);
    expect(backOffOf(conversation)).toBeUndefined();
  });
});
