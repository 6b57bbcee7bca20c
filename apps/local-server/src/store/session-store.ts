/**
 * Sessions: live messages, archives, and the commit that turns one into the other. A commit and the memories it makes
 * are one transaction; a kill in the middle leaves the messages live, never archived without their memories.
 */
import { estimateTokens } from '@openviking/memory-core/full';
import { eventOfTurn } from '../memory/event-memory.ts';
import { summariseArchive } from '../memory/archive-summary.ts';
import { messageText } from '../memory/stored-message.ts';
import type { StoredMessage, StoredPart } from '../memory/stored-message.ts';
import { groupTurns } from '../memory/turns.ts';
import { mergePolicy, thresholdReached } from './auto-commit-policy.ts';
import type { AutoCommitPolicy } from './auto-commit-policy.ts';
import type { Database, Row } from './database.ts';
import type { MemoryStore } from './memory-store.ts';

export interface Session {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly totalMessages: number;
  readonly liveMessages: number;
  readonly pendingTokens: number;
  readonly commitCount: number;
  readonly eventsExtracted: number;
  readonly lastCommitAt: number | undefined;
  readonly autoCommitPolicy: AutoCommitPolicy | undefined;
  readonly memoryExtractionConfig: unknown;
}

export interface NewMessage {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly StoredPart[];
  readonly turnId: string | undefined;
  readonly peerId: string | undefined;
  readonly createdAt: number;
  readonly kind: string | undefined;
  readonly sourceMessageIds: readonly string[] | undefined;
}

export interface Archive {
  readonly number: number;
  readonly abstract: string;
  readonly overview: string;
}

export interface CommitOutcome {
  /** Number of the new archive; undefined when there was nothing to archive. */
  readonly archive: number | undefined;
  readonly reason: 'no_messages' | 'within_keep_recent_count' | undefined;
  readonly memories: number;
}

export interface SessionConfig {
  /** null switches auto commit off; undefined leaves it. */
  readonly autoCommitPolicy?: { readonly [Field in keyof AutoCommitPolicy]?: number | undefined } | null | undefined;
  readonly memoryPolicy?: unknown;
  readonly memoryExtractionConfig?: unknown;
}

export class SessionStore {
  readonly #database: Database;
  readonly #memories: MemoryStore;
  readonly #now: () => number;

  constructor(database: Database, memories: MemoryStore, now: () => number) {
    this.#database = database;
    this.#memories = memories;
    this.#now = now;
  }

  get(id: string): Session | undefined {
    const row = this.#database.get('SELECT * FROM session WHERE id = ?', id);
    return row === undefined ? undefined : sessionOfRow(row);
  }

  /** The session, made when it is missing. */
  ensure(id: string): Session {
    const known = this.get(id);
    if (known !== undefined) return known;
    const now = this.#now();
    this.#database.run('INSERT INTO session (id, created_at, updated_at) VALUES (?, ?, ?)', id, now, now);
    return this.get(id) as Session;
  }

  list(): Session[] {
    return this.#database.all('SELECT * FROM session ORDER BY updated_at DESC, id').map(sessionOfRow);
  }

