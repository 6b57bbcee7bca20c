/** What the server says unasked: without this stream a client would not learn of tools that changed until its next call. */
import { readAnswer, type Sink } from './answer-reader.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { ConnectionSource } from './connection-source.ts';
import { sentence } from './failure.ts';
import type { Log } from './log.ts';
import type { Session, SessionRequests } from './session-requests.ts';
import { pause, type Timing } from './timing.ts';

export interface ListenOptions {
  readonly requests: SessionRequests;
  readonly connections: ConnectionSource;
  readonly sink: Sink;
  readonly budget: ByteBudget;
  readonly timing: Timing;
  readonly log: Log;
}

/**
 * The stream for what the server says unasked. Only sessions have one: a server without sessions could not tell whom
 * to send anything to. Ends with the session, or when the server offers no such stream.
 */
export async function listenToServer(session: Session, options: ListenOptions): Promise<void> {
  if (session.id === undefined) return;
  const { connections, timing, log } = options;
  let lastEventId: string | undefined;
  let failures = 0;
  while (!session.ended.signal.aborted) {
    let wait = timing.reconnectMs;
    try {
      const answer = await options.requests.get(connections.current(), session, lastEventId, session.ended.signal);
      if (answer === undefined) return;
      failures = 0;
      const outcome = await readAnswer(answer, {
        sink: options.sink,
        holder: options.budget.open(),
        idleMs: 0,
        onUnusable: (what) => log('error', `the server sent data that is no message (${what}); left out`),
      });
      lastEventId = outcome.lastEventId ?? lastEventId;
      wait = outcome.retryMs ?? wait;
    } catch (error) {
      if (session.ended.signal.aborted) return;
      failures++;
      if (failures === 1) log('info', `the stream for the server's own messages broke: ${sentence(error)}`);
    }
    await pause(Math.min(wait * 2 ** failures, 60_000), session.ended.signal);
  }
}
