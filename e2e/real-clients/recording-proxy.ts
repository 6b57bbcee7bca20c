/**
 * Between the product and the memory server: passes everything on and keeps it, so that a test sees what was said to the
 * server and when. The server itself shows only what it made of it.
 */
import { createServer, request as sendRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';

export interface PassedRequest {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  /** The parsed body; undefined when there was none. */
  readonly body: unknown;
  /** `performance.now()` when the server had answered. */
  readonly answeredAt: number;
  readonly status: number;
}

export interface RecordingProxy {
  readonly url: string;
  /** In the order in which they were answered. */
  readonly requests: readonly PassedRequest[];
  close(): Promise<void>;
}

/** Listens on a port of its own and passes everything on to `target`, an `http:` URL without a path. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const requests: PassedRequest[] = [];
  const { host, hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    void readAll(incoming).then((body) => {
      const { method = 'GET', url: path = '/', headers } = incoming;
      const passed = sendRequest({ hostname, port, method, path, headers: { ...headers, host } }, (answer) => {
        const status = answer.statusCode ?? 0;
        outgoing.writeHead(status, answer.headers);
        answer.pipe(outgoing);
        answer.once('end', () => {
          const answeredAt = performance.now();
          requests.push({ method, path: path.split('?')[0] ?? path, body: parsed(body), answeredAt, status });
        });
      });
      passed.once('error', () => outgoing.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The recording proxy listens on no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
