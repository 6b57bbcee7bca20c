/**
 * The server's side of the proxy: one MCP session over streamable HTTP that heals itself. A lost session is opened again
 * once for all requests that notice it, a corrected key is picked up, a broken stream is taken up where it stopped; what
 * cannot be healed becomes one error that says what to check.
 * Outside facts: modelcontextprotocol.io/specification/2025-11-25/basic/transports ("Streamable HTTP").
 */
import type { Connection } from '../contract/settings.ts';
import { isObject } from '../fs/json-object.ts';
import { abortable } from './abortable.ts';
import type { Sink } from './answer-reader.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { ConnectionSource } from './connection-source.ts';
import { DeliveryFailure } from './failure.ts';
import { LocalServerStart } from './local-server-start.ts';
import type { Log } from './log.ts';
import { compose, idKey, kindOf, parseMessage, type Message } from './message.ts';
import { readRefusal } from './refusal.ts';
import { ResumedAnswers, type Awaited } from './resumed-answer.ts';
import { listenToServer } from './server-stream.ts';
import { silentServer, SessionRequests, type Session } from './session-requests.ts';
import { pause, type Timing } from './timing.ts';
import { NoAnswer, type IncomingAnswer, type Transport } from './transport.ts';

export interface UpstreamOptions {
  readonly connections: ConnectionSource;
  readonly transport: Transport;
  readonly budget: ByteBudget;
  readonly timing: Timing;
  readonly userAgent: string;
  readonly log: Log;
  readonly startLocalServer: (() => Promise<boolean>) | undefined;
  /** A message of the server that belongs to no request. */
  readonly toClient: (message: Message) => Promise<void>;
  /** A session was opened without the client having asked for it just now. */
  readonly onReopened: () => void;
}

interface Delivery extends Awaited {
  readonly message: Message;
  /** May be sent again after a failure that leaves open whether the server has acted on it. */
  readonly repeatable: boolean;
  /** The session to name; `none` for the message that opens one. */
  readonly session: 'none' | 'current' | Session;
}

export class Upstream {
  private readonly end = new AbortController();
  private readonly patience = new AbortController();
  /** The client's own `initialize`, from which a session is opened again. */
  private opening: Record<string, unknown> | undefined;
  private clientReady = false;
  private session: Session | undefined;
  private reopening: Promise<Session> | undefined;
  private reopenings = 0;
  /** When the last attempt to open a session failed (`Date.now()`), and why. */
  lastFailure: { readonly at: number; readonly error: unknown } | undefined;

  private readonly requests: SessionRequests;
  private readonly answers: ResumedAnswers;
  private readonly localServer: LocalServerStart;

  constructor(private readonly options: UpstreamOptions) {
    this.requests = new SessionRequests(options);
    this.answers = new ResumedAnswers({ ...options, requests: this.requests });
    this.localServer = new LocalServerStart(options.startLocalServer, options.log);
  }

  /** Sends the client's `initialize` and resolves to the server's answer. Rejects when there is none. */
  async initialize(message: Message): Promise<Message> {
    this.session?.ended.abort();
    this.session = undefined;
    this.clientReady = false;
    const parsed = parseMessage(message)?.['params'];
    this.opening = isObject(parsed) ? parsed : {};
    try {
      const { answer, session } = await this.open(message);
      if (session !== undefined) this.session = session;
      this.lastFailure = undefined;
      return answer;
    } catch (error) {
      this.lastFailure = { at: Date.now(), error };
      throw error;
    }
  }

  /** The client has finished its handshake; told to the server when there is a session to tell it in. */
  async clientIsReady(message: Message): Promise<void> {
    this.clientReady = true;
    const session = this.session;
    if (session === undefined) return;
    await this.notify(message);
    if (this.session === session) this.listen(session);
  }

  /** Opens a session unless there is one. Rejects with the reason when that fails. */
  async ready(): Promise<void> {
    await this.currentSession(this.options.connections.current().connection);
  }

  /** A request: resolves once `sink` has said that it took the answer. Rejects with what to tell the client. */
  async call(message: Message, signal: AbortSignal, sink: Sink): Promise<void> {
    const { id = 'null', method } = message.envelope;
    await this.deliver({
      message,
      signal,
      sink,
      awaits: idKey(id),
      repeatable: method !== 'tools/call',
      session: 'current',
    });
  }

  /** A notification, or an answer to a request of the server. Rejects when it cannot be delivered. */
  async notify(message: Message): Promise<void> {
    await this.deliver({
      message,
      signal: AbortSignal.any([this.end.signal, AbortSignal.timeout(this.options.timing.notificationMs)]),
      sink: this.bystander,
      awaits: undefined,
      repeatable: kindOf(message.envelope) === 'notification',
      session: 'current',
    });
  }

  /** The client says nothing more and waits for what it has asked: a server that refuses is not given time to come back. */
  hurry(): void {
    this.patience.abort();
  }

  /** Ends the session; the server is told, but not waited for longer than a moment. */
  async close(): Promise<void> {
    const session = this.session;
    this.session = undefined;
    session?.ended.abort();
    this.end.abort();
    if (session?.id === undefined) return;
    try {
      await this.requests.end(this.options.connections.current(), session);
    } catch {
      // A server that is gone or knows no DELETE ends the session by itself.
    }
  }

  /** Messages of the server that come along with something else. */
  private readonly bystander: Sink = async (message) => {
    if (kindOf(message.envelope) !== 'response') await this.options.toClient(message);
    return false;
  };

