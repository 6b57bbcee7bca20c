/**
 * Turns what matched into a score from 0 to 1 that means the same in every database, small or large. Raw BM25 has no
 * fixed scale, and a client that asks for "at least 0.35" needs one: a hit on a rare word passes, a hit on words that
 * half of the memories contain does not.
 */

/** Pretended memories without any of the words: with a handful of real ones nothing is known about rarity yet. */
const PRIOR_MEMORIES = 50;
/** More weight than this is not expected of one memory, however long the question is. */
const FULL_COVERAGE_WEIGHT = 5;
/** What a single word is worth when it is all that matched, and what full coverage adds. */
const SINGLE_WORD_SHARE = 0.55;
const RECENCY_HALF_LIFE_MS = 30 * 24 * 3_600_000;

/** How telling a word is: 1 for a word of one memory, 0 for a word of all; about 0.35 at one memory in twenty of 5,000. */
export function rarity(memories: number, memoriesWithWord: number): number {
  const all = memories + PRIOR_MEMORIES;
  return Math.min(1, Math.max(0, Math.log(all / Math.max(1, memoriesWithWord)) / Math.log(all)));
}

/** Score of the words alone. `matched` and `asked` are rarities; `asked` holds those of the whole question. */
export function wordScore(matched: readonly number[], asked: readonly number[]): number {
  if (matched.length === 0) return 0;
  const sum = (weights: readonly number[]): number => weights.reduce((total, weight) => total + weight, 0);
  const expected = Math.min(sum(asked), FULL_COVERAGE_WEIGHT);
  const coverage = expected === 0 ? 0 : Math.min(1, sum(matched) / expected);
  return Math.max(...matched) * (SINGLE_WORD_SHARE + (1 - SINGLE_WORD_SHARE) * coverage);
}

export interface Circumstances {
  /** BM25 of this hit relative to the best hit of the same search, 0..1. */
  readonly bm25: number;
  readonly ageMs: number;
  readonly peer: 'same' | 'none' | 'other';
  /** How often a client reported this memory as used. */
  readonly used: number;
}

/** Mixes circumstances into a word score. They order hits among each other; together they move a score by a fifth. */
export function mixedScore(words: number, about: Circumstances): number {
  const recency = 0.5 ** (Math.max(0, about.ageMs) / RECENCY_HALF_LIFE_MS);
  const use = Math.min(1, Math.log2(1 + about.used) / 5);
  const peer = { same: 1, none: 0.97, other: 0.92 }[about.peer];
  return Math.min(1, words * peer * (0.86 + 0.06 * about.bm25 + 0.06 * recency + 0.02 * use));
}
