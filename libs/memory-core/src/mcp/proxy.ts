/**
 * The MCP server that a client starts: JSON-RPC lines on one side, the OpenViking server over HTTP on the other. It keeps
 * the client from ever seeing what goes wrong in between as anything but a JSON-RPC error: no restart of the server, no
 * corrected key and no garbage makes the client lose its tools for the day.
 */
import type { Readable, Writable } from 'node:stream';
import type { Connection } from '../contract/settings.ts';
import type { ProxyEnvironment } from '../http/proxy-environment.ts';
import { Batch } from './batch.ts';
import { ByteBudget } from './byte-budget.ts';
import { CallQueue } from './call-queue.ts';
import { ConnectionSource } from './connection-source.ts';
import {
  DeliveryFailure,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  sentence,
  toJsonRpcError,
  type JsonRpcError,
} from './failure.ts';
import { Intake } from './intake.ts';
import { BATCH_LIMIT } from './json-scanner.ts';
import { readLines, type ClientLine } from './line-reader.ts';
import { LineWriter } from './line-writer.ts';
import type { Log } from './log.ts';
import { compose, composeAnswer, idKey, kindOf, MESSAGE_LIMIT, parseMessage, type Message } from './message.ts';
import { offlineAnswer, offlineInitializeResult } from './offline-answers.ts';
import { OfflinePoll } from './offline-poll.ts';
import { MemoryRelease } from './release-memory.ts';
import { DEFAULT_TIMING, pause, type Timing } from './timing.ts';
import { Transport, type ProxyDispatch } from './transport.ts';
import { Upstream } from './upstream.ts';

export interface McpProxyOptions {
  /** The client's messages, one per line; their end ends the proxy. */
  readonly input: Readable;
  /** Gets protocol messages and nothing else. */
  readonly output: Writable;
  /** Resolves the settings anew. May throw an OpenVikingError, which the client is told. */
  readonly connection: () => Connection;
  /** Changes when the files or variables behind `connection` change; asked at every message, so it must be cheap. */
  readonly credentialFingerprint: () => string;
  /** `openviking-memory-<harness>/<semver>`. */
  readonly userAgent: string;
  readonly log: Log;
  /** The explicitly set peer (`explicitPeer`). May throw an OpenVikingError: then the proxy refuses to open a session. */
  readonly peer?: () => string | undefined;
  /** Starts the local server; true when it listens. Called when a loopback server refuses the connection. */
  readonly startLocalServer?: () => Promise<boolean>;
  /** Something the user should hear once: added to the instructions that the model gets. */
  readonly notice?: () => string | undefined;
  /** Where the proxy variables are read. Default: none, every request is direct. */
  readonly env?: ProxyEnvironment;
  /** Loads the bundle with undici; needed when `env` names a proxy. */
  readonly loadProxyDispatch?: () => ProxyDispatch | Promise<ProxyDispatch>;
  readonly timing?: Partial<Timing>;
}

export interface McpProxy {
  /** Resolves when nothing is left: input ended or `close` was called, answers flushed, connections closed. */
  readonly done: Promise<void>;
  /** Ends at once: what is in flight is given up. */
  close(reason: string): void;
}

/** Requests in flight; more wait. */
const MAX_IN_FLIGHT = 16;
/** Messages accepted from the client and not finished; beyond it the client has to wait. */
const MAX_ACCEPTED = 1024;
/** Bytes of half-received answers before only one of them goes on. */
const ANSWER_BUDGET = 8 * 1024 * 1024;

/** Starts to serve `input`. Never throws and never rejects. */
export function createMcpProxy(options: McpProxyOptions): McpProxy {
  const proxy = new LineProxy(options);
  return { done: proxy.serve(), close: (reason) => proxy.close(reason) };
}

interface Call {
  readonly key: string;
  readonly message: Message;
  readonly abort: AbortController;
  /** What has to be over before this request may be sent. */
  readonly gate: Promise<void>;
  readonly batch: Batch | undefined;
  state: 'open' | 'answered' | 'cancelled';
}

/** `new`: no handshake yet. `open`: the client has the server's answer. `offline`: it has ours in its place. */
type Phase = 'new' | 'open' | 'offline';

