/** What every way of asking for memories shares: the question, the answer's shape, one request, the entries in an answer. */
import type { Settings } from '../contract/settings.ts';
import { isObject } from '../fs/json-object.ts';
import type { ApiClient, ApiFailure, ApiResult } from '../http/api.ts';
import type { legacyRecall } from './legacy-recall.ts';
import type { RecallEntry } from './render.ts';

export interface RecallInput {
  readonly client: ApiClient;
  readonly settings: Settings;
  /** Id of the conversation on the server. */
  readonly session: string;
  readonly query: string;
  readonly peer?: string;
  /** The id that older versions used for this workspace: in `actor` scope its memories are asked for as well. */
  readonly legacyPeer?: string;
  /** How an old server is asked: loaded when one is met. */
  readonly loadLegacy: () => typeof legacyRecall;
  /** File that remembers what this server cannot do. */
  readonly capabilityPath: string;
  /** ms for everything. */
  readonly timeoutMs: number;
  readonly now: number;
}

export type RecallResult =
  | { readonly kind: 'text'; readonly text: string; readonly count: number }
  | { readonly kind: 'none'; readonly reason: string }
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

export function post(
  input: RecallInput,
  path: string,
  body: unknown,
  timeoutMs = Math.min(input.settings.timeoutMs, input.timeoutMs),
  peer = input.peer,
): Promise<ApiResult> {
  return input.client.call({
    method: 'POST',
    path,
    body,
    timeoutMs,
    ...(peer === undefined ? {} : { peer }),
  });
}

export function entriesOf(value: unknown): RecallEntry[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).flatMap((entry) => {
    const uri = entry['uri'];
    if (typeof uri !== 'string') return [];
    const text = (name: string): string => (typeof entry[name] === 'string' ? entry[name] : '');
    return [
      {
        uri,
        score: typeof entry['score'] === 'number' ? entry['score'] : 0,
        category: text('category') || text('context_type'),
        text: text('text') || text('overview') || text('content'),
        abstract: text('abstract'),
      },
    ];
  });
}
