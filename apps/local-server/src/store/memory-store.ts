/** The memory files and their index, changed together and only here, so that neither can know what the other does not. */
import type { MemoryDraft } from '../memory/event-memory.ts';
import { composeProfile } from '../memory/profile.ts';
import { indexWords } from '../search/words.ts';
import type { Database, Row } from './database.ts';

export const PROFILE_PATH = 'memories/profile.md';
/** Folders that exist although nothing lies in them yet. */
const FIXED_FOLDERS = ['memories', 'memories/events', 'memories/preferences', 'memories/entities', 'skills'];
const PROFILE_PREFERENCES = 200;

export interface Memory {
  readonly id: number;
  readonly path: string;
  readonly category: string;
  readonly peerId: string | undefined;
  readonly sessionId: string | undefined;
  readonly abstract: string;
  readonly content: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly used: number;
}

export interface Listing {
  readonly path: string;
  readonly isFolder: boolean;
  readonly abstract: string;
  readonly size: number;
  readonly updatedAt: number;
}

export class MemoryStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Stores a memory, replacing what was made from the same source. Returns true when it is a new one. */
  put(draft: MemoryDraft, source: string, sessionId: string | undefined, now: number): boolean {
    return this.#database.transaction(() => {
      const old = this.#database.get('SELECT id, created_at, used FROM memory WHERE source = ?', source);
      if (old !== undefined) this.#remove(Number(old['id']));
      const id = this.#database.run(
        `INSERT INTO memory (path, category, peer_id, session_id, source, abstract, content, created_at, updated_at, used)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        draft.path,
        draft.category,
        draft.peerId,
        sessionId,
        source,
        draft.abstract,
        draft.content,
        draft.createdAt,
        old === undefined ? draft.createdAt : now,
        old === undefined ? 0 : Number(old['used']),
      );
      this.#database.run(
        'INSERT INTO memory_words (rowid, words) VALUES (?, ?)',
        id,
        indexWords(draft.searchable).join(' '),
      );
      return old === undefined;
    });
  }

  count(): number {
    return Number(this.#database.get('SELECT count(*) AS n FROM memory')?.['n']);
  }

  byPath(path: string): Memory | undefined {
    const row = this.#database.get('SELECT * FROM memory WHERE path = ?', path);
    return row === undefined ? undefined : memoryOfRow(row);
  }

  /** The text of a file, the composed profile included; undefined when there is none. `peerId` narrows the profile. */
  read(path: string, peerId: string | undefined): string | undefined {
    return path === PROFILE_PATH ? this.#profile(peerId) : this.byPath(path)?.content;
  }

  /** Counts one use of each memory that exists; returns how many do. */
  markUsed(paths: readonly string[]): number {
    return this.#database.transaction(() => {
      let known = 0;
      for (const path of paths) {
        if (this.byPath(path) === undefined) continue;
        this.#database.run('UPDATE memory SET used = used + 1 WHERE path = ?', path);
        known += 1;
      }
      return known;
    });
  }

  /** Removes the file at `path`, or with `recursive` everything below it; returns how many files went. */
  forget(path: string, recursive: boolean): number {
    return this.#database.transaction(() => {
      const found = recursive
        ? this.#database.all('SELECT id FROM memory WHERE path = ? OR substr(path, 1, ?) = ?', path, ...below(path))
        : this.#database.all('SELECT id FROM memory WHERE path = ?', path);
      for (const row of found) this.#remove(Number(row['id']));
      return found.length;
    });
  }

  /**
   * What lies in the folder `path`: newest files first, folders before files. Undefined when there is no such folder.
   * `recursive` lists everything below it.
   */
  list(path: string, options: { readonly recursive: boolean; readonly limit: number }): Listing[] | undefined {
    const inside = path === '' ? '' : `${path}/`;
    const folders = new Map<string, Listing>();
    const files: Listing[] = [];
    const addFolders = (whole: string, updatedAt: number): void => {
      const segments = whole.slice(inside.length).split('/');
      const depth = options.recursive ? segments.length : Math.min(1, segments.length);
      for (let length = 1; length <= depth; length += 1) {
        const folder = inside + segments.slice(0, length).join('/');
        const known = folders.get(folder);
        if (known === undefined || known.updatedAt < updatedAt)
          folders.set(folder, { path: folder, isFolder: true, abstract: '', size: 0, updatedAt });
      }
    };
    for (const folder of FIXED_FOLDERS) if (folder.startsWith(inside) && folder !== path) addFolders(folder, 0);
    const rows = this.#database.all(
      'SELECT path, abstract, length(content) AS size, updated_at FROM memory WHERE substr(path, 1, ?) = ? ORDER BY updated_at DESC',
      ...prefixOf(inside),
    );
    for (const row of rows) {
      const file = String(row['path']);
      const updatedAt = Number(row['updated_at']);
      const parent = file.slice(0, file.lastIndexOf('/'));
      if (parent.length >= inside.length) addFolders(parent, updatedAt);
      if (options.recursive || parent === path)
        files.push({
          path: file,
          isFolder: false,
          abstract: String(row['abstract']),
          size: Number(row['size']),
          updatedAt,
        });
    }
    if (PROFILE_PATH.startsWith(inside) && (options.recursive || path === 'memories')) {
      const profile = this.#profile(undefined);
      if (profile !== undefined)
        files.unshift({
          path: PROFILE_PATH,
          isFolder: false,
          abstract: 'User profile',
          size: profile.length,
          updatedAt: 0,
        });
    }
    if (folders.size === 0 && files.length === 0 && path !== '' && !FIXED_FOLDERS.includes(path)) return undefined;
    return [...folders.values(), ...files].slice(0, options.limit);
  }

  #profile(peerId: string | undefined): string | undefined {
    const rows = this.#database.all(
      `SELECT content, peer_id, updated_at FROM memory WHERE category = 'preferences' AND (?1 IS NULL OR peer_id IS NULL OR peer_id = ?1)
       ORDER BY updated_at DESC, id DESC LIMIT ${PROFILE_PREFERENCES}`,
      peerId,
    );
    return composeProfile(
      rows.map((row) => ({
        content: String(row['content']),
        peerId: row['peer_id'] === null ? undefined : String(row['peer_id']),
        updatedAt: Number(row['updated_at']),
      })),
    );
  }

  #remove(id: number): void {
    this.#database.run('DELETE FROM memory_words WHERE rowid = ?', id);
    this.#database.run('DELETE FROM memory WHERE id = ?', id);
  }
}

/** A memory from a row that has all columns. */
export function memoryOfRow(row: Row): Memory {
  const text = (column: string): string | undefined => (row[column] === null ? undefined : String(row[column]));
  return {
    id: Number(row['id']),
    path: String(row['path']),
    category: String(row['category']),
    peerId: text('peer_id'),
    sessionId: text('session_id'),
    abstract: String(row['abstract']),
    content: String(row['content']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    used: Number(row['used']),
  };
}

/** Arguments of `substr(path, 1, ?) = ?` for everything inside `path`: LIKE would take `_` and `%` for wildcards. */
function below(path: string): [number, string] {
  return prefixOf(path === '' ? '' : `${path}/`);
}

function prefixOf(prefix: string): [number, string] {
  // SQLite counts characters, JavaScript UTF-16 units.
  return [[...prefix].length, prefix];
}
