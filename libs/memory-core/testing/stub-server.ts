/**
 * An OpenViking server that a test can make misbehave. It is a real HTTP server on a loopback port with real session
 * semantics, so that what is proved against it is proved about bytes on a socket and not about a mock's opinion.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { listenToStay } from './lasting-port.ts';
import type { Fault, FaultRule } from './stub/fault.ts';
import { answerRequest } from './stub/routes.ts';
import type { Generation, StubAnswer, StubRequest } from './stub/routes.ts';
import { StubStore } from './stub/store.ts';
import type { StoredMessage } from './stub/store.ts';
import { waitUntil } from './wait-until.ts';

export interface StubServerOptions {
  /** Demanded as bearer token; absent: anybody may. */
  readonly apiKey?: string;
  readonly generation?: Generation;
  /** Every answer waits this long, in ms; 0 by default. */
  readonly latencyMs?: number;
}

export interface RecordedRequest {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly bodyText: string;
  /** The parsed body, undefined when it was empty or no JSON. */
  readonly body: unknown;
  /** `Date.now()` when it had arrived completely. */
  readonly at: number;
  /** The status that was sent, or what was done instead. */
  outcome: number | Fault['kind'];
}

export interface StubServer {
  readonly url: string;
  readonly port: number;
  readonly store: StubStore;
  readonly requests: readonly RecordedRequest[];
  /** Adds a fault; the returned function removes it again. Earlier rules win. */
  misbehave(rule: FaultRule): () => void;
  /** Removes all faults. */
  behave(): void;
  setApiKey(apiKey: string | undefined): void;
  /** Requests so far whose method and path match. */
  requestsTo(method: string, path: RegExp): readonly RecordedRequest[];
  /** All messages of one session in the order of arrival; empty for an unknown one. */
  conversation(sessionId: string): readonly StoredMessage[];
  /** Waits until a session holds at least `count` messages and returns them. */
  untilMessages(sessionId: string, count: number, waitMs?: number): Promise<readonly StoredMessage[]>;
  forgetRequests(): void;
  /** Stops listening and cuts every connection; what is stored stays. */
  goDown(): Promise<void>;
  /** Listens again on the same port. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a stub on a free loopback port, which stays free for it while it is down. */
export async function startStubServer(options: StubServerOptions = {}): Promise<StubServer> {
  const store = new StubStore();
  const requests: RecordedRequest[] = [];
  const rules: { readonly rule: FaultRule; skipped: number; used: number }[] = [];
  const sockets = new Set<Socket>();
  const generation = options.generation ?? 'current';
  let apiKey = options.apiKey;

  const pickFault = (method: string, path: string): Fault | undefined => {
    for (const entry of rules) {
      const { rule } = entry;
      if (rule.method !== undefined && rule.method !== method) continue;
      if (rule.path !== undefined && !rule.path.test(path)) continue;
      if (entry.skipped < (rule.skip ?? 0)) {
        entry.skipped += 1;
        continue;
      }
      if (entry.used >= (rule.times ?? Number.POSITIVE_INFINITY)) continue;
      entry.used += 1;
      return rule.fault;
    }
    return undefined;
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bodyText = await readBody(incoming);
    const url = new URL(incoming.url ?? '/', 'http://stub');
    const request: StubRequest = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      bodyText,
    };
    const record: RecordedRequest = {
      method: request.method,
      path: request.path,
      query: url.search,
      headers: incoming.headers,
      bodyText,
      body: parseOrUndefined(bodyText),
      at: Date.now(),
      outcome: 0,
    };
    requests.push(record);
    const handle = (body = bodyText): StubAnswer =>
      answerRequest(store, { ...request, bodyText: body }, { generation, apiKey });
    const fault = pickFault(request.method, request.path);
    if (fault === undefined) {
      if (options.latencyMs !== undefined && options.latencyMs > 0) await pause(options.latencyMs);
      const answer = handle();
      record.outcome = answer.status;
      send(response, answer.status, JSON.stringify(answer.body));
      return;
    }
    record.outcome = fault.kind === 'status' || fault.kind === 'store-then-status' ? fault.status : fault.kind;
    await applyFault(fault, record, handle, response);
  };

