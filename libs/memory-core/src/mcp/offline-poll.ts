/**
 * Tries again while the server was down when the client started. A client asks for the tools once: without this it would have
 * none for the day, however soon the server is back.
 */
import { DeliveryFailure, sentence } from './failure.ts';
import type { Log } from './log.ts';
import { pause, type Timing } from './timing.ts';

export interface OfflinePollOptions {
  readonly timing: Timing;
  readonly log: Log;
  readonly isOffline: () => boolean;
  /** Opens a session; rejects when that fails. */
  readonly attempt: () => Promise<void>;
  /** Why the last attempt failed. */
  readonly lastError: () => unknown;
  /** Changes when the settings do. */
  readonly mark: () => string;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

export class OfflinePoll {
  private polling = false;

  constructor(private readonly options: OfflinePollOptions) {}

  /** Goes on until the server is back or the proxy ends; sooner when the settings change. Does nothing while it runs. */
  async run(): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    const { isOffline, signal } = this.options;
    for (let attempt = 0; isOffline() && !signal.aborted; attempt++) {
      await this.wait(this.interval(attempt));
      if (!isOffline() || signal.aborted) break;
      try {
        await this.options.attempt();
      } catch (error) {
        this.options.log('info', `still not available: ${sentence(error)}`);
      }
    }
    this.polling = false;
  }

  /** A server that refuses the key is not asked again and again with the same one. */
  private interval(attempt: number): number {
    const { pollMs, refusedKeyPollMs } = this.options.timing;
    const failure = this.options.lastError();
    if (failure instanceof DeliveryFailure && failure.code === 'mcp/credentials-refused') return refusedKeyPollMs;
    return pollMs[Math.min(attempt, pollMs.length - 1)] ?? refusedKeyPollMs;
  }

  /** Waits, but not on when the settings change: a corrected URL or key is tried within a second. */
  private async wait(ms: number): Promise<void> {
    const { mark, signal } = this.options;
    const before = mark();
    const until = Date.now() + ms;
    while (Date.now() < until && !signal.aborted && mark() === before) {
      await pause(Math.min(1_000, until - Date.now()), signal);
    }
  }
}
