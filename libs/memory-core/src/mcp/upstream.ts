/**
 * The server's side of the proxy: one MCP session over streamable HTTP that heals itself. A lost session is opened again
 * once for all requests that notice it, a corrected key is picked up, a broken stream is taken up where it stopped; what
 * cannot be healed becomes one error that says what to check.
 * Outside facts: modelcontextprotocol.io/specification/2025-11-25/basic/transports ("Streamable HTTP").
 */
import type { Connection } from '../contract/settings.ts';
import { isObject } from '../fs/json-object.ts';
import { identityHeaders } from '../http/identity-headers.ts';
import { isLoopbackHost } from '../http/proxy-environment.ts';
import { mediaType, readAnswer, type ReadOutcome, type Sink } from './answer-reader.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { ConnectionSource, Target } from './connection-source.ts';
import { DeliveryFailure, sentence } from './failure.ts';
import { compose, idKey, kindOf, parseMessage, type Message } from './message.ts';
import { readRefusal } from './refusal.ts';
import { pause, type Timing } from './timing.ts';
import { discard, NoAnswer, type IncomingAnswer, type Transport } from './transport.ts';

export type Log = (level: 'error' | 'info', text: string) => void;

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

/** What the server agreed to. Servers without sessions give no id. */
interface Session {
  readonly id: string | undefined;
  readonly protocolVersion: string | undefined;
  readonly mcpUrl: string;
  readonly ended: AbortController;
}

interface Delivery {
  readonly message: Message;
  readonly signal: AbortSignal;
  readonly sink: Sink;
  /** Id of the answer that is waited for, as `idKey`; undefined for notifications and answers to the server. */
  readonly awaits: string | undefined;
  /** May be sent again after a failure that leaves open whether the server has acted on it. */
  readonly repeatable: boolean;
  /** The session to name; `none` for the message that opens one. */
  readonly session: 'none' | 'current' | Session;
}

/** How often a broken event stream is taken up again without anything new arriving. */
const RESUME_ATTEMPTS = 3;

export class Upstream {
  private readonly end = new AbortController();
  /** The client's own `initialize`, from which a session is opened again. */
  private opening: Record<string, unknown> | undefined;
  private clientReady = false;
  private session: Session | undefined;
  private reopening: Promise<Session> | undefined;
  private reopenings = 0;
  private startingLocalServer: Promise<boolean> | undefined;
  /** When the last attempt to open a session failed (`Date.now()`), and why. */
  lastFailure: { readonly at: number; readonly error: unknown } | undefined;

  constructor(private readonly options: UpstreamOptions) {}

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
    if (this.session === session) void this.listen(session);
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

  /** Ends the session; the server is told, but not waited for longer than a moment. */
  async close(): Promise<void> {
    const session = this.session;
    this.session = undefined;
    session?.ended.abort();
    this.end.abort();
    if (session?.id === undefined) return;
    try {
      const target = this.options.connections.current();
      const answer = await this.options.transport.send({
        method: 'DELETE',
        connection: target.connection,
        headers: this.headers(target, session),
        signal: AbortSignal.timeout(this.options.timing.farewellMs),
      });
      discard(answer.body);
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
        answer = await this.post(message, target, session, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof NoAnswer)) throw error;
        if (error.system === 'ECONNREFUSED') {
          if (!startedLocally && (await this.startLocalServer(connection, signal))) {
            startedLocally = true;
            continue;
          }
          const wait = signal.aborted ? undefined : refusedPauses.shift();
          if (wait !== undefined) {
            await pause(wait, signal);
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
        await this.read(answer, delivery, target, session);
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

  private async post(
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
      if (silence.signal.aborted) throw this.silent();
      throw error;
    } finally {
      clearTimeout(timer);
    }
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

  /** Reads a successful answer to its end, or until it has brought what is waited for. */
  private async read(
    answer: IncomingAnswer,
    delivery: Delivery,
    target: Target,
    session: Session | undefined,
  ): Promise<void> {
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

  private async readBody(answer: IncomingAnswer, delivery: Delivery): Promise<ReadOutcome> {
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
    delivery: Delivery,
  ): Promise<ReadOutcome | undefined> {
    try {
      const answer = await this.get(target, session, lastEventId, delivery.signal);
      if (answer === undefined) return undefined;
      return await this.readBody(answer, delivery);
    } catch (error) {
      if (error instanceof NoAnswer) return { satisfied: false, broken: error };
      throw error;
    }
  }

  private async get(
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

  /**
   * The stream for what the server says unasked. Only sessions have one: a server without sessions could not tell whom
   * to send anything to. Ends with the session, or when the server offers no such stream.
   */
  private async listen(session: Session): Promise<void> {
    if (session.id === undefined) return;
    const { connections, timing, log } = this.options;
    let lastEventId: string | undefined;
    let failures = 0;
    while (!session.ended.signal.aborted) {
      let wait = timing.reconnectMs;
      try {
        const answer = await this.get(connections.current(), session, lastEventId, session.ended.signal);
        if (answer === undefined) return;
        failures = 0;
        const outcome = await readAnswer(answer, {
          sink: this.bystander,
          holder: this.options.budget.open(),
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
        void this.listen(session);
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
      throw signal.aborted ? this.silent() : error;
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
      if (signal.aborted && !(error instanceof DeliveryFailure)) throw this.silent();
      throw error;
    }
    if (found === undefined) throw this.silent();
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

  private silent(): DeliveryFailure {
    const { source } = this.options.connections.current().connection;
    return new DeliveryFailure({
      code: 'mcp/silent',
      message: 'The OpenViking server accepted the connection and did not answer in time.',
      next: `Check the server's load and log, and that the URL (from ${source.url}) leads to it.`,
    });
  }

  /** False when it cannot be started, or not before the caller gives up. */
  private async startLocalServer(connection: Connection, signal: AbortSignal): Promise<boolean> {
    const { startLocalServer, log } = this.options;
    if (startLocalServer === undefined || !isLoopbackHost(new URL(connection.mcpUrl).hostname)) return false;
    this.startingLocalServer ??= startLocalServer()
      .catch((error: unknown) => {
        log('error', `the local server did not start: ${sentence(error)}`);
        return false;
      })
      .finally(() => {
        this.startingLocalServer = undefined;
      });
    return abortable(this.startingLocalServer, signal).catch(() => false);
  }
}

/** Waits for something shared without keeping a caller that has given up. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function headerValue(version: unknown): string | undefined {
  return typeof version === 'string' && /^[\x21-\x7e]{1,64}$/.test(version) ? version : undefined;
}