class LineProxy {
  private readonly timing: Timing;
  private readonly memory = new MemoryRelease();
  private readonly writer: LineWriter;
  private readonly upstream: Upstream;
  private readonly offlinePoll: OfflinePoll;
  private readonly transport: Transport;
  private readonly connections: ConnectionSource;
  private readonly calls = new CallQueue<Call>(MAX_IN_FLIGHT, (call) => this.run(call));
  private readonly intake = new Intake(MAX_ACCEPTED, MESSAGE_LIMIT);
  private readonly ending = new AbortController();
  private phase: Phase = 'new';
  /** The handshake and the notifications so far: later requests follow them. */
  private gate: Promise<void> = Promise.resolve();
  private clientReady = false;
  private owesListChanged = false;

  constructor(private readonly options: McpProxyOptions) {
    this.timing = { ...DEFAULT_TIMING, ...options.timing };
    this.writer = new LineWriter(options.output, this.memory, (error) =>
      this.close(`the client is gone (${error.message})`),
    );
    this.connections = new ConnectionSource(
      () => ({ connection: options.connection(), peer: options.peer?.() }),
      options.credentialFingerprint,
      ({ source }) => options.log('info', `settings changed: URL from ${source.url}, key from ${source.apiKey}`),
    );
    this.transport = new Transport({
      env: options.env ?? {},
      connectTimeoutMs: this.timing.connectMs,
      loadProxyDispatch:
        options.loadProxyDispatch ??
        (() => {
          throw new DeliveryFailure({ code: 'mcp/no-proxy-support', message: 'This build cannot use an HTTP proxy.' });
        }),
    });
    this.upstream = new Upstream({
      connections: this.connections,
      transport: this.transport,
      budget: new ByteBudget(ANSWER_BUDGET),
      timing: this.timing,
      userAgent: options.userAgent,
      log: options.log,
      startLocalServer: options.startLocalServer,
      toClient: (message) => this.writer.write(message),
      onReopened: () => this.serverIsBack(),
    });
    this.offlinePoll = new OfflinePoll({
      timing: this.timing,
      log: options.log,
      isOffline: () => this.phase === 'offline',
      attempt: () => this.upstream.ready(),
      lastError: () => this.upstream.lastFailure?.error,
      mark: () => this.connections.mark(),
      signal: this.ending.signal,
    });
  }

  async serve(): Promise<void> {
    try {
      for await (const line of readLines(this.options.input)) {
        if (this.ending.signal.aborted) break;
        await this.accept(line);
      }
    } catch (error) {
      if (!this.ending.signal.aborted) this.options.log('error', `reading from the client failed: ${sentence(error)}`);
    }
    await this.drain();
    this.close('the client closed its side');
    await this.upstream.close();
    this.transport.close();
  }

  close(reason: string): void {
    if (this.ending.signal.aborted) return;
    this.options.log('info', `ending: ${reason}`);
    this.ending.abort();
    for (const call of this.calls.all()) {
      call.state = 'cancelled';
      call.abort.abort();
    }
    this.intake.wake();
    this.options.input.destroy();
  }

  /** After the end of input: what was asked is still answered, for a moment. */
  private async drain(): Promise<void> {
    this.upstream.hurry();
    const until = Date.now() + this.timing.drainMs;
    while (!this.intake.isEmpty && Date.now() < until && !this.ending.signal.aborted) {
      await Promise.race([this.intake.change(), pause(until - Date.now(), this.ending.signal)]);
    }
  }

  private async accept(line: ClientLine): Promise<void> {
    switch (line.kind) {
      case 'message':
        this.take(line.message, undefined);
        break;
      case 'batch':
        await this.acceptBatch(line.elements);
        break;
      case 'invalid':
        await this.refuse('null', { code: PARSE_ERROR, message: 'Parse error: a line that is no JSON.' });
        break;
      case 'too-long':
        await this.refuse('null', {
          code: INVALID_REQUEST,
          message: `Invalid request: longer than ${MESSAGE_LIMIT / 1024 / 1024} MB.`,
        });
        break;
      case 'scalar':
        await this.refuse('null', {
          code: INVALID_REQUEST,
          message: 'Invalid request: neither an object nor a batch.',
        });
        break;
    }
    while (this.intake.isFull && !this.ending.signal.aborted) await this.intake.change();
  }

