/**
 * Streaming HTTP for the proxy on `node:http(s)` with kept connections. It prevents four failures: a key that follows a
 * redirect to another origin, a loopback server asked for through a company proxy, a second delivery after a connection
 * broke (the error says whether the request can have been seen), and a connection attempt that never ends.
 */
import type { Agent as HttpAgent, IncomingMessage, RequestOptions } from 'node:http';
import http from 'node:http';
import type { Readable } from 'node:stream';
import type { Connection } from '../contract/settings.ts';
import { OpenVikingError, systemCode } from '../errors/error.ts';
import { authorities } from '../http/authorities.ts';
import type { requestThroughProxy } from '../http/proxy-dispatch.ts';
import { proxyFor, type ProxyEnvironment } from '../http/proxy-environment.ts';
import { DeliveryFailure, shownUrl, whatToCheck } from './failure.ts';

/** What the transport needs of the undici bundle. */
export interface ProxyDispatch {
  readonly requestThroughProxy: typeof requestThroughProxy;
}

export interface OutgoingRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly connection: Connection;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: readonly Uint8Array[];
  readonly signal: AbortSignal;
}

export interface IncomingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** To be read to its end or destroyed. */
  readonly body: Readable;
}

/** No answer began. */
export class NoAnswer extends DeliveryFailure {
  constructor(
    /** The system's or undici's error code. */
    readonly system: string,
    /** True when the server cannot have seen the request: it may be sent again whatever it does. */
    readonly unsent: boolean,
    options: ConstructorParameters<typeof DeliveryFailure>[0],
  ) {
    super(options);
  }
}

export interface TransportOptions {
  readonly env: ProxyEnvironment;
  /** Loads the bundle with undici; called only when a proxy applies. */
  readonly loadProxyDispatch: () => ProxyDispatch | Promise<ProxyDispatch>;
  readonly connectTimeoutMs: number;
}

/** Redirects followed for one request, all within the origin. */
const MAX_REDIRECTS = 3;
/**
 * How long an idle connection is kept, in ms. Below the five seconds after which common servers (uvicorn, Node) close
 * theirs: a request written into a closing connection could not be told from one that was carried out.
 */
const IDLE_CONNECTION_MS = 4_000;

export class Transport {
  private readonly agents = new Map<string, HttpAgent>();
  /** Where a same-origin redirect led, so that only the first request makes the detour. */
  private readonly moved = new Map<string, string>();
  private proxyDispatch: Promise<ProxyDispatch> | undefined;

  constructor(private readonly options: TransportOptions) {}