  /** Changes what `config` names of an existing session. */
  configure(id: string, config: SessionConfig): Session {
    return this.#database.transaction(() => {
      const session = this.get(id) as Session;
      if (config.autoCommitPolicy !== undefined) {
        const policy =
          config.autoCommitPolicy === null ? undefined : mergePolicy(session.autoCommitPolicy, config.autoCommitPolicy);
        this.#database.run(
          'UPDATE session SET auto_commit_policy = ? WHERE id = ?',
          policy === undefined ? null : JSON.stringify(policy),
          id,
        );
      }
      if (config.memoryPolicy !== undefined)
        this.#database.run(
          'UPDATE session SET memory_policy = ? WHERE id = ?',
          JSON.stringify(config.memoryPolicy),
          id,
        );
      if (config.memoryExtractionConfig !== undefined)
        this.#database.run(
          'UPDATE session SET memory_extraction_config = ? WHERE id = ?',
          JSON.stringify(config.memoryExtractionConfig),
          id,
        );
      this.#refreshIdleDue(id);
      return this.get(id) as Session;
    });
  }

  /** Stores all messages or none; makes the session when it is missing; commits when the session's policy says so. */
  append(id: string, messages: readonly NewMessage[]): Session {
    return this.#database.transaction(() => {
      this.ensure(id);
      let tokens = 0;
      for (const message of messages) {
        const body = JSON.stringify({
          parts: message.parts,
          ...(message.kind === undefined ? {} : { message_kind: message.kind }),
          ...(message.sourceMessageIds === undefined ? {} : { source_message_ids: message.sourceMessageIds }),
        });
        const size = estimateTokens(messageText(message)) + toolTokens(message.parts);
        tokens += size;
        this.#database.run(
          'INSERT INTO message (session_id, role, turn_id, peer_id, created_at, tokens, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
          id,
          message.role,
          message.turnId,
          message.peerId,
          message.createdAt,
          size,
          body,
        );
      }
      const now = this.#now();
      this.#database.run(
        `UPDATE session SET updated_at = ?, total_messages = total_messages + ?, live_messages = live_messages + ?,
           pending_tokens = pending_tokens + ? WHERE id = ?`,
        now,
        messages.length,
        messages.length,
        tokens,
        id,
      );
      const session = this.get(id) as Session;
      const policy = session.autoCommitPolicy;
      if (policy !== undefined && thresholdReached(policy, session, now)) this.commit(id, policy.keep_recent_count);
      this.#refreshIdleDue(id);
      return this.get(id) as Session;
    });
  }

  /** Archives all live messages but the newest `keepRecent`, with a summary and a memory of every closed turn. */
  commit(id: string, keepRecent: number): CommitOutcome {
    return this.#database.transaction(() => {
      const live = this.liveMessages(id);
      const batch = live.slice(0, Math.max(0, live.length - keepRecent));
      const last = batch.at(-1);
      if (last === undefined) {
        return {
          archive: undefined,
          reason: live.length === 0 ? 'no_messages' : 'within_keep_recent_count',
          memories: 0,
        };
      }
      const now = this.#now();
      const archive =
        1 +
        Number(this.#database.get('SELECT coalesce(max(number), 0) AS n FROM archive WHERE session_id = ?', id)?.['n']);
      this.#database.run(
        'UPDATE message SET archive = ? WHERE session_id = ? AND archive IS NULL AND id <= ?',
        archive,
        id,
        last.id,
      );
      const summary = summariseArchive(groupTurns(batch));
      this.#database.run(
        'INSERT INTO archive (session_id, number, created_at, abstract, overview) VALUES (?, ?, ?, ?, ?)',
        id,
        archive,
        now,
        summary.abstract,
        summary.overview,
      );
      const memories = this.#remember(id, batch, live.slice(batch.length), now);
      const kept = Number(
        this.#database.get(
          'SELECT coalesce(sum(tokens), 0) AS n FROM message WHERE session_id = ? AND archive IS NULL',
          id,
        )?.['n'],
      );
      this.#database.run(
        `UPDATE session SET live_messages = ?, pending_tokens = ?, commit_count = commit_count + 1,
           events_extracted = events_extracted + ?, last_commit_at = ? WHERE id = ?`,
        live.length - batch.length,
        kept,
        memories,
        now,
        id,
      );
      this.#refreshIdleDue(id);
      return { archive, reason: undefined, memories };
    });
  }

  /** Commits every session that has been idle for as long as its policy says; returns their ids. */
  commitIdle(): string[] {
    const due = this.#database
      .all('SELECT id FROM session WHERE idle_due_at <= ? ORDER BY idle_due_at', this.#now())
      .map((row) => String(row['id']));
    for (const id of due) this.commit(id, 0);
    return due;
  }

  /** When the next idle commit is due, in ms since 1970; undefined without one. */
  nextIdleDue(): number | undefined {
    const due = this.#database.get('SELECT min(idle_due_at) AS due FROM session WHERE idle_due_at IS NOT NULL')?.[
      'due'
    ];
    return due === null || due === undefined ? undefined : Number(due);
  }

  liveMessages(id: string): StoredMessage[] {
    return this.#database
      .all('SELECT * FROM message WHERE session_id = ? AND archive IS NULL ORDER BY id', id)
      .map(messageOfRow);
  }

  /** Archives of a session, newest first. */
  archives(id: string): Archive[] {
    return this.#database
      .all('SELECT number, abstract, overview FROM archive WHERE session_id = ? ORDER BY number DESC', id)
      .map((row) => ({
        number: Number(row['number']),
        abstract: String(row['abstract']),
        overview: String(row['overview']),
      }));
  }

  /** Removes a session with its messages and archives. What became memory stays. */
  delete(id: string): void {
    this.#database.run('DELETE FROM session WHERE id = ?', id);
  }

  /** Paths shown to the session within its last `window` messages. */
  shownWithin(id: string, window: number): Set<string> {
    const session = this.get(id);
    if (session === undefined) return new Set();
    return new Set(
      this.#database
        .all('SELECT path FROM shown WHERE session_id = ? AND at_message > ?', id, session.totalMessages - window)
        .map((row) => String(row['path'])),
    );
  }

  noteShown(id: string, paths: readonly string[]): void {
    if (paths.length === 0) return;
    this.#database.transaction(() => {
      const { totalMessages } = this.ensure(id);
      for (const path of paths)
        this.#database.run(
          'INSERT INTO shown (session_id, path, at_message) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at_message = excluded.at_message',
          id,
          path,
          totalMessages,
        );
    });
  }

  /** Makes the event memories of the turns in `batch` that `live`, what follows it, does not go on with. */
  #remember(id: string, batch: readonly StoredMessage[], live: readonly StoredMessage[], now: number): number {
    const next = live[0];
    const openTurns = new Set(
      live.flatMap((message) => (message.turnId === undefined ? [] : [`turn:${message.turnId}`])),
    );
    const turns = groupTurns(this.#withEarlierParts(id, batch));
    const lastTurn = turns.at(-1);
    if (lastTurn !== undefined && next !== undefined && next.turnId === undefined && next.role === 'assistant')
      openTurns.add(lastTurn.key);
    const fresh = new Set(batch.map((message) => message.id));
    let memories = 0;
    for (const turn of turns) {
      if (openTurns.has(turn.key) || !turn.messages.some((message) => fresh.has(message.id))) continue;
      const source = JSON.stringify([id, turn.key]);
      const event = eventOfTurn(turn, source);
      if (event !== undefined && this.#memories.put(event, source, id, now)) memories += 1;
    }
    return memories;
  }

  /** `batch` with the messages of its turns that an earlier commit archived already. */
  #withEarlierParts(id: string, batch: readonly StoredMessage[]): StoredMessage[] {
    const found = new Map(batch.map((message) => [message.id, message]));
    const first = batch[0];
    if (first === undefined) return [];
    for (const turnId of new Set(batch.map((message) => message.turnId)))
      if (turnId !== undefined)
        for (const row of this.#database.all(
          'SELECT * FROM message WHERE session_id = ? AND turn_id = ? AND archive IS NOT NULL AND id < ?',
          id,
          turnId,
          first.id,
        ))
          found.set(Number(row['id']), messageOfRow(row));
    if (first.turnId === undefined && first.role === 'assistant')
      for (const row of this.#database.all(
        // The question (or questions in a row) that this batch's first answer belongs to: all after the answer before.
        `WITH plain AS (SELECT * FROM message WHERE session_id = ? AND archive IS NOT NULL AND turn_id IS NULL AND id < ?),
              question AS (SELECT coalesce(max(id), 0) AS id FROM plain WHERE role = 'user'),
              before AS (SELECT coalesce(max(id), 0) AS id FROM plain WHERE role = 'assistant' AND id < (SELECT id FROM question))
         SELECT * FROM plain WHERE id > (SELECT id FROM before) ORDER BY id`,
        id,
        first.id,
      ))
        found.set(Number(row['id']), messageOfRow(row));
    return [...found.values()].sort((left, right) => left.id - right.id);
  }

  #refreshIdleDue(id: string): void {
    const session = this.get(id) as Session;
    const idle = session.autoCommitPolicy?.idle_timeout_seconds ?? 0;
    this.#database.run(
      'UPDATE session SET idle_due_at = ? WHERE id = ?',
      idle > 0 && session.liveMessages > 0 ? session.updatedAt + idle * 1_000 : null,
      id,
    );
  }
}

