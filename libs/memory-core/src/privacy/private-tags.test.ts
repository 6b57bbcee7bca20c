import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TOO_DEEP } from './deep.ts';
import { stripPrivate, stripPrivateDeep } from './private-tags.ts';
import type { OpenBlocks } from './private-tags.ts';

describe('stripPrivate', () => {
  it.each([
    ['a <private>x</private> b', 'a  b'],
    ['a <PRIVATE>x</Private> b', 'a  b'],
    ['a < private >x< / private > b', 'a  b'],
    ['a <private reason="salary">x</private> b', 'a  b'],
    ['a <private>x<private>y</private>z</private> b', 'a  b'],
    ['a <private>x</private> b <private>y</private> c', 'a  b  c'],
    ['a <private>x\ny', 'a '],
    ['a <private>x <private>y</private> z', 'a '],
    ['x</private> b', ' b'],
    ['a <private>x</private> y</private> b', ' b'],
    ['a `<private>`x`</private>` b', 'a `` b'],
    ['a <private/> b', 'a <private/> b'],
    ['a \\u003cprivate\\u003ex\\u003c/private\\u003e b', 'a  b'],
    ['＜private＞x＜/private＞b', 'b'],
    ['<private>密码</private>好', '好'],
    ['{"out":"a <private>x</private> b"}', '{"out":"a  b"}'],
  ])('%j → %j', (text, expected) => expect(stripPrivate(text)).toBe(expected));

  it.each([
    'private',
    'private class A<T> {}',
    '<privateer>x</privateer>',
    '<private-key>x</private-key>',
    'a < b > c',
  ])('leaves %j alone', (text) => expect(stripPrivate(text)).toBe(text));

  it('lets nothing pass that stood inside, whatever surrounds it', () => {
    const noise = fc.array(
      fc.constantFrom('a', '\n', '<private>', '</private>', '<b>', '`', '<PRIVATE a="1">', '< /private>', '\\n', '"'),
      {
        maxLength: 10,
      },
    );
    fc.assert(
      fc.property(noise, noise, noise, (before, inner, after) => {
        const text = `${before.join('')}<private>SECRET${inner.join('').replaceAll(/<\s*\/private>/g, '')}</private>${after.join('')}`;
        const stripped = stripPrivate(text);
        expect(stripped).not.toContain('SECRET');
        expect(stripPrivate(stripped)).toBe(stripped);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('stripPrivateDeep', () => {
  it('reaches strings and keys at any depth and keeps everything else', () => {
    const value = { a: ['x <private>1</private>', { 'k<private>2</private>': null, n: 3, b: true }], c: 'y' };
    expect(stripPrivateDeep(value)).toEqual({ a: ['x ', { k: null, n: 3, b: true }], c: 'y' });
  });

  it('reads the strings of an array as lines of one text', () => {
    expect(stripPrivateDeep(['a', 'b <private>', 'SECRET', 7, '</private> c'])).toEqual(['a', 'b ', '', 7, ' c']);
    expect(stripPrivateDeep(['SECRET', '</private>', 'c'])).toEqual(['', '', 'c']);
  });

  it('leaves out what is nested beyond reason instead of failing', () => {
    let value: unknown = 'SECRET';
    for (let depth = 0; depth < 5_000; depth += 1) value = [value];
    const text = JSON.stringify(stripPrivateDeep(value));
    expect(text).toContain(TOO_DEEP);
    expect(text).not.toContain('SECRET');
  });
});

describe('blocks over several texts', () => {
  const each = (...texts: string[]): readonly string[] => {
    const open: OpenBlocks = { depth: 0 };
    return texts.map((text) => stripPrivate(text, open));
  };

  it.each([
    [
      ['a <private>x', 'y', 'z</private> b', 'c'],
      ['a ', '', ' b', 'c'],
    ],
    [
      ['a <private>x', 'y', 'z'],
      ['a ', '', ''],
    ],
    [
      ['<private>x <private>y', '</private> z', 'w</private> b'],
      ['', '', ' b'],
    ],
    [
      ['<private>x', '<private>y</private> z', 'w</private> b'],
      ['', '', ' b'],
    ],
    [
      ['<private>x', 'y</private> b <private>z', 'w</private> c'],
      ['', ' b ', ' c'],
    ],
    [
      ['a', 'x</private> b', 'c'],
      ['a', ' b', 'c'],
    ],
    [
      ['<private>x</private>', 'y'],
      ['', 'y'],
    ],
    [
      ['<private>x</private></private> a', 'b'],
      [' a', 'b'],
    ],
    // Somebody explains the tag.
    [
      ['write `<private>` around it', 'b'],
      ['write `', 'b'],
    ],
    [
      ['<private>x `<private>` y', 'z</private> b'],
      ['', ' b'],
    ],
  ])('%j → %j', (texts, expected) => expect(each(...texts)).toEqual(expected));

  it('go through the values of a tool’s input into its output', () => {
    const open: OpenBlocks = { depth: 0 };
    expect(stripPrivateDeep({ a: ['x <private>', 'SECRET'], b: { c: 'SECRET' }, n: 1 }, open)).toEqual({
      a: ['x ', ''],
      b: { c: '' },
      n: 1,
    });
    expect(stripPrivate('SECRET</private> y', open)).toBe(' y');
    expect(open.depth).toBe(0);
  });

  it('hide exactly what they hide when the texts are one, wherever it is divided', () => {
    const piece = fc.constantFrom('<private>', '</private>', 'a', 'b ', '\n');
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 4 }), { minLength: 1, maxLength: 6 }), (parts) => {
        const texts = parts.map((pieces) => pieces.join(''));
        // A closing tag alone hides what stands before it in its own text: of that there is more in one text.
        let depth = 0;
        for (const tag of texts.join('').match(/<\/?private>/g) ?? []) {
          depth += tag === '<private>' ? 1 : -1;
          fc.pre(depth >= 0);
        }
        expect(each(...texts).join('')).toBe(stripPrivate(texts.join('')));
      }),
      { numRuns: 2_000 },
    );
  });
});
