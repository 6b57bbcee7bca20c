/**
 * Reads an HTTP refusal: whether it means that the session is gone, and what to tell the user. Error bodies come from the
 * server or any gateway before it, so only a short, cleaned part of them is ever shown.
 */
import type { Connection } from '../contract/settings.ts';
import { isObject, parseObject } from '../fs/json-object.ts';
import { DeliveryFailure, shownUrl, type JsonRpcError } from './failure.ts';
import type { IncomingAnswer } from './transport.ts';

const BODY_LIMIT = 64 * 1024;
const SHOWN = 300;

export interface Refusal {
  readonly status: number;
  /** The session that was named is not known to the server any more, or it wants one. */
  readonly sessionLost: boolean;
  readonly failure: DeliveryFailure;
}

/** Reads at most 64 KB of the body, for at most `timeoutMs`. Never rejects. */
export async function readRefusal(
  answer: IncomingAnswer,
  connection: Connection,
  sessionSent: boolean,
  timeoutMs: number,
): Promise<Refusal> {
  const body = await shortBody(answer, timeoutMs);
  const { status } = answer;
  const rpcError = jsonRpcError(body);
  // 404 is what the transport specification says for a session that has ended; 400 and 410 are in use as well.
  const sessionLost = (status === 404 && sessionSent) || ((status === 400 || status === 410) && /session/i.test(body));
  const said = shownText(body, connection);
  return {
    status,
    sessionLost,
    failure: new DeliveryFailure({
      code: status === 401 || status === 403 ? 'mcp/credentials-refused' : 'mcp/refused',
      status,
      message: `The OpenViking server at ${shownUrl(connection.mcpUrl)} answered HTTP ${status}${said === '' ? '.' : `: ${said}`}`,
      next: nextStep(status, connection),
      ...(rpcError === undefined || status === 401 || status === 403
        ? {}
        : { rpcError: { ...rpcError, message: clean(rpcError.message, connection) } }),
    }),
  };
}

function nextStep(status: number, connection: Connection): string {
  const { source } = connection;
  if (status === 401 || status === 403) {
    return connection.apiKey === undefined
      ? 'No API key is configured: set api_key in ovcli.conf or OPENVIKING_API_KEY.'
      : `Check the API key; it comes from ${source.apiKey}. A corrected key is used at the next call.`;
  }
  if (status === 404 || status === 405) return `Check the MCP URL; it comes from ${source.url}.`;
  if (status === 413) return 'Send less at once.';
  if (status === 429) return 'Wait a moment, then try again.';
  if (status >= 500) return 'Check the server and its log, then try again.';
  return 'Check that client and server versions match.';
}

async function shortBody(answer: IncomingAnswer, timeoutMs: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const timer = setTimeout(() => answer.body.destroy(), timeoutMs);
  try {
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > BODY_LIMIT) break;
    }
  } catch {
    // A refusal whose body breaks off is still that refusal.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, BODY_LIMIT).toString('utf8');
}

function jsonRpcError(body: string): JsonRpcError | undefined {
  const answer = parseObject(body);
  const error = answer?.['error'] as Partial<JsonRpcError> | undefined;
  if (answer?.['jsonrpc'] !== '2.0' || typeof error?.code !== 'number' || typeof error.message !== 'string') {
    return undefined;
  }
  return { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) };
}

/** The message inside the server's envelope, FastAPI's `detail`, or plain text; markup says nothing to anybody. */
function shownText(body: string, connection: Connection): string {
  const value = parseObject(body);
  const error = value?.['error'];
  const inner = isObject(error) ? error['message'] : error;
  const found = [inner, value?.['message'], value?.['detail']].find((part) => typeof part === 'string');
  const text = typeof found === 'string' ? found : value === undefined && !body.trimStart().startsWith('<') ? body : '';
  return clean(text, connection).slice(0, SHOWN);
}

/** One line without control characters, and without the key should the server have repeated it. */
function clean(text: string, connection: Connection): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  const key = connection.apiKey?.trim();
  return key === undefined || key === '' ? line : line.replaceAll(key, '***');
}
