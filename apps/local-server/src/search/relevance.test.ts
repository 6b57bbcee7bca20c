import { describe, expect, it } from '@jest/globals';
import { mixedScore, rarity, wordScore } from './relevance.ts';

/** The threshold that clients send by default. */
const THRESHOLD = 0.35;
const WORST = { bm25: 0, ageMs: 1e12, peer: 'other', used: 0 } as const;
const BEST = { bm25: 1, ageMs: 0, peer: 'same', used: 1_000 } as const;

describe.each([1, 10, 100, 1_000, 100_000])('in a database of %d memories', (memories) => {
  const rare = rarity(memories, 1);

  it('a word of one memory passes on its own in a long question, under the worst circumstances', () => {
    expect(
      mixedScore(
        wordScore(
          [rare],
          Array.from({ length: 30 }, () => 1),
        ),
        WORST,
      ),
    ).toBeGreaterThan(THRESHOLD);
  });

  it('scores stay between 0 and 1', () => {
    const all = mixedScore(wordScore([rare, rare], [rare, rare]), BEST);
    expect(all).toBeLessThanOrEqual(1);
    expect(all).toBeGreaterThan(0.9);
    expect(mixedScore(wordScore([], [rare]), BEST)).toBe(0);
  });
});

describe.each([100, 1_000, 100_000])('among %d memories', (memories) => {
  it('words that every second memory has do not pass, however many of them match', () => {
    const common = Array.from({ length: 10 }, () => rarity(memories, memories / 2));
    expect(mixedScore(wordScore(common, common), BEST)).toBeLessThan(THRESHOLD);
  });
});

it('more of the question is worth more', () => {
  const words = [0.9, 0.8, 0.7];
  expect(wordScore([0.9, 0.8], words)).toBeGreaterThan(wordScore([0.9], words));
  expect(wordScore(words, words)).toBeCloseTo(0.9);
});

it('circumstances order equals: newer, own workspace, used', () => {
  const score = (change: object): number => mixedScore(0.8, { ...WORST, bm25: 0.5, ageMs: 1e9, ...change });
  expect(score({ ageMs: 0 })).toBeGreaterThan(score({}));
  expect(score({ peer: 'same' })).toBeGreaterThan(score({ peer: 'none' }));
  expect(score({ peer: 'none' })).toBeGreaterThan(score({}));
  expect(score({ used: 3 })).toBeGreaterThan(score({}));
});
