/** A small OpenViking server on the loopback: alive, with a key, and with an MCP endpoint. Each of the three can be spoiled. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MemoryServer {
  readonly url: string;
  /** How it behaves from now on; `fine` at the start. */
  behave(how: 'fine' | 'ill' | 'busy' | 'web-page' | 'moved' | 'without-tools' | 'mcp-refuses'): void;
  /** The only key that is let in; undefined: no key is asked for. */
  setKey(key: string | undefined): void;
  stop(): Promise<void>;
}

const TOOLS = ['find', 'read', 'remember'].map((name) => ({ name, inputSchema: { type: 'object' } }));

export async function startMemoryServer(): Promise<MemoryServer> {
  let how: Parameters<MemoryServer['behave']>[0] = 'fine';
  let key: string | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const send = (status: number, body: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (how === 'ill') return send(500, { status: 'error', error: { code: 'INTERNAL', message: 'ill' } });
      if (how === 'busy') return send(429, { status: 'error', error: { code: 'RATE_LIMITED', message: 'later' } });
      if (how === 'moved') return void response.writeHead(302, { location: 'https://sign-in.invalid/' }).end();
      if (how === 'web-page') {
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
      }
      if (request.url === '/health') return send(200, { status: 'ok', healthy: true, version: '0.9.1' });
      if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) {
        return send(401, { status: 'error', error: { code: 'UNAUTHENTICATED', message: 'no' } });
      }
      if (request.url !== '/mcp') return send(200, { status: 'ok', result: { user: 'default' } });
      if (request.method !== 'POST') return send(405, {});
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { id?: number; method: string };
      if (id === undefined) return void response.writeHead(202).end();
      const answer = (result: object): void => send(200, { jsonrpc: '2.0', id, result });
      if (how === 'mcp-refuses') {
        return send(200, { jsonrpc: '2.0', id, error: { code: -32000, message: 'not today' } });
      }
      if (method === 'tools/list') return answer({ tools: how === 'without-tools' ? [] : TOOLS });
      answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'm', version: '1' } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: (next) => (how = next),
    setKey: (next) => (key = next),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
