/**
 * Hashes that name things: turns, servers, folders. Plain SHA-256 – written out, because loading `node:crypto` costs a hook
 * more than everything it hashes (5 ms of 60), and the same names must come out in hook, worker and installer.
 */

/** First `length` hex digits (at most 64) of the SHA-256 of `text` as UTF-8. */
export function shortHash(text: string, length: number): string {
  return sha256(Buffer.from(text, 'utf8')).slice(0, length);
}

/**
 * The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square roots of the first 8
 * (FIPS 180-4, sections 4.2.2 and 5.3.3); made when the first hash is asked for.
 */
let constants: { readonly rounds: Uint32Array; readonly start: Uint32Array } | undefined;

/** SHA-256 (FIPS 180-4) of `bytes`, as 64 hex digits. */
export function sha256(bytes: Uint8Array): string {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  constants ??= { rounds: fractions(64, 1 / 3), start: fractions(8, 1 / 2) };
  const { rounds } = constants;
  const state = Uint32Array.from(constants.start);
  const words = new Uint32Array(64);
  const word = (index: number): number => words[index] as number;
  for (let block = 0; block < blocks; block += 1) {
    for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(block * 64 + index * 4);
    for (let index = 16; index < 64; index += 1) {
      const early = word(index - 15);
      const late = word(index - 2);
      const mixed = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
      words[index] = word(index - 16) + mixed + word(index - 7) + (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let index = 0; index < 64; index += 1) {
      const first =
        h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (rounds[index] as number) + word(index);
      const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((value, index) => (state[index] = (state[index] as number) + value));
  }
  return Array.from(state, (value) => value.toString(16).padStart(8, '0')).join('');
}

function turn(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}

function fractions(count: number, power: number): Uint32Array {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return Uint32Array.from(found, (prime) => Math.floor((prime ** power % 1) * 2 ** 32));
}
