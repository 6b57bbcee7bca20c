/** A real MCP server over streamable HTTP, made with the official SDK, in every mode that servers run in. */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server as HttpServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { listenToStay } from '../lasting-port.ts';

export interface SdkServerOptions {
  readonly sessions: boolean;
  /** JSON answers in place of event streams. */
  readonly json?: boolean;
  readonly port?: number;
  /** Only this key is let in. */
  readonly key?: string;
}

export interface SeenRequest {
  readonly httpMethod: string;
  readonly headers: IncomingHttpHeaders;
  readonly method: string | undefined;
}

export interface SdkServer {
  readonly url: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  /** Ids of calls of `wait` that were told to stop. */
  readonly cancelled: unknown[];
  /** Calls of `wait` that run. */
  running(): number;
  /** Most of them that ran at once. */
  peak(): number;
  /** Answers the calls of `wait` that name no time, also those that are still to come. */
  release(): void;
  /** Forgets all sessions, as a restart does. */
  forget(): void;
  stop(): Promise<void>;
}

/** Starts the server on 127.0.0.1. Tools: echo, wait, big, progress, roots, fail. */
export async function startSdkServer(options: SdkServerOptions): Promise<SdkServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const seen: SeenRequest[] = [];
  const cancelled: unknown[] = [];
  let running = 0;
  let peak = 0;
  const released = new EventEmitter().setMaxListeners(0);
  let isReleased = false;

  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const server = new Server(
      { name: 'sdk-test', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true }, logging: {} }, instructions: 'Ask the memory.' },
    );
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: ['echo', 'wait', 'big', 'progress', 'roots', 'fail'].map((name) => ({
        name,
        inputSchema: { type: 'object' as const },
      })),
    }));
    server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
      const args = request.params.arguments ?? {};
      const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
      switch (request.params.name) {
        case 'echo':
          return text(String(args['text']));
        case 'big':
          return text('é'.repeat(Number(args['bytes']) / 2));
        case 'wait': {
          running++;
          peak = Math.max(peak, running);
          await new Promise<void>((resolve) => {
            const { ms } = args;
            const timer = ms === undefined ? undefined : setTimeout(resolve, Number(ms));
            if (ms === undefined && isReleased) resolve();
            else if (ms === undefined) released.once('all', resolve);
            extra.signal.addEventListener('abort', () => {
              cancelled.push(extra.requestId);
              clearTimeout(timer);
              resolve();
            });
          });
          running--;
          return text(`waited ${String(args['ms'])}`);
        }
        case 'progress': {
          const token = request.params._meta?.progressToken;
          for (let step = 1; step <= Number(args['steps']); step++) {
            if (token !== undefined) {
              await extra.sendNotification({
                method: 'notifications/progress',
                params: { progressToken: token, progress: step, total: Number(args['steps']) },
              });
            }
            await extra.sendNotification({
              method: 'notifications/message',
              params: { level: 'info', data: `step ${step}` },
            });
            // The official client forgets a call's progress handler when notification and answer come in one read.
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
          return text('done');
        }
        case 'roots': {
          const roots = await extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema);
          return text(roots.roots.map((root) => root.uri).join(','));
        }
        default:
          throw new Error('the tool fails');
      }
    });
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      ...(options.sessions
        ? {
            sessionIdGenerator: () => randomUUID(),
            onsessioninitialized: (id: string) => void sessions.set(id, transport),
          }
        : {}),
      enableJsonResponse: options.json ?? false,
    });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    return transport;
  };

  const http: HttpServer = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = chunks.length === 0 ? undefined : (JSON.parse(Buffer.concat(chunks).toString()) as unknown);
      seen.push({
        httpMethod: request.method ?? '',
        headers: request.headers,
        method: (body as { method?: string } | undefined)?.method,
      });
      if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`) {
        response.writeHead(401, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ status: 'error', error: { code: 'UNAUTHENTICATED', message: 'bad key' } }));
        return;
      }
      const id = request.headers['mcp-session-id'];
      if (typeof id === 'string' && options.sessions) {
        const transport = sessions.get(id);
        if (transport === undefined) {
          response.writeHead(404, { 'content-type': 'application/json' });
          response.end(
            JSON.stringify({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null }),
          );
          return;
        }
        await transport.handleRequest(request, response, body);
        return;
      }
      if (!options.sessions && request.method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const transport = await open();
      if (!options.sessions) response.on('close', () => void transport.close());
      await transport.handleRequest(request, response, body);
    })().catch(() => response.destroy());
  });
  const port = await listenToStay(http, options.port);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    seen,
    cancelled,
    running: () => running,
    peak: () => peak,
    release: () => {
      isReleased = true;
      released.emit('all');
    },
    forget: () => sessions.clear(),
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
