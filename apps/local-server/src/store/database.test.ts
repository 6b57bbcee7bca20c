import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from './database.ts';

let folder: string;
let path: string;
let database: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ov-database-'));
  path = join(folder, 'memory.db');
  database = new Database(path);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const INSERT = 'INSERT INTO session (id, created_at, updated_at) VALUES (?, 0, 0)';

describe('Database', () => {
  it('writes its log back into the file while statements are being used', () => {
    database.all('PRAGMA synchronous = OFF');
    for (let index = 0; index < 6_000; index += 1) {
      database.run(INSERT, `${index}-${'x'.repeat(1_000)}`);
      // Finds one of many: a statement that is not run to its end would hold the log from now on.
      database.get('SELECT id FROM session ORDER BY id LIMIT 2');
    }
    expect(statSync(path).size).toBeGreaterThan(4_000_000);
    expect(statSync(`${path}-wal`).size).toBeLessThan(9_000_000);
  });

  it('goes on after a statement failed', () => {
    database.run(INSERT, 'a');
    expect(() => database.run(INSERT, 'a')).toThrow(/UNIQUE/);
    expect(() => database.run(INSERT, 'a')).toThrow(/UNIQUE/);
    database.run(INSERT, 'b');
    expect(database.all('SELECT id FROM session ORDER BY id')).toEqual([{ id: 'a' }, { id: 'b' }]);
  });

  it('takes back a transaction that throws, and goes on', () => {
    expect(() =>
      database.transaction(() => {
        database.run(INSERT, 'a');
        database.transaction(() => database.run(INSERT, 'b'));
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(database.get('SELECT count(*) AS n FROM session')).toEqual({ n: 0 });
    database.transaction(() => database.run(INSERT, 'a'));
    expect(database.get('SELECT count(*) AS n FROM session')).toEqual({ n: 1 });
  });

  it('opens again what it closed', () => {
    database.run(INSERT, 'kept');
    database.close();
    database = new Database(path);
    expect(database.get('SELECT id FROM session')).toEqual({ id: 'kept' });
    expect(database.get('SELECT id FROM session WHERE id = ?', 'gone')).toBeUndefined();
  });
});
