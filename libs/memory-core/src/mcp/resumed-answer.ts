/**
 * Reads an answer until it has brought what is waited for, over as many streams as the server makes of it. A stream that breaks
 * in the middle of a long call is taken up where it stopped: the call itself must not be made twice.
 */
import { mediaType, readAnswer, type ReadOutcome, type Sink } from './answer-reader.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { Target } from './connection-source.ts';
import { DeliveryFailure } from './failure.ts';
import type { Log } from './log.ts';
import type { Session, SessionRequests } from './session-requests.ts';
import { pause, type Timing } from './timing.ts';
import { discard, NoAnswer, type IncomingAnswer } from './transport.ts';

/** What a request waits for, and for how long. */
export interface Awaited {
  readonly signal: AbortSignal;
  readonly sink: Sink;
  /** Id of the answer that is waited for, as `idKey`; undefined for notifications and answers to the server. */
  readonly awaits: string | undefined;
}

export interface AnswerOptions {
  readonly requests: SessionRequests;
  readonly budget: ByteBudget;
  readonly timing: Timing;
  readonly log: Log;
}

/** How often a broken event stream is taken up again without anything new arriving. */
const RESUME_ATTEMPTS = 3;

export class ResumedAnswers {
  constructor(private readonly options: AnswerOptions) {}

  /** Reads a successful answer to its end, or until it has brought what is waited for. */
  async read(answer: IncomingAnswer, delivery: Awaited, target: Target, session: Session | undefined): Promise<void> {
    if (delivery.awaits === undefined && mediaType(answer) !== 'text/event-stream') {
      discard(answer.body);
      return;
    }
    let outcome = await this.readBody(answer, delivery);
    for (let attempt = 0; attempt < RESUME_ATTEMPTS;) {
      if (outcome.satisfied || delivery.awaits === undefined) return;
      if (outcome.lastEventId === undefined || session?.id === undefined) break;
      // The server may close a stream on purpose and expect to be asked again (2025-11-25, "Resumability").
      await pause(outcome.retryMs ?? this.options.timing.reconnectMs, delivery.signal);
      delivery.signal.throwIfAborted();
      const resumed = await this.resume(outcome.lastEventId, target, session, delivery);
      if (resumed === undefined) break;
      attempt = resumed.lastEventId === undefined ? attempt + 1 : 0;
      outcome = { ...outcome, ...resumed };
    }
    if (outcome.satisfied || delivery.awaits === undefined) return;
    delivery.signal.throwIfAborted();
    throw new DeliveryFailure({
      code: 'mcp/interrupted',
      message:
        outcome.broken === undefined
          ? 'The OpenViking server ended its answer without the result that was asked for.'
          : `The OpenViking server broke its answer off${outcome.broken instanceof Error ? ` (${outcome.broken.message})` : ''}.`,
      next: 'The call may or may not have been carried out: look before repeating it.',
      cause: outcome.broken,
    });
  }

  private async readBody(answer: IncomingAnswer, delivery: Awaited): Promise<ReadOutcome> {
    return readAnswer(answer, {
      sink: delivery.sink,
      holder: this.options.budget.open(),
      idleMs: this.options.timing.idleMs,
      onUnusable: (what) => this.options.log('error', `the server sent data that is no message (${what}); left out`),
    });
  }

  /** Undefined when the server does not know how to go on with the stream. */
  private async resume(
    lastEventId: string,
    target: Target,
    session: Session,
    delivery: Awaited,
  ): Promise<ReadOutcome | undefined> {
    try {
      const answer = await this.options.requests.get(target, session, lastEventId, delivery.signal);
      if (answer === undefined) return undefined;
      return await this.readBody(answer, delivery);
    } catch (error) {
      if (error instanceof NoAnswer) return { satisfied: false, broken: error };
      throw error;
    }
  }
}
