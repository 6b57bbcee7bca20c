/** Chance that can be had again: everything that a run decides by lot comes from its seed. */

export interface Random {
  /** 0 ≤ number < 1. */
  next(): number;
  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number;
  /** True with probability `share`. */
  chance(share: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** Another sequence of its own for `name`: what one part of a run draws does not change what another part gets. */
  branch(name: string): Random;
}

/** sfc32 over a hash of the seed; the state mixes for a few rounds, so that neighbouring seeds have nothing in common. */
export function createRandom(seed: string): Random {
  let [a, b, c, counter] = [hash(`a${seed}`), hash(`b${seed}`), hash(`c${seed}`), 1];
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 16; round += 1) next();
  const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    whole,
    chance: (share) => next() < share,
    pick: (choices) => choices[whole(0, choices.length - 1)] ?? choices[0],
    branch: (name) => createRandom(`${seed}/${name}`),
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value;
}