  private async deliver(
    delivery: Delivery,
  ): Promise<{ readonly answer: IncomingAnswer; readonly connection: Connection }> {
    const { connections, timing } = this.options;
    const { message, signal } = delivery;
    let reopened = false;
    let reloaded = false;
    let repeated = false;
    let startedLocally = false;
    const refusedPauses = [...timing.refusedRetryMs];
    for (;;) {
      signal.throwIfAborted();
      const target = connections.current();
      const { connection } = target;
      const session =
        delivery.session === 'none'
          ? undefined
          : delivery.session === 'current'
            ? await abortable(this.currentSession(connection), signal)
            : delivery.session;
      let answer: IncomingAnswer;
      try {
        answer = await this.requests.post(message, target, session, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof NoAnswer)) throw error;
        if (error.system === 'ECONNREFUSED') {
          if (!startedLocally && (await this.localServer.attempt(connection, signal))) {
            startedLocally = true;
            continue;
          }
          const patience = AbortSignal.any([signal, this.patience.signal]);
          const wait = patience.aborted ? undefined : refusedPauses.shift();
          if (wait !== undefined) {
            await pause(wait, patience);
            if (!signal.aborted) continue;
          }
        }
        if (!signal.aborted && !repeated && (error.unsent ? error.system === 'EAI_AGAIN' : delivery.repeatable)) {
          repeated = true;
          continue;
        }
        throw error;
      }
      if (answer.status >= 200 && answer.status < 300) {
        await this.answers.read(answer, delivery, target, session);
        return { answer, connection };
      }
      const refusal = await readRefusal(answer, connection, session?.id !== undefined, timing.handshakeMs);
      if ((refusal.status === 401 || refusal.status === 403) && !reloaded) {
        reloaded = true;
        if (connections.reload(target)) continue;
      }
      if (refusal.sessionLost && delivery.session === 'current' && !reopened) {
        reopened = true;
        this.lose(session);
        continue;
      }
      throw refusal.failure;
    }
  }

  private listen(session: Session): void {
    void listenToServer(session, { ...this.options, requests: this.requests, sink: this.bystander });
  }

  private lose(session: Session | undefined): void {
    session?.ended.abort();
    if (this.session === session) this.session = undefined;
  }

  private async currentSession(connection: Connection): Promise<Session> {
    if (this.session !== undefined && this.session.mcpUrl !== connection.mcpUrl) this.lose(this.session);
    if (this.session !== undefined) return this.session;
    this.reopening ??= this.reopen().finally(() => {
      this.reopening = undefined;
    });
    return this.reopening;
  }

  /** Opens a session in the client's name, with what the client said when it opened the first. */
  private async reopen(): Promise<Session> {
    this.reopenings++;
    const request = compose({
      id: `openviking-proxy-${this.reopenings}`,
      method: 'initialize',
      params: this.opening ?? {},
    });
    try {
      const { answer, session } = await this.open(request);
      if (session === undefined) {
        const error = parseMessage(answer)?.['error'] as { message?: unknown } | undefined;
        throw new DeliveryFailure({
          code: 'mcp/session-refused',
          message: `The OpenViking server refuses a new session: ${String(error?.message ?? 'no reason given')}`,
          next: 'Restart the client, and check that client and server versions match.',
        });
      }
      if (this.clientReady) {
        await this.confirm(session);
        this.listen(session);
      }
      this.session = session;
      this.lastFailure = undefined;
      this.options.log('info', 'a new session with the OpenViking server is open');
      this.options.onReopened();
      return session;
    } catch (error) {
      this.lastFailure = { at: Date.now(), error };
      throw error;
    }
  }

  /** The second half of a handshake that is made in the client's name. */
  private async confirm(session: Session): Promise<void> {
    const signal = this.handshakeSignal();
    const message = compose({ method: 'notifications/initialized' });
    try {
      await this.deliver({ message, signal, sink: this.bystander, awaits: undefined, repeatable: true, session });
    } catch (error) {
      throw signal.aborted ? silentServer(this.options.connections.current()) : error;
    }
  }

  /** One handshake; `session` is undefined when the server answered with an error of its own. */
  private async open(request: Message): Promise<{ readonly answer: Message; readonly session: Session | undefined }> {
    const awaits = idKey(request.envelope.id ?? 'null');
    const signal = this.handshakeSignal();
    let found: Message | undefined;
    const sink: Sink = async (message) => {
      if (kindOf(message.envelope) !== 'response') return this.bystander(message);
      if (idKey(message.envelope.id ?? 'null') === awaits || message.envelope.hasError) found = message;
      return found !== undefined;
    };
    let delivered: { readonly answer: IncomingAnswer; readonly connection: Connection };
    try {
      delivered = await this.deliver({ message: request, signal, sink, awaits, repeatable: true, session: 'none' });
    } catch (error) {
      // When the time ran out while a refused connection was tried again, the refusal is what there is to tell.
      if (signal.aborted && !(error instanceof DeliveryFailure)) throw silentServer(this.options.connections.current());
      throw error;
    }
    if (found === undefined) throw silentServer(this.options.connections.current());
    const result = parseMessage(found)?.['result'] as { protocolVersion?: unknown } | undefined;
    if (result === undefined) return { answer: found, session: undefined };
    const id = delivered.answer.headers['mcp-session-id'];
    return {
      answer: found,
      session: {
        id: typeof id === 'string' && id !== '' ? id : undefined,
        protocolVersion: headerValue(result.protocolVersion),
        mcpUrl: delivered.connection.mcpUrl,
        ended: new AbortController(),
      },
    };
  }

  private handshakeSignal(): AbortSignal {
    return AbortSignal.any([this.end.signal, AbortSignal.timeout(this.options.timing.handshakeMs)]);
  }
}

function headerValue(version: unknown): string | undefined {
  return typeof version === 'string' && /^[\x21-\x7e]{1,64}$/.test(version) ? version : undefined;
}
