import { describe, expect, it } from '@jest/globals';
import { interpret } from '../http/api.ts';
import { FRESH, pauseAfter, waitLeft } from './delivery-state.ts';

describe('the pause after failures in a row', () => {
  it('doubles from one second to five minutes, and is never shorter than what the server asks for', () => {
    expect([1, 2, 3, 4].map((failures) => pauseAfter(failures))).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(pauseAfter(50)).toBe(5 * 60_000);
    expect(pauseAfter(1, 7_000)).toBe(7_000);
    expect(pauseAfter(5, 7_000)).toBe(16_000);
  });
});

describe('waitLeft', () => {
  const failedAt = Date.parse('2026-01-01T12:00:00Z');
  const state = { failures: 1, failedAt, nextAttemptAt: failedAt + 60 * 60_000 };

  it('counts down to the next attempt, however long a server wants to be left alone', () => {
    expect(waitLeft(state, failedAt + 60_000)).toBe(59 * 60_000);
    expect(waitLeft(state, state.nextAttemptAt + 1)).toBe(0);
    expect(waitLeft(FRESH, failedAt)).toBe(0);
  });

  it('is over when the clock was set back', () => {
    expect(waitLeft(state, failedAt - 1_000)).toBe(0);
  });

  it('is over where it would last longer than any pause, whoever wrote it without its beginning', () => {
    const longest = 60 * 60_000;
    expect(pauseAfter(50, interpretedRetryAfter(longest * 24))).toBe(longest);
    expect(waitLeft({ failures: 1, nextAttemptAt: failedAt + longest }, failedAt)).toBe(longest);
    for (const left of [longest + 1, 365 * 24 * longest, Number.POSITIVE_INFINITY]) {
      expect(waitLeft({ failures: 1, nextAttemptAt: failedAt + left }, failedAt)).toBe(0);
      expect(waitLeft({ ...state, nextAttemptAt: failedAt + left }, failedAt)).toBe(0);
    }
  });
});

/** What is left of `Retry-After` when the client has read it. */
function interpretedRetryAfter(ms: number): number | undefined {
  const headers = { 'retry-after': String(ms / 1000) };
  const result = interpret({ kind: 'response', status: 429, headers, body: '{}' });
  return result.ok ? undefined : result.failure.retryAfterMs;
}
