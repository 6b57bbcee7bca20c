/**
 * The embedded server is started when it refuses a connection: once for all requests that find it down, and never for a server
 * on another machine.
 */
import type { Connection } from '../contract/settings.ts';
import { isLoopbackHost } from '../http/proxy-environment.ts';
import { abortable } from './abortable.ts';
import { sentence } from './failure.ts';
import type { Log } from './log.ts';

export class LocalServerStart {
  private starting: Promise<boolean> | undefined;

  /** `start`: undefined where there is no embedded server. */
  constructor(
    private readonly start: (() => Promise<boolean>) | undefined,
    private readonly log: Log,
  ) {}

  /** False when it cannot be started, or not before the caller gives up. */
  async attempt(connection: Connection, signal: AbortSignal): Promise<boolean> {
    if (this.start === undefined || !isLoopbackHost(new URL(connection.mcpUrl).hostname)) return false;
    this.starting ??= this.start()
      .catch((error: unknown) => {
        this.log('error', `the local server did not start: ${sentence(error)}`);
        return false;
      })
      .finally(() => {
        this.starting = undefined;
      });
    return abortable(this.starting, signal).catch(() => false);
  }
}
