/**
 * The server's envelope and the retry table, in one place: whoever talks to the server gets a value or a failure with a
 * class, and never has to look at a status code.
 */
import type { Connection } from '../contract/settings.ts';
import { isObject } from '../fs/json-object.ts';
import { identityHeaders } from './identity-headers.ts';
import type { HttpOutcome, HttpRequest, Transport } from './request.ts';

/**
 * What a failure means for the data that was to be sent:
 * `unsent` – the server was not reached; `ambiguous` – it may have acted; `busy` – it asks to come back;
 * `blocked` – the credentials are refused; `missing` – the server lacks this route or the thing asked for;
 * `rejected` – it will never take this body.
 */
export type FailureClass = 'unsent' | 'ambiguous' | 'busy' | 'blocked' | 'missing' | 'rejected';

export interface ApiFailure {
  readonly class: FailureClass;
  /** 0 when there was no answer. */
  readonly status: number;
  /** The server's error code, or the network's. */
  readonly code: string;
  readonly message: string;
  /** The answer is in no form that an OpenViking server gives: the address may belong to something else. */
  readonly foreign: boolean;
  /** Nobody serves this route here: the server is another one than was thought, or an older one. */
  readonly unrouted?: boolean;
  /** From `Retry-After`, in ms, at most an hour. */
  readonly retryAfterMs?: number;
}

export type ApiResult =
  | { readonly ok: true; readonly status: number; readonly value: unknown }
  | { readonly ok: false; readonly failure: ApiFailure };

export interface ApiCall {
  readonly method: HttpRequest['method'];
  /** Below `/api/v1`, or an absolute path for `/health`. */
  readonly path: string;
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly peer?: string;
  /** For who can be interrupted; a hook just ends. */
  readonly signal?: AbortSignal;
}

/** A server as one harness sees it. */
export interface ApiClient {
  readonly baseUrl: string;
  call(call: ApiCall): Promise<ApiResult>;
}

/** `transport` decides how bytes leave the machine; `ca` are the authorities to trust instead of Node's list. */
export function createApiClient(options: {
  readonly connection: Connection;
  readonly userAgent: string;
  readonly transport: Transport;
  readonly ca?: readonly string[];
}): ApiClient {
  const { connection, userAgent, transport, ca } = options;
  return {
    baseUrl: connection.baseUrl,
    async call(call) {
      const isProbe = call.path === '/health' || call.path === '/ready';
      const path = isProbe ? call.path : `/api/v1${call.path}`;
      let headers: Record<string, string>;
      try {
        headers = identityHeaders(connection, { userAgent, ...(call.peer === undefined ? {} : { peer: call.peer }) });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return failed({ class: 'unsent', status: 0, code: 'HEADERS', message, foreign: false });
      }
      const outcome = await transport({
        method: call.method,
        url: connection.baseUrl + path,
        headers,
        timeoutMs: call.timeoutMs,
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        ...(ca === undefined ? {} : { ca }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      });
      return interpret(outcome, isProbe);
    },
  };
}

/**
 * Envelope and status → value or classified failure. Source: the retry table of the server API. `isProbe`: health and
 * readiness answer without the envelope.
 */
export function interpret(outcome: HttpOutcome, isProbe = false): ApiResult {
  if (outcome.kind === 'failure') {
    return failed({
      class: outcome.ambiguous ? 'ambiguous' : 'unsent',
      status: 0,
      code: outcome.code,
      message: outcome.message,
      foreign: false,
    });
  }
  const { status } = outcome;
  const body = parseBody(outcome.body);
  const error = isObject(body) && isObject(body['error']) ? body['error'] : undefined;
  const code = codeOf(error?.['code']) ?? `HTTP_${status}`;
  const message = errorText(body, error) ?? `the server answered ${status}`;
  if (status >= 200 && status < 300) {
    // Whoever answers 200 without JSON may have passed the request on.
    if (!isObject(body))
      return failed({ class: 'ambiguous', status, code: 'NOT_JSON', message: 'the answer is not JSON', foreign: true });
    if (body['status'] === 'error') {
      return failed({ class: classOfStatus(statusOfCode(code), error, false), status, code, message, foreign: false });
    }
    if (isProbe) return { ok: true, status, value: 'result' in body ? body['result'] : body };
    // Any program may answer 200. Only the envelope says that this server has done what it was asked.
    if (body['status'] !== 'ok' || !('result' in body)) {
      const notOurs = 'the answer has not the form of an OpenViking server';
      return failed({ class: 'ambiguous', status, code: 'NO_ENVELOPE', message: notOurs, foreign: true });
    }
    return { ok: true, status, value: body['result'] };
  }
  const foreign = error === undefined && !(isObject(body) && 'detail' in body);
  const retryAfterMs = retryAfter(headerText(outcome.headers['retry-after']));
  return failed({
    class: classOfStatus(status, error, foreign),
    status,
    code,
    message,
    foreign,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(error === undefined && (status === 404 || status === 405) ? { unrouted: true } : {}),
  });
}

function classOfStatus(status: number, error: Record<string, unknown> | undefined, foreign: boolean): FailureClass {
  if (status === 401 || status === 403) return 'blocked';
  if (status === 404 || status === 405) return 'missing';
  if (status === 408 || status === 429) return 'busy';
  // A gateway may answer 5xx after the server behind it has stored the messages.
  if (status >= 500) return 'ambiguous';
  if (status === 409 && isObject(error?.['details']) && error['details']['retryable'] === true) return 'busy';
  if (status >= 300 && status < 400) return 'unsent';
  if (foreign && status !== 413) return 'unsent';
  return 'rejected';
}

/** A failure envelope inside a 200 has only its code to go by. */
function statusOfCode(code: string): number {
  switch (code) {
    case 'UNAUTHENTICATED':
    case 'UNAUTHORIZED':
    case 'PERMISSION_DENIED':
      return 401;
    case 'NOT_FOUND':
      return 404;
    case 'INVALID_ARGUMENT':
    case 'FAILED_PRECONDITION':
      return 400;
    default:
      return 500;
  }
}

function errorText(body: unknown, error: Record<string, unknown> | undefined): string | undefined {
  if (typeof error?.['message'] === 'string') return error['message'];
  const detail = isObject(body) ? body['detail'] : undefined;
  if (typeof detail === 'string') return detail.slice(0, 200);
  if (!Array.isArray(detail)) return undefined;
  // Of a validation failure only what was wrong and where: its `input` repeats what the user said.
  const problems = detail.filter(isObject).map(({ loc, msg, type }) => ({ loc, msg, type }));
  return JSON.stringify(problems).slice(0, 1000);
}

/** A code as it may stand in a log and a heartbeat. */
function codeOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9_.-]{1,64}$/u.test(value) ? value : undefined;
}

/** A server that asks for more, in ms, is asked again all the same. */
export const LONGEST_RETRY_AFTER_MS = 60 * 60_000;

/** Seconds or an HTTP date (RFC 9110, section 10.2.3) → ms from now. */
function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  const ms = /^\d+$/u.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return ms > 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : undefined;
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function failed(failure: ApiFailure): ApiResult {
  return { ok: false, failure };
}
