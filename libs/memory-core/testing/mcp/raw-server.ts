/** An HTTP server that does exactly what a test says, well or badly. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listenToStay } from '../lasting-port.ts';
import type { Json } from './proxy-process.ts';

export interface RawRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Json;
  /** Answers 200 with JSON. */
  json(value: unknown, headers?: Record<string, string>): void;
  status(code: number, value?: unknown, headers?: Record<string, string>): void;
}

export interface RawServer {
  readonly url: string;
  readonly port: number;
  /** JSON-RPC methods in the order of their arrival (`GET` and `DELETE` for those). */
  readonly methods: string[];
  readonly headers: IncomingMessage['headers'][];
  stop(): Promise<void>;
}

/** Starts a server on loopback; `handle` sees every request with its parsed body. */
export async function startRawServer(
  handle: (exchange: RawRequest) => void | Promise<void>,
  options: { readonly port?: number; readonly server?: Server; readonly host?: string } = {},
): Promise<RawServer> {
  const methods: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = options.server ?? createServer();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = (chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString())) as Json;
      methods.push(typeof body['method'] === 'string' ? body['method'] : (request.method ?? ''));
      headers.push(request.headers);
      const status = (code: number, value?: unknown, extra: Record<string, string> = {}): void => {
        response.writeHead(code, { ...(value === undefined ? {} : { 'content-type': 'application/json' }), ...extra });
        response.end(value === undefined ? undefined : JSON.stringify(value));
      };
      await handle({ request, response, body, status, json: (value, extra) => status(200, value, extra) });
    })().catch(() => response.destroy());
  });
  const port = await listenToStay(server, options.port, options.host);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    methods,
    headers,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The answer that opens a session. */
export function initializeAnswer(body: Json, protocolVersion = '2025-06-18'): Json {
  return {
    jsonrpc: '2.0',
    id: body['id'],
    result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } },
  };
}

/** Handles the handshake (and GET, DELETE) as a good server without sessions; true when it did. */
export function shakeHands(exchange: RawRequest, sessionId?: string): boolean {
  const { body, request } = exchange;
  if (request.method !== 'POST') exchange.status(405);
  else if (body['method'] === 'initialize') {
    exchange.json(initializeAnswer(body), sessionId === undefined ? {} : { 'mcp-session-id': sessionId });
  } else if (body['id'] === undefined) exchange.status(202);
  else return false;
  return true;
}
