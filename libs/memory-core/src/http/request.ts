/**
 * One-shot HTTP on `node:http(s)`, for delivery, for the installer, and for a hook whose server is behind TLS (the global
 * `fetch` would cost a hook 80 ms more; for plain HTTP it has `socket-request.ts`). It never throws and never follows a redirect, and it says whether a failed request may have reached the server:
 * delivery needs to know that to store each turn once.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { systemCode } from '../errors/error.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Absolute http or https URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Wall clock for the whole exchange, in ms. */
  readonly timeoutMs: number;
  /** Longest answer that is read, in bytes; a longer one is a failure. Default 32 MiB. */
  readonly maxBytes?: number;
  /** `latin1` for an answer that is no text: one character per byte. Default `utf8`. */
  readonly encoding?: 'utf8' | 'latin1';
  /** PEM texts of the authorities to trust instead of Node's own list: see `authorities`. */
  readonly ca?: readonly string[];
  readonly signal?: AbortSignal;
}

export type HttpOutcome =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: string;
    }
  | {
      readonly kind: 'failure';
      /** The system's code (`ECONNREFUSED`) or one of ours: `TIMEOUT`, `TOO_LARGE`, `BAD_URL`. */
      readonly code: string;
      readonly message: string;
      /** True when the server may have acted on the request. */
      readonly ambiguous: boolean;
    };

/** How a request leaves this machine; the proxy bundle supplies another one. */
export type Transport = (request: HttpRequest) => Promise<HttpOutcome>;

/** Longest answer where the caller names no limit, in bytes. */
export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;

/** Sends one request and reads the whole answer. */
export const requestOnce: Transport = (request) => {
  let url: URL;
  try {
    url = new URL(request.url);
  } catch {
    return Promise.resolve({ kind: 'failure', code: 'BAD_URL', message: 'not a URL', ambiguous: false });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return Promise.resolve({
      kind: 'failure',
      code: 'BAD_URL',
      message: `unknown protocol ${url.protocol}`,
      ambiguous: false,
    });
  }
  // Loaded only by who sends something; `import()` would start the ES module loader for it.
  const { request: send } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  return exchange(send, url, request);
};

function exchange(
  send: (url: URL, options: RequestOptions) => ClientRequest,
  url: URL,
  request: HttpRequest,
): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    let connected = false;
    let settled = false;
    const settle = (outcome: HttpOutcome): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', abort);
      resolve(outcome);
    };
    const fail = (code: string, message: string): void => {
      settle({ kind: 'failure', code, message, ambiguous: connected });
      outgoing.destroy();
    };
    const abort = (): void => fail('TIMEOUT', 'given up');
    const body = request.body === undefined ? undefined : Buffer.from(request.body, 'utf8');
    const options: RequestOptions & { ca?: string[] } = {
      method: request.method,
      agent: false,
      headers: {
        accept: 'application/json',
        // Answers are small, and an encoding that is never asked for is one that cannot be garbled.
        'accept-encoding': 'identity',
        ...request.headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }),
      },
      ...(request.ca === undefined ? {} : { ca: [...request.ca] }),
    };
    const outgoing = send(url, options);
    const timer = setTimeout(() => fail('TIMEOUT', `no answer within ${request.timeoutMs} ms`), request.timeoutMs);
    if (request.signal?.aborted) queueMicrotask(abort);
    request.signal?.addEventListener('abort', abort, { once: true });
    outgoing.on('socket', (socket) => {
      const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(ready, () => {
        connected = true;
      });
    });
    outgoing.on('error', (error) => fail(systemCode(error) ?? 'NETWORK', error.message));
    outgoing.on('response', (incoming) => collect(incoming, request, settle, fail));
    outgoing.end(body);
  });
}

function collect(
  incoming: IncomingMessage,
  { maxBytes = DEFAULT_MAX_BYTES, encoding = 'utf8' }: Pick<HttpRequest, 'maxBytes' | 'encoding'>,
  settle: (outcome: HttpOutcome) => void,
  fail: (code: string, message: string) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) fail('TOO_LARGE', `the answer is longer than ${maxBytes} bytes`);
    else chunks.push(chunk);
  });
  incoming.on('error', (error) => fail(systemCode(error) ?? 'NETWORK', error.message));
  incoming.on('aborted', () => fail('ECONNRESET', 'the server closed the connection inside its answer'));
  incoming.on('end', () =>
    settle({
      kind: 'response',
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(encoding),
    }),
  );
}