  private async acceptBatch(elements: readonly (Message | undefined)[]): Promise<void> {
    if (elements.length === 0 || elements.length > BATCH_LIMIT) {
      const message = `Invalid request: a batch has 1 to ${BATCH_LIMIT} messages.`;
      return this.refuse('null', { code: INVALID_REQUEST, message });
    }
    const kinds = elements.map((element) => (element === undefined ? 'malformed' : kindOf(element.envelope)));
    const answers = kinds.filter((kind) => kind === 'request' || kind === 'malformed').length;
    const batch = new Batch(answers, (message) => this.writer.write(message));
    for (const element of elements) {
      if (element !== undefined && element.envelope.method !== 'initialize') this.take(element, batch);
      else {
        const error = { code: INVALID_REQUEST, message: 'Invalid request inside a batch.' };
        await batch.answer(composeAnswer(element?.envelope.id ?? 'null', { error }));
      }
    }
  }

  /** Routes one message of the client. Whatever takes time goes on in the background. */
  private take(message: Message, batch: Batch | undefined): void {
    const { id, method = '' } = message.envelope;
    switch (kindOf(message.envelope)) {
      case 'request':
        return this.takeRequest(message, id ?? 'null', method, batch);
      case 'notification':
        return method === 'notifications/cancelled' ? this.cancel(message) : this.takeNotification(message, method);
      case 'response':
        return this.background(message, () => this.upstream.notify(message));
      case 'malformed': {
        const error = { code: INVALID_REQUEST, message: 'Invalid request: no method, or an id that is none.' };
        const answer = composeAnswer(id ?? 'null', { error });
        void (batch === undefined ? this.writer.write(answer) : batch.answer(answer));
      }
    }
  }

  private takeRequest(message: Message, id: string, method: string, batch: Batch | undefined): void {
    if (method === 'initialize') {
      const handshake = this.gate.then(() => this.initialize(message, id));
      this.gate = handshake.catch(() => undefined);
      this.background(message, () => handshake);
      return;
    }
    this.intake.enter(message);
    this.calls.add({
      key: idKey(id),
      message,
      abort: new AbortController(),
      gate: this.gate,
      batch,
      state: 'open',
    });
  }

  private takeNotification(message: Message, method: string): void {
    const sent = this.gate.then(async () => {
      if (method === 'notifications/initialized') {
        this.clientReady = true;
        await this.upstream.clientIsReady(message);
        if (this.owesListChanged) this.announceTools();
      } else if (this.phase === 'open') await this.upstream.notify(message);
    });
    this.gate = sent.catch((error: unknown) =>
      this.options.log('error', `${method} was not delivered: ${sentence(error)}`),
    );
    this.background(message, () => this.gate);
  }

  private async initialize(message: Message, id: string): Promise<void> {
    this.phase = 'new';
    this.clientReady = false;
    try {
      const answer = await this.upstream.initialize(message);
      if (answer.envelope.hasResult) this.phase = 'open';
      await this.writer.write(this.withNotice(answer, id));
    } catch (error) {
      this.options.log('error', sentence(error));
      // A mistake in the configuration, or the server's own reasoned refusal of this client, is told as an error.
      const told = error instanceof DeliveryFailure && !(error.status === 400 && error.rpcError !== undefined);
      if (!told) return this.refuse(id, toJsonRpcError(error));
      this.phase = 'offline';
      const requested = (parseMessage(message)?.['params'] as { protocolVersion?: unknown } | undefined)
        ?.protocolVersion;
      const result = offlineInitializeResult(requested, sentence(error));
      await this.writer.write(this.withNotice(composeAnswer(id, { result }), id));
      void this.offlinePoll.run();
    }
  }

  /** Adds what the user should hear to the instructions; the answer stays as it is when there is nothing. */
  private withNotice(answer: Message, id: string): Message {
    const notice = this.options.notice?.();
    if (notice === undefined || notice === '') return answer;
    this.options.log('error', notice);
    const result = parseMessage(answer)?.['result'] as Record<string, unknown> | undefined;
    if (result === undefined) return answer;
    const before = typeof result['instructions'] === 'string' ? `${result['instructions']}\n\n` : '';
    return composeAnswer(id, { result: { ...result, instructions: `${before}${notice}` } });
  }

