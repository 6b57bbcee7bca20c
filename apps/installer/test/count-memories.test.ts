/** Memories are counted in the file of a real database: in one page and in many, and while they are still in its log. */
import { createRequire } from 'node:module';
import { copyFileSync, existsSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { countMemories } from '../src/local/count-memories.ts';
import { withHome } from './support/scratch.ts';

interface Connection {
  exec(sql: string): void;
  run(sql: string, values: readonly (string | number)[]): void;
  close(): void;
}

/** The build that the local server has. */
const { Database } = createRequire(new URL('../../local-server/package.json', import.meta.url))(
  'node-sqlite3-wasm',
) as { readonly Database: new (path: string) => Connection };

function create(path: string, rows: number): Connection {
  const database = new Database(path);
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  database.exec('PRAGMA journal_mode = WAL');
  // Others before it, and one whose name only begins like it.
  database.exec('CREATE TABLE session (id TEXT PRIMARY KEY, note TEXT)');
  database.exec('CREATE TABLE memory_words (id INTEGER PRIMARY KEY)');
  database.exec('CREATE TABLE memory (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, content TEXT NOT NULL)');
  insert(database, 0, rows);
  return database;
}

function insert(database: Connection, from: number, to: number): void {
  database.exec('BEGIN');
  for (let id = from; id < to; id += 1) {
    // Some do not fit into a page.
    database.run('INSERT INTO memory (path, content) VALUES (?, ?)', [
      `m/${id}`,
      'x'.repeat(id % 50 === 0 ? 9_000 : 300),
    ]);
  }
  database.exec('COMMIT');
}

describe('a database of the local server', () => {
  it.each([0, 1, 7, 3_000])('with %i memories has that many', (rows) =>
    withHome(async (home) => {
      const path = home.at('memory.db');
      create(path, rows).close();
      expect(existsSync(`${path}-wal`)).toBe(false);
      expect(countMemories(path)).toBe(rows);
    }),
  );

  it('has those that are still in its log, and not those of an unfinished transaction', () =>
    withHome(async (home) => {
      const path = home.at('memory.db');
      const database = create(path, 40);
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
      expect(countMemories(path)).toBe(40);
      database.exec('BEGIN');
      database.exec('DELETE FROM memory WHERE id > 10');
      expect(countMemories(path)).toBe(40);
      database.exec('COMMIT');
      expect(countMemories(path)).toBe(10);
      database.close();
      expect(countMemories(path)).toBe(10);
    }));

  it('that is cut off, another file, without the table, or not there is not guessed at', () =>
    withHome(async (home) => {
      const path = home.at('memory.db');
      create(path, 3_000).close();
      const cut = home.at('cut.db');
      copyFileSync(path, cut);
      truncateSync(cut, 20_000);
      expect(countMemories(cut)).toBeUndefined();
      writeFileSync(home.at('text.db'), 'x'.repeat(4_000));
      expect(countMemories(home.at('text.db'))).toBeUndefined();
      const other = new Database(home.at('other.db'));
      other.exec('CREATE TABLE notes (id INTEGER)');
      other.close();
      expect(countMemories(home.at('other.db'))).toBeUndefined();
      expect(countMemories(home.at('none.db'))).toBeUndefined();
    }));
});
