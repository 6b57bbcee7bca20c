/**
 * The stub's answers: request in, status and body out, no sockets. As strict about bodies as the strictest server that a
 * client meets, because a field that only a lenient server accepts breaks in production first.
 */
import type { JsonRecord, StoredMessage, StubStore } from './store.ts';

/** Which server the stub plays: `old` has no batch route, no context mode, no total counts and no skills. */
export type Generation = 'current' | 'old';

export interface StubRequest {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly bodyText: string;
}

export interface StubAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface RouteOptions {
  readonly generation: Generation;
  /** Demanded as bearer token, when set. */
  readonly apiKey: string | undefined;
}

/** A refusal with the server's status; thrown inside a route, never out of `answer`. */
class Refusal extends Error {
  readonly answer: StubAnswer;

  constructor(answer: StubAnswer) {
    super('refused');
    this.answer = answer;
  }
}

const ok = (result: unknown): StubAnswer => ({ status: 200, body: { status: 'ok', result } });
const failure = (status: number, code: string, message: string): StubAnswer => ({
  status,
  body: { status: 'error', error: { code, message } },
});
const invalid = (location: string, message: string): Refusal =>
  new Refusal({ status: 422, body: { detail: [{ loc: ['body', location], msg: message, type: 'value_error' }] } });

/** Answers one request as an OpenViking server would. Never throws. */
export function answerRequest(store: StubStore, request: StubRequest, options: RouteOptions): StubAnswer {
  try {
    return route(store, request, options);
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    return failure(500, 'INTERNAL', String(error));
  }
}

function route(store: StubStore, request: StubRequest, options: RouteOptions): StubAnswer {
  const { method, path } = request;
  if (method === 'GET' && path === '/health') return { status: 200, body: { status: 'ok', healthy: true } };
  if (method === 'GET' && path === '/ready') return { status: 200, body: { status: 'ready' } };
  authorise(request, options);

  const session = /^\/api\/v1\/sessions\/([^/]+)(\/.*)?$/.exec(path);
  if (session !== null) {
    const id = decodeURIComponent(session[1] ?? '');
    return sessionRoute(store, id, `${method} ${session[2] ?? ''}`, request, options);
  }
  const old = options.generation === 'old';
  switch (`${method} ${path}`) {
    case 'GET /api/v1/system/status':
      return ok({ initialized: true, user: 'default' });
    case 'POST /api/v1/sessions': {
      const body = object(request, ['session_id', 'auto_commit_policy', 'memory_policy', 'memory_extraction_config']);
      if (body['auto_commit_policy'] !== undefined) checkPolicy(body['auto_commit_policy']);
      const id = body['session_id'];
      if (id !== undefined && typeof id !== 'string') throw invalid('session_id', 'a string is required');
      const created = store.ensureSession(id);
      return ok({ session_id: created.id });
    }
    case 'POST /api/v1/search/search':
      return search(store, request, old);
    case 'POST /api/v1/search/recall':
      return recall(store, request);
    case 'POST /api/v1/search/find':
      return find(store, request);
    case 'GET /api/v1/content/read':
      return read(store, parameter(request, 'uri'));
    case 'GET /api/v1/fs/ls': {
      const entries = store.listings.get(parameter(request, 'uri').replace(/\/$/, ''));
      if (entries === undefined) return failure(404, 'NOT_FOUND', 'no such folder');
      return ok(entries.map((entry) => ({ ...entry, rel_path: entry.name, isDir: false })));
    }
    case 'GET /api/v1/skills':
      return old ? failure(404, 'NOT_FOUND', 'no such route') : ok(store.skills);
    default:
      return { status: 404, body: { detail: 'Not Found' } };
  }
}

