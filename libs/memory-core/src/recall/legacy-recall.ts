/** Recall from servers that lack the context search: their own recall, or else a plain search, ranked and rendered here. */
import { isObject } from '../fs/json-object.ts';
import type { ApiResult } from '../http/api.ts';
import { entriesOf, post, type RecallInput, type RecallResult } from './recall-request.ts';
import { renderEntries } from './render.ts';

export async function legacyRecall(input: RecallInput): Promise<RecallResult> {
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
