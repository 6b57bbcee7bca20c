/**
 * The HTTP requests of an MCP session: whose key and which session they name, and how long the server may say nothing. Sent in
 * one place, so that no request leaves without the identity that the others have.
 */
import { identityHeaders } from '../http/identity-headers.ts';
import { mediaType } from './answer-reader.ts';
import type { Target } from './connection-source.ts';
import { DeliveryFailure } from './failure.ts';
import type { Message } from './message.ts';
import type { Timing } from './timing.ts';
import { discard, type IncomingAnswer, type Transport } from './transport.ts';

/** What the server agreed to. Servers without sessions give no id. */
export interface Session {
  readonly id: string | undefined;
  readonly protocolVersion: string | undefined;
  readonly mcpUrl: string;
  readonly ended: AbortController;
}

export interface RequestOptions {
  readonly transport: Transport;
  readonly timing: Timing;
  readonly userAgent: string;
}

export class SessionRequests {
  constructor(private readonly options: RequestOptions) {}

  /** Sends one message. Throws a DeliveryFailure when the server stays silent. */
  async post(
    message: Message,
    target: Target,
    session: Session | undefined,
    signal: AbortSignal,
  ): Promise<IncomingAnswer> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), this.options.timing.idleMs);
    // The signal of an answered request still ends its body, so the two are joined for as long as either lives.
    const joined = AbortSignal.any([signal, silence.signal]);
    try {
      return await this.options.transport.send({
        method: 'POST',
        connection: target.connection,
        headers: {
          ...this.headers(target, session),
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: message.chunks,
        signal: joined,
      });
    } catch (error) {
      if (silence.signal.aborted) throw silentServer(target);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Opens an event stream, from the event behind `lastEventId`; undefined when the server offers none. */
  async get(
    target: Target,
    session: Session,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): Promise<IncomingAnswer | undefined> {
    const answer = await this.options.transport.send({
      method: 'GET',
      connection: target.connection,
      headers: {
        ...this.headers(target, session),
        Accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
      },
      signal,
    });
    if (answer.status === 200 && mediaType(answer) === 'text/event-stream') return answer;
    discard(answer.body);
    return undefined;
  }

  /** Tells the server that the session ends; a moment is all that is waited for it. */
  async end(target: Target, session: Session): Promise<void> {
    const answer = await this.options.transport.send({
      method: 'DELETE',
      connection: target.connection,
      headers: this.headers(target, session),
      signal: AbortSignal.timeout(this.options.timing.farewellMs),
    });
    discard(answer.body);
  }

  private headers({ connection, peer }: Target, session: Session | undefined): Record<string, string> {
    return {
      ...identityHeaders(connection, {
        userAgent: this.options.userAgent,
        ...(peer === undefined ? {} : { peer }),
      }),
      'Accept-Encoding': 'identity',
      ...(session?.protocolVersion === undefined ? {} : { 'MCP-Protocol-Version': session.protocolVersion }),
      ...(session?.id === undefined ? {} : { 'Mcp-Session-Id': session.id }),
    };
  }
}

/** The server took a request and said nothing. */
export function silentServer({ connection: { source } }: Target): DeliveryFailure {
  return new DeliveryFailure({
    code: 'mcp/silent',
    message: 'The OpenViking server accepted the connection and did not answer in time.',
    next: `Check the server's load and log, and that the URL (from ${source.url}) leads to it.`,
  });
}