function sessionRoute(
  store: StubStore,
  id: string,
  call: string,
  request: StubRequest,
  options: RouteOptions,
): StubAnswer {
  const old = options.generation === 'old';
  const known = store.sessions.get(id);
  switch (call) {
    case 'GET ': {
      if (known === undefined) return failure(404, 'NOT_FOUND', `session ${id} is unknown`);
      return ok({
        session_id: id,
        message_count: known.live.length,
        ...(old ? {} : { total_message_count: known.messages.length }),
        commit_count: known.commits.length,
        pending_tokens: known.pendingTokens,
        auto_commit_policy: known.autoCommitPolicy,
        last_commit_at: null,
      });
    }
    case 'DELETE ':
      return store.sessions.delete(id) ? ok({}) : failure(404, 'NOT_FOUND', `session ${id} is unknown`);
    case 'PATCH /config': {
      const body = object(request, ['auto_commit_policy', 'memory_extraction_config']);
      const policy = body['auto_commit_policy'];
      if (policy !== undefined && policy !== null) checkPolicy(policy);
      if (known === undefined) return failure(404, 'NOT_FOUND', `session ${id} is unknown`);
      if (policy !== undefined) known.autoCommitPolicy = policy as JsonRecord | null;
      return ok({ auto_commit_policy: known.autoCommitPolicy });
    }
    case 'POST /messages': {
      const message = checkMessage(object(request, MESSAGE_FIELDS));
      const session = store.ensureSession(id);
      session.live.push(message);
      return ok({ session_id: id, message_count: session.live.length });
    }
    case 'POST /messages/batch': {
      if (old) return { status: 404, body: { detail: 'Not Found' } };
      const list = object(request, ['messages'])['messages'];
      if (!Array.isArray(list) || list.length === 0) throw invalid('messages', 'a list with at least one message');
      if (list.length > 100) throw invalid('messages', 'at most 100 messages');
      const messages = list.map((item) => checkMessage(fields(item, MESSAGE_FIELDS)));
      const session = store.ensureSession(id);
      session.live.push(...messages);
      return ok({ session_id: id, message_count: session.live.length, added: messages.length });
    }
    case 'POST /commit': {
      const keep = object(request, ['keep_recent_count'])['keep_recent_count'];
      if (keep !== undefined && (!Number.isInteger(keep) || (keep as number) < 0 || (keep as number) > 10_000)) {
        throw invalid('keep_recent_count', 'an integer from 0 to 10000');
      }
      if (known === undefined) return failure(404, 'NOT_FOUND', `session ${id} is unknown`);
      const gone = known.commit(keep as number | undefined);
      if (gone.length === 0) return ok({ status: 'skipped', archived: false, reason: 'nothing to archive' });
      store.remember(known, gone);
      const number = known.commits.length;
      return ok({
        status: 'accepted',
        task_id: `task-${id}-${number}`,
        archive_uri: `viking://~/sessions/${id}/archive_${number}`,
        archived: true,
      });
    }
    case 'GET /context': {
      if (known === undefined) return failure(404, 'NOT_FOUND', `session ${id} is unknown`);
      const overview = known.archived.length === 0 ? '' : `${known.archived.length} earlier messages`;
      return ok({
        latest_archive_overview: overview,
        pre_archive_abstracts: [],
        messages: known.live.map((message, index) => ({ id: `m${index}`, ...message })),
        stats: { total: known.messages.length },
      });
    }
    case 'POST /used':
      store.ensureSession(id).used.push(object(request, ['contexts', 'skill']));
      return ok({});
    default:
      return { status: 404, body: { detail: 'Not Found' } };
  }
}

const SEARCH_FIELDS = [
  'query',
  'mode',
  'purpose',
  'score_threshold',
  'session_id',
  'dedup_turns',
  'query_expansion',
  'max_tokens',
  'quotas',
  'rewrite',
  'rewrite_max_bullets',
  'exclude_uris',
  'peer_scope',
  'target_uri',
  'limit',
];

function search(store: StubStore, request: StubRequest, old: boolean): StubAnswer {
  const body = object(request, SEARCH_FIELDS);
  const query = body['query'];
  if (typeof query !== 'string' || query.trim() === '') throw invalid('query', 'a non-empty string is required');
  if (body['mode'] !== undefined && old) return failure(400, 'INVALID_ARGUMENT', "unknown field 'mode'");
  if (body['mode'] === 'context' && body['target_uri'] !== undefined) {
    return failure(400, 'INVALID_ARGUMENT', "'target_uri' cannot be combined with mode 'context'");
  }
  if (typeof body['session_id'] === 'string') store.ensureSession(body['session_id']);
  const threshold = typeof body['score_threshold'] === 'number' ? body['score_threshold'] : 0;
  const hits = store.search(query).filter((memory) => memory.score >= threshold);
  if (body['mode'] !== 'context') return ok({ memories: hits, resources: [], skills: [] });
  const entries = hits.map(({ uri, category, score, text }) => ({
    uri,
    category,
    score,
    detail: 'full',
    text,
    origin: 'memory',
  }));
  return ok({
    entries,
    rendered: entries.map((entry) => `- ${entry.text} (${entry.uri})`).join('\n'),
    digest: null,
    stats: { returned: entries.length, used_tokens: 0, rewrite: 'off', dedup: { suppressed: 0 } },
  });
}

function recall(store: StubStore, request: StubRequest): StubAnswer {
  const body = object(request, ['query', 'quotas', 'max_chars', 'min_score', 'render', 'peer_scope']);
  const query = body['query'];
  if (typeof query !== 'string') throw invalid('query', 'a string is required');
  const threshold = typeof body['min_score'] === 'number' ? body['min_score'] : 0;
  const hits = store.search(query).filter((memory) => memory.score >= threshold);
  return ok({ entries: hits, rendered: hits.map((hit) => `- ${hit.text} (${hit.uri})`).join('\n') });
}