  /** Resolves when the answer's head is there; rejects with NoAnswer, or another DeliveryFailure for a refused redirect. */
  async send(request: OutgoingRequest): Promise<IncomingAnswer> {
    const configured = request.connection.mcpUrl;
    let url = this.moved.get(configured) ?? configured;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.sendTo(url, request);
      if (![301, 302, 307, 308].includes(answer.status)) {
        if (answer.status === 404) this.moved.delete(configured);
        return answer;
      }
      discard(answer.body);
      url = redirectTarget(url, answer, redirects);
      this.moved.set(configured, url);
    }
  }

  /** Closes idle and open connections. */
  close(): void {
    for (const agent of this.agents.values()) agent.destroy();
    this.agents.clear();
  }

  private sendTo(url: string, request: OutgoingRequest): Promise<IncomingAnswer> {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new DeliveryFailure({
        code: 'mcp/bad-url',
        message: 'The configured MCP URL is no http or https URL.',
        next: `Write http:// or https:// and the host. The URL comes from ${request.connection.source.url}.`,
      });
    }
    const proxy = proxyFor(url, this.options.env);
    return proxy === undefined ? this.sendDirect(new URL(url), request) : this.sendThrough(proxy, url, request);
  }

  private async sendDirect(url: URL, request: OutgoingRequest): Promise<IncomingAnswer> {
    const secure = url.protocol === 'https:';
    const { request: open } = secure ? await import('node:https') : http;
    const agent = await this.agentFor(secure, request.connection.caFile);
    if (Object.keys(agent.freeSockets).length > 0) await pendingEvents();
    const size = request.body?.reduce((sum, chunk) => sum + chunk.length, 0);
    const options: RequestOptions = {
      method: request.method,
      agent,
      headers: { ...request.headers, ...(size === undefined ? {} : { 'Content-Length': String(size) }) },
    };
    return new Promise((resolve, reject) => {
      let connected = false;
      let timer: NodeJS.Timeout | undefined;
      const outgoing = open(url, options);
      const abort = (): void => {
        outgoing.destroy(new Error('given up'));
      };
      const settled = (): void => {
        clearTimeout(timer);
        request.signal.removeEventListener('abort', abort);
      };
      outgoing.on('socket', (socket) => {
        connected = outgoing.reusedSocket;
        if (connected) return;
        timer = setTimeout(() => {
          outgoing.destroy(Object.assign(new Error('connecting takes too long'), { code: 'ETIMEDOUT' }));
        }, this.options.connectTimeoutMs);
        socket.once(secure ? 'secureConnect' : 'connect', () => {
          connected = true;
          clearTimeout(timer);
        });
      });
      outgoing.on('error', (error) => {
        settled();
        reject(noAnswer(error, !connected, request.connection, url.href));
      });
      outgoing.on('response', (incoming: IncomingMessage) => {
        settled();
        // From here on an abort ends the body; whoever reads it sees the error.
        const end = (): void => void incoming.destroy(new Error('given up'));
        request.signal.addEventListener('abort', end, { once: true });
        incoming.once('close', () => request.signal.removeEventListener('abort', end));
        incoming.on('error', () => undefined);
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming });
      });
      if (request.signal.aborted) abort();
      else request.signal.addEventListener('abort', abort, { once: true });
      const body = request.body ?? [];
      for (const chunk of body.slice(0, -1)) outgoing.write(chunk);
      outgoing.end(body.at(-1));
    });
  }

  private async sendThrough(proxy: string, url: string, request: OutgoingRequest): Promise<IncomingAnswer> {
    this.proxyDispatch ??= Promise.resolve(this.options.loadProxyDispatch());
    const dispatch = await this.proxyDispatch;
    const ca = this.trusted(request.connection.caFile);
    try {
      const answer = await dispatch.requestThroughProxy({
        method: request.method,
        url,
        proxy,
        headers: request.headers,
        connectTimeoutMs: this.options.connectTimeoutMs,
        signal: request.signal,
        ...(request.body === undefined ? {} : { body: request.body }),
        ...(ca === undefined ? {} : { ca }),
      });
      answer.body.on('error', () => undefined);
      return answer;
    } catch (error) {
      if (OpenVikingError.is(error)) throw error;
      const code = systemCode(error) ?? '';
      const unsent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|UND_ERR_PRX_TLS)$/.test(code);
      const refusedByProxy = error instanceof Error && error.message.startsWith('Proxy response');
      throw noAnswer(error, unsent || refusedByProxy, request.connection, url, shownUrl(proxy).replace(/\/$/, ''));
    }
  }

  private async agentFor(secure: boolean, caFile: string | undefined): Promise<HttpAgent> {
    const key = secure ? `https ${caFile ?? ''}` : 'http';
    const known = this.agents.get(key);
    if (known !== undefined) return known;
    // `localhost` may resolve to ::1 first while the server listens on 127.0.0.1 only: both families are tried.
    const options = { keepAlive: true, timeout: IDLE_CONNECTION_MS, autoSelectFamily: true };
    const ca = secure ? this.trusted(caFile) : undefined;
    const agent = secure
      ? new (await import('node:https')).Agent({ ...options, ...(ca === undefined ? {} : { ca: [...ca] }) })
      : new http.Agent(options);
    this.agents.set(key, agent);
    return agent;
  }

  private trusted(caFile: string | undefined): readonly string[] | undefined {
    if (caFile === undefined) return undefined;
    try {
      return authorities(caFile, this.options.env);
    } catch (error) {
      if (!OpenVikingError.is(error)) throw error;
      const { code, message, next, cause } = error;
      throw new DeliveryFailure({ code, message, ...(next === undefined ? {} : { next }), cause });
    }
  }
}

/**
 * Lets the event loop see what has already happened to idle connections. Without it, a call that comes right after a
 * restart of the server is written into a connection that the old server has closed, and whether it was carried out is
 * then anybody's guess.
 */
async function pendingEvents(): Promise<void> {
  // One turn to read the end of the stream, one for the agent to drop the socket.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets an answer that nobody wants run out, so that its connection can be used again; a long one is cut off. */
export function discard(body: Readable): void {
  let left = 64 * 1024;
  body.on('error', () => undefined);
  body.on('data', (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left < 0) body.destroy();
  });
  const timer = setTimeout(() => body.destroy(), 1_000);
  timer.unref();
  body.once('close', () => clearTimeout(timer));
}

function redirectTarget(from: string, answer: IncomingAnswer, redirects: number): string {
  const location = answer.headers['location'];
  const target = typeof location === 'string' && URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (target !== undefined && target.origin === new URL(from).origin && redirects < MAX_REDIRECTS) return target.href;
  const elsewhere = target !== undefined && target.origin !== new URL(from).origin;
  throw new DeliveryFailure({
    code: 'mcp/redirect-refused',
    status: answer.status,
    message: elsewhere
      ? `${shownUrl(from)} redirects to another origin, ${target.origin}; nothing was sent there, because the key is for the first.`
      : `${shownUrl(from)} redirects without end or without a target.`,
    next: elsewhere
      ? 'If that origin is the right server, write it as the server URL.'
      : 'Check the server URL and the gateway in front of it.',
  });
}

function noAnswer(error: unknown, unsent: boolean, connection: Connection, url: string, proxy?: string): NoAnswer {
  // Happy-eyeballs attempts come back as one AggregateError that carries the code of the first.
  const system = systemCode(error) ?? 'NO_ANSWER';
  const via = proxy === undefined ? '' : ` through the proxy ${proxy}`;
  const what =
    system === 'ECONNREFUSED'
      ? 'does not accept connections'
      : unsent
        ? 'cannot be reached'
        : 'broke the connection before it answered';
  const check = whatToCheck(system, connection);
  return new NoAnswer(system, unsent, {
    code: unsent ? 'mcp/unreachable' : 'mcp/interrupted',
    message: `The OpenViking server at ${shownUrl(url)}${via} ${what} (${system}).`,
    next: unsent ? check : `The call may or may not have been carried out: look before repeating it. ${check}`,
    cause: error,
  });
}
