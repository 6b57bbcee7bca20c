/**
 * One question to the server, one block of memory back. Old servers lack the context search: what they cannot do is
 * remembered per server, so that the detour is paid once in six hours and not at every prompt.
 */
import type { Settings } from '../contract/settings.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import { isObject } from '../fs/json-object.ts';
import type { ApiFailure, ApiResult } from '../http/api.ts';
import { entriesOf, post, type RecallInput, type RecallResult } from './recall-request.ts';
import { renderEntries } from './render.ts';

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
  return input.loadLegacy()(input);
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
