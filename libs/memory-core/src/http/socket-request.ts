/**
 * A request over plain HTTP, straight on a socket. A hook has `node:net` anyway, for its stdin; `node:http` costs it 4 ms
 * more, nearly a tenth of all that a user waits for at a prompt. For what a hook asks and nobody else: delivery, where it
 * matters what became of a request, stays with Node's own client, and so does every server behind TLS.
 */
import type { Socket } from 'node:net';
import { systemCode } from '../errors/error.ts';
import { AnswerReader, type Answer } from './answer-reader.ts';
import { isHeaderName, isHeaderValue } from './identity-headers.ts';
import { DEFAULT_MAX_BYTES, requestOnce, type HttpRequest, type Transport } from './request.ts';

/**
 * As `requestOnce`, which takes over for TLS and for an address with a user in it. Only a signal is not looked at: a hook
 * that has no time left just ends.
 */
export const requestOnSocket: Transport = (request) => {
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
  const isPlain = url?.protocol === 'http:' && url.username === '' && url.password === '';
  return isPlain ? exchange(url, request) : requestOnce(request);
};

function exchange(url: URL, request: HttpRequest): ReturnType<Transport> {
  const bytes = inBytes(url, request);
  if (bytes === undefined) {
    const message = 'a header cannot be written';
    return Promise.resolve({ kind: 'failure', code: 'HEADERS', message, ambiguous: false });
  }
  return new Promise((resolve) => {
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
    socket.write(bytes);
  });
}

/** Head and body in one piece: two would wait for one another (Nagle). Undefined when something is no header. */
function inBytes(url: URL, { method, headers, body }: HttpRequest): Buffer | undefined {
  const content = Buffer.from(body ?? '', 'utf8');
  const fields = {
    host: url.host,
    connection: 'close',
    accept: 'application/json',
    'accept-encoding': 'identity',
    ...headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    // RFC 9110 section 8.6: also where a method that has a body is sent without one.
    ...(method === 'GET' || method === 'DELETE' ? {} : { 'content-length': String(content.length) }),
  };
  const all = Object.entries(fields);
  if (!all.every(([name, value]) => isHeaderName(name) && isHeaderValue(value))) return undefined;
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    content,
  ]);
}
