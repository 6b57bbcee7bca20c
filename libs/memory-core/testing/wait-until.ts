/**
 * Waiting for what another process does. A fixed sleep is either too short on a loaded machine or wasted on an idle one.
 */

/** Polls `probe` until it yields something other than undefined or false; after `waitMs` throws, naming `what`. */
export async function waitUntil<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  waitMs = 120_000,
): Promise<T> {
  const until = performance.now() + waitMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > until) throw new Error(`Waited ${waitMs} ms in vain for: ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
