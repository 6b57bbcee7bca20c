/** Sessions over HTTP. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { estimateTokens } from '@openviking/memory-core/full';
import type { Backend } from '../backend.ts';
import type { StoredMessage, StoredPart } from '../memory/stored-message.ts';
import { mergePolicy } from '../store/auto-commit-policy.ts';
import type { Archive, NewMessage, Session } from '../store/session-store.ts';
import { ACCOUNT_ID, USER_ID, pathOfUri, uriOfPath } from '../viking-uri.ts';
import { commitBody, createSessionBody, messageBatchBody, messageBody, sessionConfigBody, usedBody } from './bodies.ts';
import type { MessageBody } from './bodies.ts';
import { Failure, envelope, validated } from './failure.ts';
import { requireSessionId } from './session-id.ts';

const USER = { account_id: ACCOUNT_ID, user_id: USER_ID };
const getQuery = z.object({ auto_create: z.enum(['true', 'false', '1', '0']).default('false') });
const contextQuery = z.object({ token_budget: z.coerce.number().int().min(0).default(128_000) });

export function sessionRoutes(app: FastifyInstance, backend: Backend): void {
  const { sessions } = backend;

  app.post('/sessions', async (request) => {
    const body = validated(createSessionBody, request.body, 'body');
    const id = requireSessionId(body.session_id ?? randomUUID());
    sessions.ensure(id);
    const session = sessions.configure(id, {
      autoCommitPolicy: body.auto_commit_policy ?? undefined,
      memoryPolicy: body.memory_policy ?? undefined,
      memoryExtractionConfig: body.memory_extraction_config ?? undefined,
    });
    backend.idleCommitsChanged();
    return envelope({
      session_id: id,
      uri: sessionUri(id),
      user: USER,
      auto_commit_policy: session.autoCommitPolicy ?? null,
    });
  });

  app.get('/sessions', async () =>
    envelope(sessions.list().map(({ id }) => ({ session_id: id, uri: sessionUri(id), is_dir: true }))),
  );

  app.get('/sessions/:id', async (request) => {
    const id = idOf(request);
    const create = ['true', '1'].includes(validated(getQuery, request.query, 'query').auto_create);
    return envelope(sessionView(create ? sessions.ensure(id) : existing(backend, id)));
  });

  app.patch('/sessions/:id/config', async (request) => {
    const body = validated(sessionConfigBody, request.body ?? {}, 'body');
    const { id } = existing(backend, idOf(request));
    const session = sessions.configure(id, {
      autoCommitPolicy: body.auto_commit_policy,
      memoryExtractionConfig: body.memory_extraction_config,
    });
    backend.idleCommitsChanged();
    return envelope({
      session_id: id,
      auto_commit_policy: session.autoCommitPolicy ?? null,
      memory_extraction_config: session.memoryExtractionConfig ?? {},
    });
  });

  app.post('/sessions/:id/messages', async (request) => {
    const message = validated(messageBody, request.body, 'body');
    const session = sessions.append(idOf(request), [newMessage(message, request.actorPeer, backend.now())]);
    backend.idleCommitsChanged();
    return envelope({ session_id: session.id, message_count: session.liveMessages });
  });

  app.post('/sessions/:id/messages/batch', async (request) => {
    const { messages } = validated(messageBatchBody, request.body, 'body');
    const now = backend.now();
    const session = sessions.append(
      idOf(request),
      messages.map((message) => newMessage(message, request.actorPeer, now)),
    );
    backend.idleCommitsChanged();
    return envelope({ session_id: session.id, message_count: session.liveMessages, added: messages.length });
  });

  app.post('/sessions/:id/commit', async (request) => {
    const body = validated(commitBody, request.body, 'body');
    const { id } = existing(backend, idOf(request));
    const outcome = sessions.commit(id, body.keep_recent_count ?? 0);
    if (outcome.archive === undefined)
      return envelope({
        session_id: id,
        status: 'skipped',
        task_id: null,
        archive_uri: null,
        archived: false,
        reason: outcome.reason,
      });
    return envelope({
      session_id: id,
      status: 'accepted',
      task_id: randomUUID(),
      archive_uri: `${sessionUri(id)}/history/${archiveName(outcome.archive)}`,
      archived: true,
    });
  });

  app.get('/sessions/:id/context', async (request) => {
    const { token_budget: budget } = validated(contextQuery, request.query, 'query');
    const { id } = existing(backend, idOf(request));
    return envelope(sessionContext(sessions.liveMessages(id), sessions.archives(id), budget));
  });

  app.post('/sessions/:id/used', async (request) => {
    const body = validated(usedBody, request.body ?? {}, 'body');
    const { id } = existing(backend, idOf(request));
    const paths = (body.contexts ?? []).flatMap((uri) => pathOfUri(uri) ?? []);
    return envelope({
      session_id: id,
      contexts_used: backend.memories.markUsed(paths),
      skills_used: body.skill === null || body.skill === undefined ? 0 : 1,
    });
  });

  app.delete('/sessions/:id', async (request) => {
    const { id } = existing(backend, idOf(request));
    sessions.delete(id);
    backend.idleCommitsChanged();
    return envelope({ session_id: id });
  });
}

function idOf(request: FastifyRequest): string {
  return requireSessionId((request.params as { id: string }).id);
}

function existing(backend: Backend, id: string): Session {
  const session = backend.sessions.get(id);
  if (session === undefined) throw new Failure('NOT_FOUND', `There is no session ${id}.`);
  return session;
}

function sessionUri(id: string): string {
  return uriOfPath(`sessions/${id}`);
}

function archiveName(number: number): string {
  return `archive_${String(number).padStart(3, '0')}`;
}

function sessionView(session: Session): Record<string, unknown> {
  return {
    session_id: session.id,
    uri: sessionUri(session.id),
    created_at: new Date(session.createdAt).toISOString(),
    updated_at: new Date(session.updatedAt).toISOString(),
    message_count: session.liveMessages,
    total_message_count: session.totalMessages,
    commit_count: session.commitCount,
    memories_extracted: { events: session.eventsExtracted, total: session.eventsExtracted },
    last_commit_at: session.lastCommitAt === undefined ? null : new Date(session.lastCommitAt).toISOString(),
    pending_tokens: session.pendingTokens,
    auto_commit_policy: session.autoCommitPolicy === undefined ? null : mergePolicy(session.autoCommitPolicy, {}),
    user: USER,
  };
}

function newMessage(body: MessageBody, actorPeer: string | undefined, now: number): NewMessage {
  const at = Date.parse(body.created_at ?? '');
  return {
    role: body.role,
    parts: body.parts ?? [{ type: 'text', text: body.content ?? '' }],
    turnId: blankless(body.turn_id),
    peerId: blankless(body.peer_id) ?? actorPeer,
    createdAt: Number.isNaN(at) ? now : at,
    kind: body.message_kind ?? undefined,
    sourceMessageIds: body.source_message_ids ?? undefined,
  };
}

function blankless(text: string | null | undefined): string | undefined {
  return text === null || text === undefined || text.trim() === '' ? undefined : text;
}

interface ContextMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly StoredPart[];
  readonly created_at: string;
  readonly turn_id?: string;
  readonly peer_id?: string;
}

/** Live messages always; then archive overviews, newest first, as far as the budget goes; abstracts of the others. */
function sessionContext(
  live: readonly StoredMessage[],
  archives: readonly Archive[],
  budget: number,
): Record<string, unknown> {
  const messages = live.map((message): ContextMessage => ({
    id: `msg_${message.id}`,
    role: message.role,
    parts: message.parts,
    created_at: new Date(message.createdAt).toISOString(),
    ...(message.turnId === undefined ? {} : { turn_id: message.turnId }),
    ...(message.peerId === undefined ? {} : { peer_id: message.peerId }),
  }));
  const activeTokens = messages.reduce((total, message) => total + estimateTokens(JSON.stringify(message.parts)), 0);
  let left = budget - activeTokens;
  const included: Archive[] = [];
  for (const archive of archives) {
    const tokens = estimateTokens(`${archive.overview}\n`);
    if (tokens > left) break;
    left -= tokens;
    included.push(archive);
  }
  const abstracts: { archive_id: string; abstract: string }[] = [];
  for (const archive of archives.slice(included.length)) {
    const tokens = estimateTokens(archive.abstract) + 10;
    if (tokens > left) break;
    left -= tokens;
    abstracts.push({ archive_id: archiveName(archive.number), abstract: archive.abstract });
  }
  const lines = included
    .map((archive) => archive.overview)
    .filter((overview) => overview !== '')
    .reverse();
  const overview = lines.length === 0 ? '' : `# Session so far\n\n${lines.join('\n')}`;
  const archiveTokens = estimateTokens(overview);
  return {
    latest_archive_overview: overview,
    pre_archive_abstracts: abstracts,
    messages,
    estimatedTokens: activeTokens + archiveTokens,
    stats: {
      totalArchives: archives.length,
      includedArchives: included.length,
      droppedArchives: archives.length - included.length,
      failedArchives: 0,
      activeTokens,
      archiveTokens,
    },
  };
}
