/**
 * A request over plain HTTP, straight on a socket. A hook has `node:net` anyway, for its stdin; `node:http` costs it 5 ms
 * more, a tenth of all that a user waits for at a prompt. For what a hook asks and nobody else: delivery, where it
 * matters what became of a request, stays with Node's own client, and so does every server behind TLS.
 */
import type { Socket } from 'node:net';
import { systemCode } from '../errors/error.ts';
import { AnswerReader, type Answer } from './answer-reader.ts';
import { DEFAULT_MAX_BYTES, requestOnce, type HttpRequest, type Transport } from './request.ts';

/** As `requestOnce`, which takes over for TLS and for an address with a user in it. The headers must be such that `identityHeaders` lets them pass. */
export const requestOnSocket: Transport = (request) => {
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
  const isPlain = url?.protocol === 'http:' && url.username === '' && url.password === '';
  return isPlain ? exchange(url, request) : requestOnce(request);
};

const exchange = (url: URL, request: HttpRequest): ReturnType<Transport> =>
  new Promise((resolve) => {
    const reader = new AnswerReader(request.maxBytes ?? DEFAULT_MAX_BYTES);
    let connected = false;
    const settle = (outcome: Awaited<ReturnType<Transport>>): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const fail = (code: string, message: string): void =>
      settle({ kind: 'failure', code, message, ambiguous: connected });
    const answered = ({ status, headers, body }: Answer): void =>
      settle({ kind: 'response', status, headers, body: body.toString(request.encoding ?? 'utf8') });

    const socket: Socket = process.getBuiltinModule('node:net').connect({
      // An address of version 6 stands in brackets in a URL.
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || 80,
    });
    const timer = setTimeout(() => fail('TIMEOUT', `no answer within ${request.timeoutMs} ms`), request.timeoutMs);
    request.signal?.addEventListener('abort', () => fail('TIMEOUT', 'given up'), { once: true });
    socket.on('connect', () => {
      connected = true;
    });
    socket.on('error', (error) => fail(systemCode(error) ?? 'NETWORK', error.message));
    socket.on('data', (bytes: Buffer) => {
      const answer = reader.push(bytes);
      if (answer === 'BAD_ANSWER') fail(answer, 'the answer is no HTTP that can be read');
      else if (answer === 'TOO_LARGE') fail(answer, `the answer is longer than ${reader.maxBytes} bytes`);
      else if (answer !== undefined) answered(answer);
    });
    socket.on('end', () => {
      const answer = reader.close();
      if (answer === undefined) fail('ECONNRESET', 'the server closed the connection inside its answer');
      else answered(answer);
    });
    socket.write(inBytes(url, request));
  });

/** Head and body in one piece: two would wait for one another (Nagle). */
function inBytes(url: URL, { method, headers, body }: HttpRequest): Buffer {
  const content = Buffer.from(body ?? '', 'utf8');
  const fields = {
    host: url.host,
    connection: 'close',
    accept: 'application/json',
    'accept-encoding': 'identity',
    ...headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(content.length) }),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    content,
  ]);
}
