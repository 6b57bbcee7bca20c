/**
 * One question to the server, one block of memory back. Old servers lack the context search: what they cannot do is
 * remembered per server, so that the detour is paid once in six hours and not at every prompt.
 */
import type { Settings } from '../contract/settings.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import { isObject } from '../fs/json-object.ts';
import type { ApiClient, ApiFailure, ApiResult } from '../http/api.ts';
import { renderEntries, type RecallEntry } from './render.ts';

export interface RecallInput {
  readonly client: ApiClient;
  readonly settings: Settings;
  /** Id of the conversation on the server. */
  readonly session: string;
  readonly query: string;
  readonly peer?: string;
  /** The id that older versions used for this workspace: in `actor` scope its memories are asked for as well. */
  readonly legacyPeer?: string;
  /** File that remembers what this server cannot do. */
  readonly capabilityPath: string;
  /** ms for everything. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly now: number;
}

export type RecallResult =
  | { readonly kind: 'text'; readonly text: string; readonly count: number }
  | { readonly kind: 'none'; readonly reason: string }
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

const CAPABILITY_MS = 6 * 60 * 60_000;

export async function recall(input: RecallInput): Promise<RecallResult> {
  if (!lacksContextSearch(input)) {
    const peers =
      input.settings.recallPeerScope === 'actor' && input.legacyPeer !== undefined
        ? [input.peer, input.legacyPeer]
        : [input.peer];
    const results = await Promise.all(peers.map((peer) => contextSearch(input, peer)));
    const first = results[0] as ApiResult;
    if (first.ok) return merge(input, results);
    if (!meansUnknown(first.failure)) return { kind: 'failed', failure: first.failure };
    noteLackOfContextSearch(input);
  }
  return legacyRecall(input);
}

/** The smallest body that says what is wanted: strict servers refuse what they do not know. */
export function contextBody(settings: Settings, session: string, query: string): Record<string, unknown> {
  const body: Record<string, unknown> = {
    query,
    mode: 'context',
    purpose: 'coding',
    score_threshold: settings.scoreThreshold,
    session_id: session,
    dedup_turns: settings.recallDedupTurns,
  };
  if (settings.recallMaxTokens !== undefined) body['max_tokens'] = settings.recallMaxTokens;
  if (settings.recallQueryExpansion !== undefined) body['query_expansion'] = settings.recallQueryExpansion;
  if (settings.recallExcludeUris.length > 0) body['exclude_uris'] = settings.recallExcludeUris.slice(0, 200);
  if (settings.recallPeerScope === 'actor') body['peer_scope'] = 'actor';
  if (wantsDigest(settings)) {
    body['rewrite'] = settings.recallRewrite === 'server' ? true : 'auto';
    if (settings.recallCompressMaxBullets !== undefined)
      body['rewrite_max_bullets'] = settings.recallCompressMaxBullets;
  }
  return body;
}

/** True when the server is asked to write a digest, which takes it up to 30 s. */
export function wantsDigest(settings: Settings): boolean {
  return settings.recallRewrite === 'server' || settings.recallRewrite === 'auto';
}

function contextSearch(input: RecallInput, peer: string | undefined): Promise<ApiResult> {
  const { settings } = input;
  // A digest takes the server longer than an ordinary answer may: only its own limit and the host's count then.
  const derived = wantsDigest(settings) ? input.timeoutMs : settings.timeoutMs;
  const wanted = settings.recallContextTimeoutMs > 0 ? settings.recallContextTimeoutMs : derived;
  const body = contextBody(settings, input.session, input.query);
  return post(input, '/search/search', body, Math.min(wanted, input.timeoutMs), peer);
}

function post(
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
    signal: input.signal,
    ...(peer === undefined ? {} : { peer }),
  });
}

