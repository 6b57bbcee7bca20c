/** Finds memories: which words tell something, which memories hold them, and how well each answers the question. */
import { memoryOfRow } from '../store/memory-store.ts';
import type { Memory } from '../store/memory-store.ts';
import type { Database } from '../store/database.ts';
import { matchAny, matchWord } from './match-query.ts';
import { mixedScore, rarity, wordScore } from './relevance.ts';
import { queryWords } from './words.ts';
import type { QueryWord } from './words.ts';

/** Pasted logs are searched by their head and tail: that is where the question stands. */
const MOST_WORDS = 300;
/** Words that take part; the most telling ones win. */
const MOST_TELLING_WORDS = 32;
const CANDIDATES = 300;

export interface SearchRequest {
  readonly query: string;
  /** The workspace that asks. */
  readonly peerId: string | undefined;
  /** `actor` leaves out memories of other workspaces. */
  readonly peerScope: 'all' | 'actor';
  /** Folders or files to look in; empty: everywhere. */
  readonly inside: readonly string[];
  readonly excludePaths: ReadonlySet<string>;
  /** A conversation whose own turns are left out: it still has them in front of it. */
  readonly excludeSession: string | undefined;
  readonly minimumScore: number;
  readonly now: number;
}

export interface Hit {
  readonly memory: Memory;
  readonly score: number;
}

/** Hits, best first. */
export function searchMemories(database: Database, request: SearchRequest): Hit[] {
  const asked = weighWords(database, request.query);
  const known = asked.filter((word) => word.memories > 0).slice(0, MOST_TELLING_WORDS);
  // No hit scores higher than its most telling word: words below the threshold cannot make one, only support it. They
  // are also the ones with thousands of memories to rank.
  const telling = known.filter((word) => word.rarity >= request.minimumScore);
  if (telling.length === 0) return [];

  const [filter, values] = filterOf(request);
  const rows = database.all(
    `SELECT memory.*, bm25(memory_words) AS bm25 FROM memory_words JOIN memory ON memory.id = memory_words.rowid
     WHERE memory_words MATCH ? ${filter} ORDER BY bm25 LIMIT ${CANDIDATES}`,
    matchAny(telling.map((word) => word.expression)),
    ...values,
  );
  if (rows.length === 0) return [];

  const holders = known.map((word) => ({ word, ids: idsWith(database, word.expression) }));
  const weights = asked.map((word) => word.rarity);
  // SQLite's BM25 is negative, best first.
  const best = Number(rows[0]?.['bm25']);
  return rows
    .map((row): Hit => {
      const memory = memoryOfRow(row);
      const matched = holders.filter(({ ids }) => ids.has(memory.id)).map(({ word }) => word.rarity);
      const score = mixedScore(wordScore(matched, weights), {
        bm25: best < 0 ? Number(row['bm25']) / best : 1,
        ageMs: request.now - memory.updatedAt,
        peer: memory.peerId === undefined ? 'none' : memory.peerId === request.peerId ? 'same' : 'other',
        used: memory.used,
      });
      return { memory, score };
    })
    .filter((hit) => hit.score >= request.minimumScore && !request.excludePaths.has(hit.memory.path))
    .sort((left, right) => right.score - left.score || right.memory.updatedAt - left.memory.updatedAt);
}

interface WeighedWord {
  readonly expression: string;
  readonly memories: number;
  readonly rarity: number;
}

/** The words of a question, most telling first. */
function weighWords(database: Database, query: string): WeighedWord[] {
  const all = Number(database.get('SELECT count(*) AS n FROM memory')?.['n']);
  return headAndTail(queryWords(query))
    .flatMap((word) => matchWord(word) ?? [])
    .map((expression) => {
      const memories = Number(
        database.get('SELECT count(*) AS n FROM memory_words WHERE memory_words MATCH ?', expression)?.['n'],
      );
      return { expression, memories, rarity: rarity(all, memories) };
    })
    .sort((left, right) => right.rarity - left.rarity);
}

function idsWith(database: Database, expression: string): Set<number> {
  // One row of JSON: thousands of row objects across the WebAssembly border cost ten times as much.
  const ids = database.get(
    'SELECT json_group_array(rowid) AS ids FROM memory_words WHERE memory_words MATCH ?',
    expression,
  )?.['ids'];
  return new Set(JSON.parse(String(ids)) as number[]);
}

function filterOf(request: SearchRequest): [sql: string, values: (string | number | null)[]] {
  let sql = '';
  const values: (string | number | null)[] = [];
  if (request.peerScope === 'actor') {
    sql += ' AND (memory.peer_id IS NULL OR memory.peer_id = ?)';
    values.push(request.peerId ?? null);
  }
  if (request.excludeSession !== undefined) {
    sql += ' AND (memory.session_id IS NULL OR memory.session_id <> ?)';
    values.push(request.excludeSession);
  }
  if (request.inside.length > 0) {
    sql += ` AND (${request.inside.map(() => 'memory.path = ? OR substr(memory.path, 1, ?) = ?').join(' OR ')})`;
    for (const path of request.inside) {
      const prefix = path === '' ? '' : `${path}/`;
      values.push(path, [...prefix].length, prefix);
    }
  }
  return [sql, values];
}

function headAndTail(words: readonly QueryWord[]): readonly QueryWord[] {
  if (words.length <= MOST_WORDS) return words;
  return [...words.slice(0, MOST_WORDS / 2), ...words.slice(-MOST_WORDS / 2)];
}
