/** A name that stands in a file twice: both are listed, and the last one is what a client uses. */
import { describe, expect, it } from '@jest/globals';
import { isFilledString, isPositive, member, members } from './config-members.ts';
import type { ConfigNode } from './harness.ts';

const scalar = (value: string | number): ConfigNode => ({
  type: typeof value === 'string' ? 'string' : 'number',
  value,
  offset: 0,
  length: 0,
});
const property = (...children: readonly ConfigNode[]): ConfigNode => ({
  type: 'property',
  offset: 0,
  length: 0,
  children,
});
const node = (type: 'object' | 'array', children: readonly ConfigNode[]): ConfigNode => ({
  type,
  offset: 0,
  length: 0,
  children,
});

describe('members of a configuration file', () => {
  const twice = node('object', [
    property(scalar('a'), scalar(1)),
    property(scalar('b'), scalar('x')),
    property(scalar('a'), scalar(2)),
    // As a parser leaves what is not finished.
    property(scalar('c')),
  ]);

  it('are all that have a value, and the last of a name counts', () => {
    expect(members(twice).map(([key, { value }]) => [key, value])).toEqual([
      ['a', 1],
      ['b', 'x'],
      ['a', 2],
    ]);
    expect(members(twice).map(([, , at]) => at)).toEqual(twice.children?.slice(0, 3));
    expect(member(twice, 'a')?.value).toBe(2);
    expect(member(twice, 'c')).toBeUndefined();
  });

  it('are none in a list, also in one of objects', () => {
    expect(members(node('array', [twice, scalar('a')]))).toEqual([]);
    expect(member(node('array', [twice]), 'a')).toBeUndefined();
  });

  it('are judged by type and content', () => {
    expect([1, 0, -1, '1'].map((value) => isPositive(scalar(value)))).toEqual([true, false, false, false]);
    expect([scalar('x'), scalar(''), scalar(1), undefined].map(isFilledString)).toEqual([true, false, false, false]);
  });
});
