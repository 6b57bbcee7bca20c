/** What the routes and the MCP tools work on: the stores, a clock, and the searches both of them offer. */
import { pathOfUri, uriOfPath } from './viking-uri.ts';
import { Failure } from './http/failure.ts';
import { searchMemories } from './search/search.ts';
import type { Hit } from './search/search.ts';
import type { Database } from './store/database.ts';
import type { MemoryStore } from './store/memory-store.ts';
import type { SessionStore } from './store/session-store.ts';

export interface Backend {
  readonly database: Database;
  readonly memories: MemoryStore;
  readonly sessions: SessionStore;
  readonly version: string;
  readonly now: () => number;
  /** To be called after a write that may have set or moved an idle commit. */
  readonly idleCommitsChanged: () => void;
}

export interface FindRequest {
  readonly query: string;
  readonly targetUris: readonly string[];
  readonly limit: number;
  readonly minimumScore: number;
  readonly peerId: string | undefined;
}

/** One hit as `find` and `search` in list mode answer it. */
export interface MatchedContext {
  readonly uri: string;
  readonly context_type: 'memory';
  readonly level: 2;
  readonly abstract: string;
  readonly overview: null;
  readonly category: string;
  readonly score: number;
  readonly match_reason: string;
}

/** Ranked hits below the given addresses; addresses of other users' spaces hold nothing. */
export function findMemories(backend: Backend, request: FindRequest): MatchedContext[] {
  const inside = request.targetUris.filter((uri) => uri !== '').map(pathOfUri);
  const known = inside.filter((path) => path !== undefined);
  if (inside.length > 0 && known.length === 0) return [];
  return searchMemories(backend.database, {
    query: request.query,
    peerId: request.peerId,
    peerScope: 'all',
    inside: known,
    excludePaths: new Set(),
    excludeSession: undefined,
    minimumScore: request.minimumScore,
    now: backend.now(),
  })
    .slice(0, request.limit)
    .map(matchedContext);
}

/** The text of a file; throws NOT_FOUND. */
export function readFile(backend: Backend, uri: string, peerId: string | undefined): string {
  const path = pathOfUri(uri);
  const text = path === undefined ? undefined : backend.memories.read(path, peerId);
  if (text === undefined) throw new Failure('NOT_FOUND', `There is no file at ${uri}.`);
  return text;
}

function matchedContext({ memory, score }: Hit): MatchedContext {
  return {
    uri: uriOfPath(memory.path),
    context_type: 'memory',
    level: 2,
    abstract: memory.abstract,
    overview: null,
    category: memory.category,
    score: Math.round(score * 10_000) / 10_000,
    match_reason: '',
  };
}
