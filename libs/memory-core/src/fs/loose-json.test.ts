/** What hosts write in more ways than one reads as the same; what is of another type reads as absent. */
import { describe, expect, it } from '@jest/globals';
import { filledString, firstString, looseRecord, looseText } from './loose-json.ts';

describe('loose JSON', () => {
  it('takes a string with something in it, and the first of several', () => {
    const record = { empty: '', number: 7, name: 'this one', other: 'that one' };
    expect(['empty', 'number', 'missing', 'name'].map((key) => filledString(record, key))).toEqual([
      undefined,
      undefined,
      undefined,
      'this one',
    ]);
    expect(firstString(record, ['missing', 'empty', 'number', 'name', 'other'])).toBe('this one');
    expect(firstString(record, ['missing'])).toBeUndefined();
  });

  it.each<[unknown, unknown]>([
    [{ a: 1 }, { a: 1 }],
    [' {"a":1}', { a: 1 }],
    ['{"a":1', undefined],
    ['[1]', undefined],
    [[1], undefined],
    [null, undefined],
    [1, undefined],
  ])('takes %j for %j where an object is meant', (value, record) => {
    expect(looseRecord(value)).toEqual(record);
  });

  it.each<[unknown, string]>([
    ['text', 'text'],
    [['one', { type: 'text', text: 'two' }, { type: 'image' }, { text: '' }, null, 3], 'one\ntwo'],
    [{ text: 'no list' }, ''],
    [undefined, ''],
  ])('reads the text of %j', (value, text) => {
    expect(looseText(value)).toBe(text);
  });
});