  private async run(call: Call): Promise<void> {
    try {
      await call.gate;
      if (call.state !== 'open') return;
      const local = this.localAnswer(call.message.envelope.method ?? '');
      if (local !== undefined) return await this.answer(call, composeAnswer(this.idOf(call), local));
      await this.upstream.call(call.message, call.abort.signal, (message) => this.receive(call, message));
    } catch (error) {
      if (call.state !== 'open') return;
      const rescue = this.phase === 'offline' ? offlineAnswer(call.message.envelope.method ?? '') : undefined;
      const content = rescue ?? { error: toJsonRpcError(error) };
      if (rescue === undefined) this.options.log('error', `${call.message.envelope.method}: ${sentence(error)}`);
      await this.answer(call, composeAnswer(this.idOf(call), content));
    } finally {
      // After a cancellation there is nothing to answer, but a batch has to know.
      if (call.state === 'cancelled') await call.batch?.withdraw();
      this.leave(call.message);
    }
  }

  /** What is answered without asking the server. */
  private localAnswer(method: string): { readonly result: unknown } | { readonly error: JsonRpcError } | undefined {
    if (this.phase === 'open') return undefined;
    if (method === 'ping') return { result: {} };
    if (this.phase === 'new') {
      // Newer clients probe with `server/discover` and fall back to `initialize` on exactly this code.
      return { error: { code: METHOD_NOT_FOUND, message: `${method} is not available before initialize.` } };
    }
    const failure = this.upstream.lastFailure;
    const fresh = failure !== undefined && Date.now() - failure.at < this.timing.failureFreshMs;
    return fresh && method !== 'tools/call' ? offlineAnswer(method) : undefined;
  }

  /** One message of the server on the stream of a call; true for its answer. */
  private async receive(call: Call, message: Message): Promise<boolean> {
    const { envelope } = message;
    if (kindOf(envelope) !== 'response') {
      if (call.state === 'open') await this.writer.write(message);
      return false;
    }
    if (idKey(envelope.id ?? 'null') === call.key) {
      await this.answer(call, message);
      return true;
    }
    if (envelope.id === 'null' && envelope.hasError) {
      // The server could not tell which request was wrong; on this stream it can only be this one.
      await this.answer(call, composeAnswer(this.idOf(call), { error: parseMessage(message)?.['error'] }));
      return true;
    }
    this.options.log('error', `the server answered a request that was not asked here; left out`);
    return false;
  }

  private async answer(call: Call, message: Message): Promise<void> {
    if (call.state !== 'open') return;
    call.state = 'answered';
    await (call.batch === undefined ? this.writer.write(message) : call.batch.answer(message));
  }

  private idOf(call: Call): string {
    return call.message.envelope.id ?? 'null';
  }

  /** The client does not want an answer any more: the server is told, and the HTTP request is given up. */
  private cancel(message: Message): void {
    const params = parseMessage(message)?.['params'] as { requestId?: unknown } | undefined;
    const key = JSON.stringify(params?.requestId);
    const waiting = this.calls.started(key) === undefined ? this.calls.withdraw(key) : undefined;
    if (waiting !== undefined) {
      waiting.state = 'cancelled';
      void waiting.batch?.withdraw();
      return this.leave(waiting.message);
    }
    const call = this.calls.started(key);
    if (call !== undefined && call.state === 'open') call.state = 'cancelled';
    this.background(message, async () => {
      try {
        if (this.phase === 'open') await this.upstream.notify(message);
      } finally {
        // Servers without sessions notice only this.
        call?.abort.abort();
      }
    });
  }

  /** A session was opened in the background. After a start without the server, the client learns of the tools now. */
  private serverIsBack(): void {
    if (this.phase !== 'offline') return;
    this.phase = 'open';
    if (this.clientReady) this.announceTools();
    else this.owesListChanged = true;
  }

  private announceTools(): void {
    this.owesListChanged = false;
    void this.writer.write(compose({ method: 'notifications/tools/list_changed' }));
  }

  private refuse(id: string, error: JsonRpcError): Promise<void> {
    return this.writer.write(composeAnswer(id, { error }));
  }

  private background(message: Message, work: () => Promise<void>): void {
    this.intake.enter(message);
    work()
      .catch((error: unknown) => {
        if (!this.ending.signal.aborted) this.options.log('error', sentence(error));
      })
      .finally(() => this.leave(message));
  }

  private leave(message: Message): void {
    this.memory.messageDone(message.size);
    this.intake.leave(message);
  }
}
