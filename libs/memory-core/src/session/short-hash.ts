/**
 * Hashes that name things: turns, servers, folders. Plain SHA-256 – written out, because loading `node:crypto` costs a hook
 * more than everything it hashes (5 ms of 60), and the same names must come out in hook, worker and installer.
 */

/** A hook names one turn over and over, and nothing makes it wait longer than a hash that is not compiled yet. */
let last = { text: '', digest: '' };

/** First `length` hex digits (at most 64) of the SHA-256 of `text` as UTF-8. */
export function shortHash(text: string, length: number): string {
  if (last.digest === '' || last.text !== text) last = { text, digest: sha256(Buffer.from(text, 'utf8')) };
  return last.digest.slice(0, length);
}

/** Of each round, FIPS 180-4 section 4.2.2: written out, because to derive them takes as long as the first hash. */
// prettier-ignore
const ROUNDS = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];
/** Where the state begins, section 5.3.3. */
// prettier-ignore
const START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/** SHA-256 (FIPS 180-4) of `bytes`, as 64 hex digits. */
export function sha256(bytes: Uint8Array): string {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  // The length in bits, 64 of them.
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length * 8) % 2 ** 32);
  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(block + index * 4);
    for (let index = 16; index < 64; index += 1) {
      const early = words[index - 15] as number;
      const late = words[index - 2] as number;
      // Rotations are written out, here and below: a call costs what is only interpreted more than all its operations.
      words[index] =
        (words[index - 16] as number) +
        (((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)) +
        (words[index - 7] as number) +
        (((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let index = 0; index < 64; index += 1) {
      const first =
        h +
        (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
        ((e & f) ^ (~e & g)) +
        (ROUNDS[index] as number) +
        (words[index] as number);
      const second =
        (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) + ((a & b) ^ (a & c) ^ (b & c));
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
  return Array.from(state, (value) => (value >>> 0).toString(16).padStart(8, '0')).join('');
}