  const server: Server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });

  const goDown = (): Promise<void> =>
    new Promise((done) => {
      if (!server.listening) {
        done();
        return;
      }
      server.close(() => done());
      for (const socket of sockets) socket.destroy();
    });

  const port = await listenToStay(server);

  const conversation = (sessionId: string): readonly StoredMessage[] => store.sessions.get(sessionId)?.messages ?? [];

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    store,
    requests,
    misbehave(rule) {
      const entry = { rule, skipped: 0, used: 0 };
      rules.push(entry);
      return () => {
        const index = rules.indexOf(entry);
        if (index !== -1) rules.splice(index, 1);
      };
    },
    behave() {
      rules.length = 0;
    },
    setApiKey(next) {
      apiKey = next;
    },
    requestsTo: (method, path) => requests.filter((request) => request.method === method && path.test(request.path)),
    conversation,
    untilMessages: (sessionId, count, waitMs) =>
      waitUntil(
        `${count} messages in ${sessionId}`,
        () => {
          const messages = conversation(sessionId);
          return messages.length >= count ? messages : undefined;
        },
        waitMs,
      ),
    forgetRequests() {
      requests.length = 0;
    },
    goDown,
    comeBack: async () => void (await listenToStay(server, port)),
    close: goDown,
  };
}

async function applyFault(
  fault: Fault,
  request: RecordedRequest,
  handle: (bodyText?: string) => StubAnswer,
  response: ServerResponse,
): Promise<void> {
  switch (fault.kind) {
    case 'delay': {
      await pause(fault.ms);
      const answer = handle();
      send(response, answer.status, JSON.stringify(answer.body));
      return;
    }
    case 'held': {
      await fault.until;
      const answer = handle();
      send(response, answer.status, JSON.stringify(answer.body));
      return;
    }
    case 'silence':
      return;
    case 'slow-bytes': {
      const answer = handle();
      const body = Buffer.from(JSON.stringify(answer.body));
      response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': body.length });
      for (const byte of body) {
        if (response.destroyed) return;
        response.write(Uint8Array.of(byte));
        await pause(fault.ms);
      }
      response.end();
      return;
    }
    case 'status': {
      const body = fault.body ?? envelope('STUB', `status ${fault.status}`);
      send(response, fault.status, body, fault.headers);
      return;
    }
    case 'drop':
      response.destroy();
      return;
    case 'store-then-drop':
      handle();
      response.destroy();
      return;
    case 'store-then-silence':
      handle();
      return;
    case 'store-then-status':
      handle();
      send(response, fault.status, '<html>bad gateway</html>', { 'content-type': 'text/html' });
      return;
    case 'store-part': {
      const batch = (request.body as { messages?: unknown } | undefined)?.messages;
      if (Array.isArray(batch) && fault.messages > 0)
        handle(JSON.stringify({ messages: batch.slice(0, fault.messages) }));
      send(response, 500, envelope('INTERNAL', 'failed in the middle of the batch'));
      return;
    }
    case 'truncate': {
      const answer = handle();
      const body = Buffer.from(JSON.stringify(answer.body));
      response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': body.length });
      response.write(body.subarray(0, body.length / 2), () => response.destroy());
      return;
    }
    case 'redirect':
      send(response, fault.status ?? 307, '', { location: fault.location });
      return;
    case 'huge-body': {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': fault.bytes });
      const block = Buffer.alloc(64 * 1024, 0x20);
      for (let sent = 0; sent < fault.bytes && !response.destroyed; sent += block.length) {
        const piece = block.subarray(0, Math.min(block.length, fault.bytes - sent));
        if (!response.write(piece)) await drained(response);
      }
      response.end();
      return;
    }
    case 'garbage':
      send(response, 200, '\u001f\u008b<!doctype html> not what you asked for', {
        ...(fault.gzip === true ? { 'content-encoding': 'gzip' } : {}),
      });
      return;
    case 'error-in-ok':
      send(response, 200, envelope(fault.code ?? 'INTERNAL', 'failed although the status says otherwise'));
      return;
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

function envelope(code: string, message: string): string {
  return JSON.stringify({ status: 'error', error: { code, message } });
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, milliseconds).unref();
  });
}

/** Waits until the response takes more, or is closed for good. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((done) => {
    const settle = (): void => {
      response.off('drain', settle);
      response.off('close', settle);
      done();
    };
    response.on('drain', settle);
    response.on('close', settle);
  });
}
