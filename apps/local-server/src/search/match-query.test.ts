import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../store/database.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { matchAny, matchWord } from './match-query.ts';
import { searchMemories } from './search.ts';
import type { Hit } from './search.ts';
import { indexWords, queryWords } from './words.ts';

const folder = mkdtempSync(join(tmpdir(), 'ov-match-'));
const database = new Database(join(folder, 'memory.db'));
// Hundreds of transactions that nobody needs to survive.
database.all('PRAGMA synchronous = OFF');
const memories = new MemoryStore(database);
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function search(query: string): Hit[] {
  return searchMemories(database, {
    query,
    peerId: undefined,
    peerScope: 'all',
    inside: [],
    excludePaths: new Set(),
    excludeSession: undefined,
    minimumScore: 0,
    now: 0,
  });
}

function remember(text: string): void {
  memories.put(
    {
      path: 'memories/x.md',
      category: 'events',
      peerId: undefined,
      abstract: '',
      content: text,
      searchable: text,
      createdAt: 0,
    },
    'the only one',
    undefined,
    0,
  );
}

/** Text as hostile as it comes: FTS5 syntax, CJK, emoji, halves of emoji, NUL, marks without a letter, any code unit. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        "'",
        '*',
        '^',
        ':',
        '(',
        ')',
        '{',
        '}',
        '+',
        '-',
        ',',
        '\\',
        '\0',
        ' ',
        '\n',
        '\u0301',
        '\u200d',
      ),
      fc.constantFrom('AND', 'OR', 'NOT', 'NEAR(', 'NEAR/3', 'words', 'rowid', 'rank', 'Straße', 'ﬁnd', 'İ', 'ǅ'),
      fc.constantFrom('包管理器', '𠮷', '🙂', '👩‍👩‍👧', '\ud83d', '\udc00', '가나다', 'ひらがな', 'ﾊﾝｶｸ', '\u3099', 'ー'),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));

describe('a MATCH expression', () => {
  it('is never a syntax error, whatever was typed and whatever was stored', () => {
    remember('something');
    fc.assert(
      fc.property(anyText, anyText, (stored, typed) => {
        remember(stored);
        expect(() => search(typed)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  it('of a text finds that text, when a single word of it tells anything', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('pnpm', 'Docker', '部署', '包管理器', 'sqlite3', 'naïve', 'パッケージ', 'getUserName'),
          { minLength: 1, maxLength: 5 },
        ),
        anyText,
        (words, noise) => {
          remember(`${words.join(' ')} ${noise}`);
          for (const word of words) expect(search(word)).toHaveLength(1);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('lets in nothing but letters, marks and digits', () => {
    for (const text of ['a"b', 'a b', 'a*', '', '\0', 'a\0', '-x'])
      expect(matchWord({ text, prefix: false })).toBeUndefined();
    expect(matchWord({ text: '包', prefix: true })).toBe('"包"*');
    expect(matchAny(['"a"', '"b"*'])).toBe('"a" OR "b"*');
    // Every word that is asked for is one that is let in.
    fc.assert(fc.property(anyText, (text) => queryWords(text).every((word) => matchWord(word) !== undefined)));
    fc.assert(
      fc.property(anyText, (text) =>
        indexWords(text).every((word) => matchWord({ text: word, prefix: false }) !== undefined),
      ),
    );
  });

  it('finds a single character at every place of a word', () => {
    for (const text of ['包管理', '大包', '红包袋', '包']) {
      remember(text);
      expect(search('包')).toHaveLength(1);
    }
    remember('管理');
    expect(search('包')).toEqual([]);
  });
});