function sessionOfRow(row: Row): Session {
  const parsed = (column: string): unknown => (row[column] === null ? undefined : JSON.parse(String(row[column])));
  return {
    id: String(row['id']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    totalMessages: Number(row['total_messages']),
    liveMessages: Number(row['live_messages']),
    pendingTokens: Number(row['pending_tokens']),
    commitCount: Number(row['commit_count']),
    eventsExtracted: Number(row['events_extracted']),
    lastCommitAt: row['last_commit_at'] === null ? undefined : Number(row['last_commit_at']),
    autoCommitPolicy: parsed('auto_commit_policy') as AutoCommitPolicy | undefined,
    memoryExtractionConfig: parsed('memory_extraction_config'),
  };
}

function messageOfRow(row: Row): StoredMessage {
  const body = JSON.parse(String(row['body'])) as { parts: StoredPart[] };
  return {
    id: Number(row['id']),
    role: row['role'] === 'user' ? 'user' : 'assistant',
    parts: body.parts,
    turnId: row['turn_id'] === null ? undefined : String(row['turn_id']),
    peerId: row['peer_id'] === null ? undefined : String(row['peer_id']),
    createdAt: Number(row['created_at']),
  };
}

function toolTokens(parts: readonly StoredPart[]): number {
  let tokens = 0;
  for (const part of parts)
    if (part.type === 'tool')
      tokens += estimateTokens(`${String(part['tool_output'] ?? '')}${JSON.stringify(part['tool_input'] ?? {})}`);
  return tokens;
}
