import { describe, expect, it } from '@jest/globals';
import { indexWords, queryWords } from './words.ts';

const asked = (text: string): string[] => queryWords(text).map((word) => (word.prefix ? `${word.text}*` : word.text));

describe('indexWords', () => {
  it('cuts spaced scripts at everything that is no letter or digit', () => {
    expect(indexWords('Use pnpm@9 in ./src/app_main.ts!')).toEqual([
      'use',
      'pnpm',
      '9',
      'in',
      'src',
      'app',
      'main',
      'ts',
    ]);
  });

  it('knows camel case as a whole and in parts', () => {
    expect(indexWords('getUserName HTTPServer')).toEqual([
      'getusername',
      'get',
      'user',
      'name',
      'httpserver',
      'http',
      'server',
    ]);
  });

  it('cuts unspaced scripts into pairs and the last character', () => {
    expect(indexWords('包管理器')).toEqual(['包管', '管理', '理器', '器']);
    expect(indexWords('用pnpm管理')).toEqual(['用', 'pnpm', '管理', '理']);
    expect(indexWords('パッケージ')).toEqual(['パッ', 'ッケ', 'ケー', 'ージ', 'ジ']);
    expect(indexWords('패키지')).toEqual(['패키', '키지', '지']);
  });

  it('takes characters outside the basic plane for one character each', () => {
    expect(indexWords('𠮷野家')).toEqual(['𠮷野', '野家', '家']);
    expect(indexWords('🙂👩‍👩‍👧')).toEqual([]);
  });

  it('reads full-width letters as letters', () => {
    expect(indexWords('ＰＮＰＭ')).toEqual(['pnpm']);
  });
});

describe('queryWords', () => {
  it('leaves out the words that every question has', () => {
    expect(asked('What package manager do we use?')).toEqual(['package', 'manager', 'use']);
    expect(asked("what's it, and how do you do?")).toEqual([]);
  });

  it('cuts Chinese at the words that only shape a question', () => {
    expect(asked('我们项目用什么包管理器')).toEqual(['项目', '目用', '包管', '管理', '理器']);
    expect(asked('请问你怎么样？')).toEqual([]);
  });

  it('uses a single character only when there is nothing else', () => {
    expect(asked('包')).toEqual(['包*']);
    expect(asked('包 管理')).toEqual(['管理']);
  });

  it('asks for every word once', () => {
    expect(asked('Deploy deploy DEPLOY 部署部署')).toEqual(['deploy', '部署', '署部']);
  });
});
