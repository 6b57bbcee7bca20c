import { describe, expect, it, jest } from '@jest/globals';
import { processorTime } from '../../testing/processor-time.ts';
import { parseFilterRule } from './filter-rule.ts';
import { loadFilters } from './filters-load.ts';
import type { FiltersModule } from './filters-load.ts';
import { compileFilters } from './filters.ts';

function run(rules: readonly string[], text: string, role: 'user' | 'assistant' = 'user'): string | undefined {
  const filters = compileFilters(rules);
  expect(filters.problems).toEqual([]);
  return filters.apply(role, text);
}

describe('replace rules', () => {
  it.each([
    ['s/a/b/', 'aaa', 'baa'],
    ['s/a/b/g', 'aaa', 'bbb'],
    ['s/A/b/gi', 'aA', 'bb'],
    ['s|a/b|c|', 'a/b', 'c'],
    ['s/a\\/b/c/', 'a/b', 'c'],
    ['s|a\\|b|c|g', 'a|b', 'c'],
    ['s#x#a\\#b#', 'x', 'a#b'],
    ['s，内部，外部，g', '内部内部', '外部外部'],
    ['s，a\\，b，c，', 'a，b', 'c'],
    ['s/(\\w+)@(\\w+)/$2 at $1/', 'me@here', 'here at me'],
    ['s/(\\w+)@(\\w+)/\\2 at \\1/', 'me@here', 'here at me'],
    ['s/(?<user>\\w+)@\\w+/$<user>/', 'me@here', 'me'],
    ['s/b+/[$&]/g', 'abbc', 'a[bb]c'],
    ['s/x/$$1/', 'x', '$1'],
    ['s/, /\\n/g', 'a, b, c', 'a\nb\nc'],
    ['s/^b$/x/m', 'a\nb', 'a\nx'],
    ['s/a.b/x/s', 'a\nb', 'x'],
    ['s/\\u4e2d\\u6587/x/', '中文', 'x'],
    ['s/\\ud83d\\ude00/x/', '😀', 'x'],
    ['s/\\u{1F600}/x/u', '😀', 'x'],
    ['s/x/\\u4e2d/', 'x', '中'],
    ['s/\\p{Script=Han}+/x/', 'a汉字b', 'axb'],
    ['s/[\\p{sc=Hiragana}a]+/x/', 'aひb', 'xb'],
    ['s/\\P{gc=Lu}//g', 'aBc', 'B'],
    ['s/b*/-/g', 'abc', '-a--c-'],
    ['  s/a/b/  ', 'a', 'b'],
  ])('%s on %j gives %j', (rule, text, expected) => expect(run([rule], text)).toBe(expected));

  it('run in order, each on what the one before left', () => expect(run(['s/a/b/g', 's/b/c/g'], 'ab')).toBe('cc'));
});

describe('drop and keep rules', () => {
  it('decide about the whole text, the first one that does', () => {
    expect(run(['d/secret/i'], 'a SECRET plan')).toBeUndefined();
    expect(run(['d/secret/'], 'a plan')).toBe('a plan');
    expect(run(['k/plan/'], 'a plan')).toBe('a plan');
    expect(run(['k/plan/'], 'nothing')).toBeUndefined();
    expect(run(['s/secret/x/', 'd/secret/'], 'secret')).toBe('x');
  });

  it('hold for one role when they say so', () => {
    expect(run(['user:d/x/'], 'x', 'assistant')).toBe('x');
    expect(run(['user:d/x/'], 'x', 'user')).toBeUndefined();
    expect(run(['assistant:s/x/y/'], 'x', 'assistant')).toBe('y');
  });
});

describe('rules that cannot be used', () => {
  it.each([
    ['x/a/b/', /must begin with s/],
    ['s', /punctuation/],
    ['saab', /punctuation/],
    ['s/a', /ends the pattern is missing/],
    ['s/a/b', /ends the replacement is missing/],
    ['s//b/', /pattern is empty/],
    ['s/a/b/z', /“z” is none of its flags/],
    ['d/a/g', /“g” is none of its flags/],
    ['s/a/b/gg', /flag twice/],
    ['s/(?=a)/b/', /look-ahead and look-behind/],
    ['d/(?<!a)b/', /look-ahead and look-behind/],
    ['d/(a)\\1/', /back-references/],
    ['d/\\k<n>/', /back-references/],
    ['d/(?>a)/', /atomic groups/],
    ['d/(a/', /missing closing \)/],
    ['d/[b-a]/', /invalid character class range/],
    ['d/a{1001}/', /invalid repeat count/],
    ['d/(?:a{500}){2}b{999}c{999}/', /too large/],
    ['s/a/$2/', /group 2/],
    ['s/a/$<n>/', /group n/],
    [`d/${'a'.repeat(1_000)}/`, /longer than/],
  ])('%s is reported and the others still run', (rule, error) => {
    const filters = compileFilters(['s/1/2/', rule, 's/2/3/']);
    expect(filters.problems).toEqual([{ rule, error: expect.stringMatching(error) }]);
    expect(filters.apply('user', '1')).toBe('3');
  });

  it('are parsed strictly by the parser alone as well', () => {
    expect(() => parseFilterRule('s/a/b')).toThrow(expect.objectContaining({ code: 'filters/bad-rule' }));
  });
});

describe('hostile rules', () => {
  const text = `${'a'.repeat(50_000)}!`;

  it.each(['d/(a+)+$/', 'd/(a|aa)+$/', 'd/(.*a){20}b/', 'k/^(([a-z])+.)+[A-Z]([a-z])+$/'])(
    '%s takes linear time',
    (rule) => {
      const { milliseconds } = processorTime(() => compileFilters([rule]).apply('user', text));
      expect(milliseconds).toBeLessThan(3_000);
    },
  );

  it.each([`s/a/${'$&'.repeat(400)}/g`, `s/a/${'x'.repeat(900)}/g`, 's/a.*b|a/x/g'])(
    '%s neither fills the memory nor the time, and drops the text',
    (rule) => {
      const { milliseconds } = processorTime(() => {
        expect(compileFilters([rule]).apply('user', text.repeat(4))).toBeUndefined();
      });
      expect(milliseconds).toBeLessThan(6_000);
    },
  );

  it('are not all run', () => {
    const { problems } = compileFilters(Array.from({ length: 150 }, () => 'd/x/'));
    expect(problems).toHaveLength(50);
  });
});

describe('loadFilters', () => {
  it('loads nothing without rules', () => {
    const load = jest.fn<() => FiltersModule>();
    expect(loadFilters([], load)).toBeUndefined();
    expect(load).not.toHaveBeenCalled();
  });

  it('compiles with the module that it is given', () => {
    expect(loadFilters(['s/a/b/'], () => ({ compileFilters }))?.apply('user', 'a')).toBe('b');
  });

  it('lets nothing pass when the bundle does not load', () => {
    const filters = loadFilters(['s/a/b/'], () => {
      throw new Error('Cannot find module');
    });
    expect(filters?.apply('user', 'a')).toBeUndefined();
    expect(filters?.problems).toEqual([{ rule: 's/a/b/', error: expect.stringContaining('Cannot find module') }]);
  });
});
