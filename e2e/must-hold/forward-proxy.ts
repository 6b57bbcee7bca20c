/**
 * A company's HTTP proxy: the only way to a server outside. It takes every name for this machine, so that a test can call its
 * server what it likes.
 */
import { createServer, request as ask } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface ForwardProxy {
  readonly url: string;
  /** Method and target of each request, in order: `POST memory.test:1933`, `CONNECT memory.test:443`. */
  readonly seen: readonly string[];
  close(): Promise<void>;
}

export async function startForwardProxy(): Promise<ForwardProxy> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const target = new URL(request.url ?? '');
    seen.push(`${request.method} ${target.host}`);
    const path = target.pathname + target.search;
    const onward = ask(
      { host: '127.0.0.1', port: target.port, path, method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', (request, socket: Socket) => {
    seen.push(`CONNECT ${request.url ?? ''}`);
    const onward = connect(Number((request.url ?? '').split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => end.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}
