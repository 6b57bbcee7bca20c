/** Premises that a loaded machine breaks: two things that happen within so many milliseconds. */
import { messageText } from './stub/store.ts';
import type { StoredMessage } from './stub/store.ts';

/**
 * Plays what says something only where the machine was quick: two hooks that are told of one event take it for one where they
 * come soon enough after each other. Where it `tookMs` as long as `limitMs` or longer nothing was tried, so it is played again,
 * a few times. What was found where it was quick enough is never played again, however wrong it is.
 */
export async function inTime<T>(
  limitMs: number,
  play: () => Promise<{ readonly tookMs: number; readonly found: T }>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const { tookMs, found } = await play();
    if (tookMs < limitMs || tries === 20) return found;
  }
}

/**
 * Within this time, in ms, two hooks take the same words for one event where no turn is numbered and the first of them has not
 * noted them yet.
 */
export const AT_ONCE_MS = 100;

/** How long after each other neighbours that say the same were noted, in ms; 0 where nothing is there twice. */
export function doubledAfterMs(messages: readonly StoredMessage[]): number {
  const apart = messages.slice(1).map((message, index) => {
    const before = messages[index];
    if (before?.role !== message.role || messageText(before) !== messageText(message)) return 0;
    return Date.parse(message.created_at ?? '') - Date.parse(before.created_at ?? '');
  });
  return Math.max(0, ...apart);
}
