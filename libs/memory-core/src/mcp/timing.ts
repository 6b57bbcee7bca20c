/** Every duration of the proxy in one place, in ms, so that tests can shorten them and nobody has to look for one. */
export interface Timing {
  /** Reaching the server. */
  readonly connectMs: number;
  /** The whole handshake: after it the client is answered without the server, before its own patience ends. */
  readonly handshakeMs: number;
  /** Longest silence of the server inside a request. Clients end a call long before; this frees what they forget. */
  readonly idleMs: number;
  /** Notifications hold back the requests behind them for at most this long. */
  readonly notificationMs: number;
  /** Pauses before trying again when a connection is refused: a server that restarts is back within them. */
  readonly refusedRetryMs: readonly number[];
  /** Pauses between attempts while the server was down at start; the last one repeats. */
  readonly pollMs: readonly number[];
  /** The same after the server refused the key; a changed settings file is noticed at once all the same. */
  readonly refusedKeyPollMs: number;
  /** A failed attempt younger than this is not repeated for a mere `tools/list`. */
  readonly failureFreshMs: number;
  /** How long answers are still waited for after stdin has closed. */
  readonly drainMs: number;
  /** Telling the server that the session ends. */
  readonly farewellMs: number;
  /** Reconnecting a stream whose server named no time. */
  readonly reconnectMs: number;
}

export const DEFAULT_TIMING: Timing = {
  connectMs: 5_000,
  handshakeMs: 5_000,
  idleMs: 300_000,
  notificationMs: 10_000,
  refusedRetryMs: [100, 300, 800],
  pollMs: [1_000, 2_000, 5_000, 10_000, 20_000, 30_000],
  refusedKeyPollMs: 300_000,
  failureFreshMs: 2_000,
  // The official client sends SIGTERM two seconds after it has closed stdin.
  drainMs: 1_200,
  farewellMs: 300,
  reconnectMs: 1_000,
};

/** Resolves after `ms`, or at once when the signal fires; keeps no process alive. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    signal.addEventListener('abort', end, { once: true });
  });
}