function find(store: StubStore, request: StubRequest): StubAnswer {
  const body = object(request, ['query', 'target_uri', 'limit', 'score_threshold']);
  const query = body['query'];
  if (typeof query !== 'string') throw invalid('query', 'a string is required');
  const target = typeof body['target_uri'] === 'string' ? body['target_uri'] : '';
  const memories = store
    .search(query)
    .filter((memory) => memory.uri.startsWith(target))
    .map(({ uri, category, score, abstract }) => ({
      uri,
      category,
      score,
      abstract,
      context_type: 'memory',
      level: 2,
    }));
  return ok({ memories, resources: [], skills: [] });
}

function read(store: StubStore, uri: string): StubAnswer {
  if (uri === 'viking://~/memories/profile.md') {
    return store.profile === '' ? failure(404, 'NOT_FOUND', 'no profile') : ok(store.profile);
  }
  const memory = store.memories.find((candidate) => candidate.uri === uri);
  return memory === undefined ? failure(404, 'NOT_FOUND', `${uri} is unknown`) : ok(memory.text);
}

function authorise(request: StubRequest, options: RouteOptions): void {
  if (options.apiKey !== undefined && request.headers['authorization'] !== `Bearer ${options.apiKey}`) {
    throw new Refusal(failure(401, 'UNAUTHENTICATED', 'the API key is missing or wrong'));
  }
  const peer = request.headers['x-openviking-actor-peer'];
  if (typeof peer === 'string' && /[\\/]/.test(peer)) {
    throw new Refusal(failure(400, 'INVALID_ARGUMENT', 'the peer contains a slash'));
  }
}

function parameter(request: StubRequest, name: string): string {
  const value = request.query.get(name);
  if (value === null) throw invalid(name, 'field required');
  return value;
}

/** The request's body as an object that has no other field than those named. */
function object(request: StubRequest, allowed: readonly string[]): JsonRecord {
  if (request.bodyText === '') return {};
  let value: unknown;
  let torn = false;
  try {
    value = JSON.parse(request.bodyText, (_key, item: unknown) => {
      // Half a surrogate pair is valid JSON, but no server can store it as UTF-8.
      if (typeof item === 'string' && /\p{Surrogate}/u.test(item)) torn = true;
      return item;
    });
  } catch {
    throw invalid('', 'the body is not valid JSON');
  }
  if (torn) throw invalid('', 'the body contains half a character');
  return fields(value, allowed);
}

function fields(value: unknown, allowed: readonly string[]): JsonRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('', 'an object is required');
  for (const key of Object.keys(value)) {
    if (!allowed.includes(key)) throw invalid(key, 'extra fields not permitted');
  }
  return value as JsonRecord;
}

/** The one policy field that a client is told about; anything else inside a policy is refused. */
const POLICY_FIELDS = ['idle_timeout_seconds'];

function checkPolicy(value: unknown): void {
  if (value === null) return;
  for (const [key, number] of Object.entries(fields(value, POLICY_FIELDS))) {
    if (typeof number !== 'number' || number <= 0) throw invalid(key, 'a positive number is required');
  }
}

const MESSAGE_FIELDS = [
  'role',
  'content',
  'parts',
  'peer_id',
  'turn_id',
  'created_at',
  'message_kind',
  'source_message_ids',
];
const PART_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text'],
  context: ['type', 'uri', 'context_type', 'abstract'],
  tool: ['type', 'tool_id', 'tool_name', 'tool_input', 'tool_output', 'tool_status'],
  image_url: ['type', 'image_url'],
};
const TOOL_STATES: readonly unknown[] = ['pending', 'running', 'completed', 'error'];

function checkMessage(message: JsonRecord): StoredMessage {
  if (typeof message['role'] !== 'string') throw invalid('role', 'a string is required');
  const { content, parts } = message;
  if (content === undefined && parts === undefined) throw invalid('content', 'either content or parts is required');
  if (content !== undefined && typeof content !== 'string') throw invalid('content', 'a string is required');
  if (parts !== undefined) {
    if (!Array.isArray(parts)) throw invalid('parts', 'a list is required');
    for (const part of parts as unknown[]) checkPart(part);
  }
  if (message['created_at'] !== undefined && Number.isNaN(Date.parse(String(message['created_at'])))) {
    throw invalid('created_at', 'not a date');
  }
  return message as unknown as StoredMessage;
}

function checkPart(value: unknown): void {
  const type = String((value as JsonRecord | null)?.['type']);
  const allowed = PART_FIELDS[type];
  if (allowed === undefined) throw invalid('parts', `unknown part type ${type}`);
  const part = fields(value, allowed);
  if (type === 'text' && typeof part['text'] !== 'string') throw invalid('parts', 'text: a string is required');
  if (type !== 'tool') return;
  const input = part['tool_input'];
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid('parts', 'tool_input: an object is required');
  }
  if (!TOOL_STATES.includes(part['tool_status'])) throw invalid('parts', 'tool_status: not a known state');
}
