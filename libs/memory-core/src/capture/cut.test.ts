import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutText, estimateTokens } from './cut.ts';

const count = (text: string): number => [...text].length;

describe('cutText', () => {
  it('leaves what fits, counted in code points', () => {
    expect(cutText('hello', 5)).toBe('hello');
    expect(cutText('😀😀😀', 3)).toBe('😀😀😀');
  });

  it('says how much is missing and keeps to the limit', () => {
    const cut = cutText('a'.repeat(1_000), 100);
    expect(count(cut)).toBeLessThanOrEqual(100);
    const kept = cut.indexOf(' …');
    expect(cut).toBe(`${'a'.repeat(kept)} … [cut: ${1_000 - kept} more characters]`);
  });

  it.each([
    ['a family', '👨‍👩‍👧‍👦'],
    ['a combined letter', 'e\u0301\u0323'],
    ['a flag', '🇨🇭'],
    ['a skin tone', '👍🏽'],
    ['a Hangul syllable of parts', '\u1112\u1161\u11ab'],
    ['a line end', '\r\n'],
  ])('never cuts %s in two', (_, character) => {
    const text = `start ${character.repeat(80)}`;
    for (let limit = 60; limit < 75; limit += 1) {
      const kept = cutText(text, limit).split(' … [cut')[0] ?? '';
      expect((kept.length - 6) % character.length).toBe(0);
    }
  });

  it('cuts a character that never ends where it must', () => {
    const cut = cutText(`a${'\u0301'.repeat(5_000)}`, 200);
    expect(count(cut)).toBeLessThanOrEqual(200);
    expect(count(cut)).toBeGreaterThan(150);
  });

  it('keeps to the limit, stays well-formed and changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 1, max: 300 }), (text, limit) => {
        const cut = cutText(text, limit);
        expect(count(cut)).toBeLessThanOrEqual(limit);
        expect((cut as string & { isWellFormed(): boolean }).isWellFormed()).toBe(true);
        expect(cutText(cut, limit)).toBe(cut);
        expect(text.startsWith(cut.split(' … [cut:')[0] ?? '')).toBe(true);
      }),
    );
  });
});

describe('estimateTokens', () => {
  it.each([
    ['', 0],
    ['abcd', 1],
    ['abcde', 2],
    ['汉字', 3],
    ['a汉', 2],
    ['😀', 2],
    ['é'.repeat(8), 2],
    ['\u3000', 2],
  ])('counts %j as %d', (text, tokens) => expect(estimateTokens(text)).toBe(tokens));
});