function merge(input: RecallInput, results: readonly ApiResult[]): RecallResult {
  const values = results.flatMap((result) => (result.ok && isObject(result.value) ? [result.value] : []));
  const texts: string[] = [];
  const seen = new Set<string>();
  let count = 0;
  for (const value of values) {
    const stats = isObject(value['stats']) ? value['stats'] : {};
    if (stats['rewrite'] === 'no_relevant') continue;
    const entries = entriesOf(value['entries']).filter((entry) => !seen.has(entry.uri));
    for (const entry of entries) seen.add(entry.uri);
    const limit = input.settings.recallLimit;
    const digest = stats['rewrite'] === 'ok' && typeof value['digest'] === 'string' ? value['digest'].trim() : '';
    const rendered = typeof value['rendered'] === 'string' ? value['rendered'].trim() : '';
    // The server's own text is used as it is, unless the user wants fewer entries or another peer's answer overlaps.
    const own = digest !== '' ? digest : rendered;
    const cut = limit !== undefined && entries.length > limit;
    const text =
      own !== '' && !(cut && digest === '') && texts.length === 0
        ? own
        : renderEntries(limit === undefined ? entries : entries.slice(0, limit));
    if (text === '') continue;
    texts.push(text);
    count += limit === undefined ? entries.length : Math.min(limit, entries.length);
  }
  return texts.length === 0
    ? { kind: 'none', reason: 'nothing relevant' }
    : { kind: 'text', text: texts.join('\n'), count };
}

async function legacyRecall(input: RecallInput): Promise<RecallResult> {
  const { settings } = input;
  const limit = settings.recallLimit ?? 8;
  const body = {
    query: input.query,
    quotas: { events: limit, entities: limit, preferences: limit, experiences: limit },
    max_chars: settings.recallTokenBudget * 4,
    min_score: settings.scoreThreshold,
    render: true,
  };
  let result = await post(
    input,
    '/search/recall',
    settings.recallPeerScope === 'actor' ? { ...body, peer_scope: 'actor' } : body,
  );
  if (!result.ok && settings.recallPeerScope === 'actor' && result.failure.class === 'rejected')
    result = await post(input, '/search/recall', body);
  if (result.ok && isObject(result.value)) {
    const rendered = typeof result.value['rendered'] === 'string' ? result.value['rendered'].trim() : '';
    if (rendered !== '') return { kind: 'text', text: rendered, count: entriesOf(result.value['entries']).length };
    const text = renderEntries(entriesOf(result.value['entries'] ?? result.value['memories']).slice(0, limit));
    return text === '' ? { kind: 'none', reason: 'nothing relevant' } : { kind: 'text', text, count: limit };
  }
  if (!result.ok && result.failure.class !== 'missing' && result.failure.class !== 'rejected')
    return { kind: 'failed', failure: result.failure };
  return findBoth(input, limit);
}

async function findBoth(input: RecallInput, limit: number): Promise<RecallResult> {
  const find = (uri: string): Promise<ApiResult> =>
    post(input, '/search/find', { query: input.query, target_uri: uri, limit: limit * 2, score_threshold: 0 });
  const results = await Promise.all([find('viking://~/memories'), find('viking://~/skills')]);
  const failure = results.find((result) => !result.ok);
  if (results.every((result) => !result.ok) && failure !== undefined && !failure.ok)
    return { kind: 'failed', failure: failure.failure };
  const entries = results
    .flatMap((result) =>
      result.ok && isObject(result.value)
        ? [result.value['memories'], result.value['resources'], result.value['skills']]
        : [],
    )
    .flatMap((list) => entriesOf(list))
    .filter((entry) => entry.score >= input.settings.scoreThreshold)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
  const text = renderEntries(entries, {
    maxChars: input.settings.recallMaxContentChars,
    tokenBudget: input.settings.recallTokenBudget,
    preferAbstract: input.settings.recallPreferAbstract,
  });
  return text === '' ? { kind: 'none', reason: 'nothing relevant' } : { kind: 'text', text, count: entries.length };
}

function entriesOf(value: unknown): RecallEntry[] {
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

/** How servers say that they do not know a field, or do not know the `mode`. */
const UNKNOWN_FIELD =
  /\bmode\b|\bextra\b|unknown (field|param|arg|key)|unexpected|unrecogni[sz]ed|not permitted|additional propert/iu;

/** A refusal that speaks of the body's fields: the server is too old for what was asked. */
function meansUnknown(failure: ApiFailure): boolean {
  if (failure.class === 'missing') return !failure.foreign;
  return failure.class === 'rejected' && UNKNOWN_FIELD.test(failure.message);
}

function lacksContextSearch(input: RecallInput): boolean {
  const until = readJsonObject(input.capabilityPath)?.['noContextSearchUntil'];
  return typeof until === 'number' && until > input.now && until - input.now <= CAPABILITY_MS;
}

function noteLackOfContextSearch(input: RecallInput): void {
  const known = readJsonObject(input.capabilityPath) ?? {};
  const noContextSearchUntil = input.now + CAPABILITY_MS;
  keepIfPossible(() => writeFileAtomic(input.capabilityPath, JSON.stringify({ ...known, noContextSearchUntil })));
}
