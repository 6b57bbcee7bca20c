/** The searches over HTTP: the context face, its predecessor `recall`, and the plain lists. */
import type { FastifyInstance } from 'fastify';
import { findMemories } from '../backend.ts';
import type { Backend, MatchedContext } from '../backend.ts';
import { DEFAULT_QUOTAS, contextBlock, withinQuotas } from '../search/context-face.ts';
import { searchMemories } from '../search/search.ts';
import { pathOfUri } from '../viking-uri.ts';
import { CONTEXT_FIELDS, QUOTA_CATEGORIES, findBody, recallBody, searchBody } from './bodies.ts';
import type { SearchBody } from './bodies.ts';
import { Failure, envelope, validated } from './failure.ts';
import { requireSessionId } from './session-id.ts';

const DEFAULT_LIMIT = 10;
const DEFAULT_MAX_TOKENS = 1_600;
const DEFAULT_CONTEXT_SCORE = 0.35;

export function searchRoutes(app: FastifyInstance, backend: Backend): void {
  app.post('/search/find', async (request) => {
    const body = validated(findBody, request.body, 'body');
    return envelope(listResult(backend, body, request.actorPeer));
  });

  app.post('/search/search', async (request) => {
    const body = validated(searchBody, request.body, 'body');
    if (body.mode === 'context') return envelope(contextResult(backend, body, request.actorPeer));
    const misplaced = CONTEXT_FIELDS.filter((field) => body[field] !== undefined && body[field] !== null);
    if (misplaced.length > 0)
      throw new Failure('INVALID_ARGUMENT', `${misplaced.join(', ')}: only with mode "context".`);
    return envelope(listResult(backend, body, request.actorPeer));
  });

  app.post('/search/recall', async (request, reply) => {
    void reply.header('deprecation', 'true');
    const body = validated(recallBody, request.body, 'body');
    const hits = searchMemories(backend.database, {
      query: body.query,
      peerId: request.actorPeer,
      peerScope: body.peer_scope ?? 'all',
      inside: [],
      excludePaths: new Set(),
      excludeSession: undefined,
      minimumScore: body.min_score ?? DEFAULT_CONTEXT_SCORE,
      now: backend.now(),
    });
    // A token stands for at most four characters, so a budget in tokens keeps one in characters.
    const maxTokens = Math.max(1, Math.floor((body.max_chars ?? DEFAULT_MAX_TOKENS * 4) / 4));
    const block = contextBlock(withinQuotas(hits, quotasOf(body.quotas)), maxTokens, request.actorPeer);
    return envelope({
      entries: block.entries.map(withoutPath),
      rendered: body.render === false ? '' : block.rendered,
      stats: { candidates: hits.length, returned: block.entries.length, used_tokens: block.usedTokens },
    });
  });
}

function listResult(
  backend: Backend,
  body: Pick<
    SearchBody,
    'query' | 'target_uri' | 'limit' | 'node_limit' | 'score_threshold' | 'context_type' | 'read_content'
  >,
  peerId: string | undefined,
): Record<string, unknown> {
  const types = [body.context_type ?? 'memory'].flat();
  const memories = types.includes('memory')
    ? findMemories(backend, {
        query: body.query,
        targetUris: [body.target_uri ?? ''].flat(),
        limit: body.node_limit ?? body.limit ?? DEFAULT_LIMIT,
        minimumScore: body.score_threshold ?? 0,
        peerId,
      })
    : [];
  const withContent = (hit: MatchedContext): MatchedContext & { content?: string } => ({
    ...hit,
    content: backend.memories.read(pathOfUri(hit.uri) ?? '', peerId) ?? '',
  });
  return {
    memories: body.read_content === true ? memories.map(withContent) : memories,
    resources: [],
    skills: [],
    total: memories.length,
  };
}

function contextResult(backend: Backend, body: SearchBody, peerId: string | undefined): Record<string, unknown> {
  if ([body.target_uri ?? ''].flat().some((uri) => uri !== ''))
    throw new Failure('INVALID_ARGUMENT', 'target_uri is not supported with mode "context".');
  if (body.read_content === true)
    throw new Failure('INVALID_ARGUMENT', 'read_content is not supported with mode "context".');
  const quotas = quotasOf(body.quotas);
  const maxTokens = body.max_tokens ?? DEFAULT_MAX_TOKENS;
  const sessionId = body.session_id ?? undefined;
  const turns = sessionId === undefined ? 0 : (body.dedup_turns ?? 0);
  if (sessionId !== undefined) backend.sessions.ensure(requireSessionId(sessionId));

  const excluded = new Set((body.exclude_uris ?? []).flatMap((uri) => pathOfUri(uri) ?? []));
  const shown =
    sessionId === undefined || turns === 0 ? new Set<string>() : backend.sessions.shownWithin(sessionId, turns);
  const found = searchMemories(backend.database, {
    query: body.query,
    peerId,
    peerScope: body.peer_scope ?? 'all',
    inside: [],
    excludePaths: new Set(),
    excludeSession: sessionId,
    minimumScore: body.score_threshold ?? DEFAULT_CONTEXT_SCORE,
    now: backend.now(),
  });
  const wanted = found.filter(({ memory }) => !excluded.has(memory.path));
  const fresh = wanted.filter(({ memory }) => !shown.has(memory.path));
  const candidates = withinQuotas(fresh, quotas);
  const block = contextBlock(candidates, maxTokens, peerId);
  if (sessionId !== undefined && turns > 0)
    backend.sessions.noteShown(
      sessionId,
      block.entries.map((entry) => entry.path),
    );
  return {
    entries: block.entries.map(withoutPath),
    rendered: block.rendered,
    digest: '',
    stats: {
      candidates: candidates.length,
      returned: block.entries.length,
      dropped: block.dropped,
      excluded: found.length - wanted.length,
      deduped: wanted.length - fresh.length,
      max_tokens: maxTokens,
      used_tokens: block.usedTokens,
      query_expansion: 'off',
      rewrite: 'off',
      dedup: { turns, status: turns > 0 ? 'ok' : 'off', cooled: wanted.length - fresh.length },
    },
  };
}

function quotasOf(quotas: Readonly<Record<string, number>> | null | undefined): Readonly<Record<string, number>> {
  if (quotas === null || quotas === undefined) return DEFAULT_QUOTAS;
  const unknown = Object.keys(quotas).filter((name) => !(QUOTA_CATEGORIES as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new Failure(
      'INVALID_ARGUMENT',
      `Unknown quotas: ${unknown.join(', ')}. Known: ${QUOTA_CATEGORIES.join(', ')}.`,
    );
  return quotas;
}

function withoutPath<Entry extends { readonly path: string }>({ path: _path, ...entry }: Entry): Omit<Entry, 'path'> {
  return entry;
}
