/**
 * The one SQLite file. The WebAssembly build locks a database by a folder beside it, which a killed process leaves
 * behind: that is safe to remove only by the holder of our own lock (process/instance.ts), and it is done here, at start.
 */
import sqlite from 'node-sqlite3-wasm';
import type { BindValues, Database as Connection, Statement } from 'node-sqlite3-wasm';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { OpenVikingError } from '@openviking/memory-core/full';

/** Values of one row by column name. */
export type Row = Readonly<Record<string, number | bigint | string | Uint8Array | null>>;

/** Raised when the tables change; a file with a newer number was written by a newer server. */
const SCHEMA_VERSION = 1;

/** What a big transaction leaves of the log on disk. */
const LOG_LIMIT_BYTES = 8 * 1024 * 1024;

const SCHEMA = `
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  total_messages INTEGER NOT NULL DEFAULT 0,
  live_messages INTEGER NOT NULL DEFAULT 0,
  pending_tokens INTEGER NOT NULL DEFAULT 0,
  commit_count INTEGER NOT NULL DEFAULT 0,
  events_extracted INTEGER NOT NULL DEFAULT 0,
  last_commit_at INTEGER,
  auto_commit_policy TEXT,
  memory_policy TEXT,
  memory_extraction_config TEXT,
  -- When the idle policy asks for a commit; NULL without a policy or without live messages.
  idle_due_at INTEGER
);
CREATE INDEX session_idle ON session (idle_due_at) WHERE idle_due_at IS NOT NULL;
CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  archive INTEGER,
  role TEXT NOT NULL,
  turn_id TEXT,
  peer_id TEXT,
  created_at INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX message_live ON message (session_id, archive, id);
CREATE INDEX message_turn ON message (session_id, turn_id) WHERE turn_id IS NOT NULL;
CREATE TABLE archive (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  abstract TEXT NOT NULL,
  overview TEXT NOT NULL,
  PRIMARY KEY (session_id, number)
) WITHOUT ROWID;
CREATE TABLE memory (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  category TEXT NOT NULL,
  peer_id TEXT,
  session_id TEXT,
  -- Identity of what it was made from: the same turn archived twice is one memory.
  source TEXT UNIQUE,
  abstract TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  used INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX memory_category ON memory (category, updated_at);
-- Holds words cut by search/words.ts, not text; porter makes "uses" and "use" one word.
CREATE VIRTUAL TABLE memory_words USING fts5 (
  words, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
-- What a conversation has been shown, by its message count then: not shown again for a while.
CREATE TABLE shown (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  at_message INTEGER NOT NULL,
  PRIMARY KEY (session_id, path)
) WITHOUT ROWID;
`;

export class Database {
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();

  /** Opens or creates the file at `path`. The caller must own the folder's lock. */
  constructor(path: string) {
    // Only the lock's owner gets here, so a lock folder is the remains of a process that was killed.
    rmSync(`${path}.lock`, { recursive: true, force: true });
    try {
      this.#connection = new sqlite.Database(path);
      this.#setUp();
      this.#migrate(path);
    } catch (error) {
      if (OpenVikingError.is(error)) throw error;
      throw new OpenVikingError({
        code: 'local-server/database',
        message: `The memory database ${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}.`,
        next: 'Check the disk and the rights of the file. If it is damaged, move it away and start again.',
        cause: error,
      });
    }
    if (process.platform !== 'win32')
      for (const file of [path, `${path}-wal`]) if (existsSync(file)) chmodSync(file, 0o600);
  }

  all(sql: string, ...values: SqlValue[]): Row[] {
    return this.#run(sql, (statement) => statement.all(bound(values)) as Row[]);
  }

  get(sql: string, ...values: SqlValue[]): Row | undefined {
    // To its end, although one row is wanted: a statement left in the middle keeps the log from being written back.
    return this.all(sql, ...values)[0];
  }

  /** Returns the row id that an INSERT gave. */
  run(sql: string, ...values: SqlValue[]): number {
    return this.#run(sql, (statement) => Number(statement.run(bound(values)).lastInsertRowid));
  }

  /** Runs `work` in one transaction: all of it is stored, or nothing. Nested calls join the outer one. */
  transaction<Result>(work: () => Result): Result {
    if (this.#connection.inTransaction) return work();
    this.#connection.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#connection.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    this.#connection.close();
  }

  #run<Result>(sql: string, work: (statement: Statement) => Result): Result {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    try {
      return work(statement);
    } catch (error) {
      // A statement that failed once reports the same failure at its next use: it is not used again.
      this.#statements.delete(sql);
      try {
        statement.finalize();
      } catch {
        // Finalizing repeats the failure as well.
      }
      throw error;
    }
  }

  /**
   * A write-ahead log, not a rollback journal: this build takes its own lock folder for another writer's and therefore
   * never rolls a dead writer's journal back, so that half a transaction would stay in the file. Recovery from a log
   * does not ask for locks. Without shared memory a log needs exclusive mode, set before the file is first touched.
   */
  #setUp(): void {
    this.#connection.all('PRAGMA locking_mode = EXCLUSIVE');
    const mode = this.#connection.get('PRAGMA journal_mode = WAL')?.['journal_mode'];
    if (mode !== 'wal') throw new Error(`the write-ahead log cannot be used (journal mode ${String(mode)})`);
    this.#connection.all('PRAGMA synchronous = FULL');
    this.#connection.all(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`);
  }

  #migrate(path: string): void {
    const version = Number(this.#connection.get('PRAGMA user_version')?.['user_version'] ?? 0);
    if (version === SCHEMA_VERSION) return;
    if (version > SCHEMA_VERSION) {
      throw new OpenVikingError({
        code: 'local-server/newer-database',
        message: `The memory database ${path} was written by a newer version of this server (format ${version}, this one knows ${SCHEMA_VERSION}).`,
        next: 'Update the server, or start it with another --data folder.',
      });
    }
    this.transaction(() => {
      this.#connection.exec(SCHEMA);
      this.#connection.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    });
  }
}

export type SqlValue = string | number | null | undefined;

function bound(values: readonly SqlValue[]): BindValues {
  return values.map((value) => value ?? null);
}
