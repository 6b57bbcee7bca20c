/** A table that misses a word would let a secret pass without a trace of the mistake. */
import { describe, expect, it } from '@jest/globals';
import { WordTable } from './word-table.ts';

describe('WordTable', () => {
  it('tells which of its words occur', () => {
    const table = new WordTable(['pass', 'password', 'pwd', '7z ', '令牌', 'パスワード']);
    expect([...table.occurringIn('a 7z archive, 令牌 and password')].sort()).toEqual([
      '7z ',
      'pass',
      'password',
      '令牌',
    ]);
    expect([...table.occurringIn('pw')]).toEqual([]);
    expect([...table.occurringIn('')]).toEqual([]);
    expect([...table.occurringIn('pwd')]).toEqual(['pwd']);
  });

  it.each(['', 'pw', '7z', 'Password', 'pä1', 'pw密码'])('refuses %j, which it could not find', (word) => {
    expect(() => new WordTable(['token', word])).toThrow(`cannot hold "${word}"`);
  });
});
