/** A table that misses a word would let a secret pass without a trace of the mistake. */
import { describe, expect, it } from '@jest/globals';
import { WordTable } from './word-table.ts';

describe('WordTable', () => {
  it('tells which of its words occur', () => {
    const table = new WordTable(['pass', 'password', 'pwd', '7z ', '令牌', 'パスワード', 'lösenord', 'p密码']);
    expect([...table.occurringIn('a 7z archive, 令牌 and password')].sort()).toEqual([
      '7z ',
      'pass',
      'password',
      '令牌',
    ]);
    expect([...table.occurringIn('pw')]).toEqual([]);
    expect([...table.occurringIn('')]).toEqual([]);
    expect([...table.occurringIn('pwd')]).toEqual(['pwd']);
    expect([...table.occurringIn('mitt lösenord, p密码')].sort()).toEqual(['lösenord', 'p密码']);
  });

  it.each(['', 'pw', '7z', 'Password', 'ÄB'])('refuses %j, which it could not find', (word) => {
    expect(() => new WordTable(['token', word])).toThrow(`cannot hold "${word}"`);
  });
});
