/**
 * One line of `model-io-<session>.jsonl`: one attempt at one model request. Reads what the turn assembly needs and
 * decides what an attempt counts for; everything else on the line (headers, usage, stack traces) is ignored.
 *
 * The file is a diagnostics log of the client, without a promise: every member may be missing or of another type.
 */
import { looseNumber } from './loose-json.ts';
import { recordedToolCall, recordedToolOutput } from './rollout-message.ts';
import type { RecordedToolCall, RecordedToolOutput } from './rollout-message.ts';
import { firstString, isObject, looseRecord, parseObject } from '../vendor/memory-core/hot.ts';
import type { LooseRecord } from '../vendor/memory-core/hot.ts';

/** The messages that a line adds to what is known of the request's message list. */
export interface RecordedRequest {
  /** `delta`: continues the list of the file's line before it. `baseline`: stands for itself (`full` or `tail`). */
  readonly kind: 'delta' | 'baseline';
  /** Index of the first message in the whole list. */
  readonly offset: number;
  readonly messages: readonly unknown[];
}

export interface RecordedResponse {
  readonly text: string;
  readonly calls: readonly RecordedToolCall[];
  readonly outputs: readonly RecordedToolOutput[];
  /** The model had nothing more to do: the turn ends here. */
  readonly final: boolean;
}

export interface RolloutLine {
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly requestId?: string;
  readonly attempt: number;
  /** False for titles, compaction, subagents and the like: their texts are not conversation. */
  readonly isMainTurn: boolean;
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly request?: RecordedRequest;
  /** Absent for a failed attempt. */
  readonly response?: RecordedResponse;
}

function isoTime(value: unknown): string | undefined {
  if (typeof value === 'string') return Number.isNaN(Date.parse(value)) ? undefined : value;
  const number = looseNumber(value);
  return number === undefined || Math.abs(number) > 8.64e15 ? undefined : new Date(number).toISOString();
}

function messageList(holder: LooseRecord | undefined): readonly unknown[] | undefined {
  const list = holder?.['messages'] ?? holder?.['input'];
  if (typeof list === 'string' && list !== '') return [{ role: 'user', content: list }];
  return Array.isArray(list) ? (list as unknown[]) : undefined;
}

function recordedRequest(request: LooseRecord): RecordedRequest | undefined {
  const own = request['messages'];
  if (Array.isArray(own) && (own.length > 0 || request['messagesKind'] === 'delta')) {
    const kind = request['messagesKind'] === 'delta' ? 'delta' : 'baseline';
    return { kind, offset: looseNumber(request['messageOffset']) ?? 0, messages: own as unknown[] };
  }
  // Older and non-streaming lines keep the whole list in the provider's request body, as an object or as JSON text.
  const body = messageList(looseRecord(request['body']));
  return body === undefined ? undefined : { kind: 'baseline', offset: 0, messages: body };
}

/** `tool-calls` in the client's own words, `tool_calls`, `tool_use`, `function_call` in providers'. */
const ASKS_FOR_TOOLS = /^(?:tool|function)/i;

function recordedResponse(response: LooseRecord): RecordedResponse | undefined {
  const text = typeof response['text'] === 'string' ? response['text'] : '';
  const listed: unknown = response['toolCalls'];
  const calls = (Array.isArray(listed) ? (listed as unknown[]) : []).flatMap((call) => recordedToolCall(call) ?? []);
  const results: unknown = response['toolResults'];
  const outputs = (Array.isArray(results) ? (results as unknown[]) : []).flatMap(
    (item) => recordedToolOutput(item) ?? [],
  );
  const finishReason = firstString(response, ['finishReason']);
  // An aborted request leaves `{headers:{},usage:{}}`.
  if (text === '' && calls.length === 0 && finishReason === undefined) return undefined;
  const final = finishReason !== undefined && calls.length === 0 && !ASKS_FOR_TOOLS.test(finishReason);
  return { text, calls, outputs, final };
}

/** A line's text → its record; undefined for a half line, for foreign content, and for a line that was too long to pass on. */
export function readRolloutLine(text: string): RolloutLine | undefined {
  const parsed = parseObject(text);
  if (parsed === undefined) return undefined;
  const type = parsed['type'];
  if (type !== undefined && type !== 'model_io') return undefined;
  const sessionId = firstString(parsed, ['sessionId']);
  const turnId = firstString(parsed, ['turnId']);
  const requestId = firstString(parsed, ['requestId']);
  const querySource = firstString(parsed, ['querySource']);
  const startedAt = isoTime(parsed['startedAt']);
  const completedAt = isoTime(parsed['completedAt']);
  const request = isObject(parsed['request']) ? recordedRequest(parsed['request']) : undefined;
  const failed = parsed['error'] !== undefined && parsed['error'] !== null;
  const response = !failed && isObject(parsed['response']) ? recordedResponse(parsed['response']) : undefined;
  return {
    attempt: looseNumber(parsed['attempt']) ?? 1,
    isMainTurn: querySource === undefined || querySource === 'main_turn',
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(turnId === undefined ? {} : { turnId }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(completedAt === undefined ? {} : { completedAt }),
    ...(request === undefined ? {} : { request }),
    ...(response === undefined ? {} : { response }),
  };
}
