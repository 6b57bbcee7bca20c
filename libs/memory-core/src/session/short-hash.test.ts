import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sha256, shortHash } from './short-hash.ts';

const expected = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('sha256', () => {
  it('agrees with OpenSSL on any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => sha256(bytes) === expected(bytes)));
  });

  it('agrees around every padding border', () => {
    for (let length = 0; length < 200; length += 1) {
      const bytes = new Uint8Array(length).fill(length);
      expect(sha256(bytes)).toBe(expected(bytes));
    }
  });

  it('agrees on a megabyte', () => {
    const bytes = Buffer.alloc(1024 * 1024, 'memory');
    expect(sha256(bytes)).toBe(expected(bytes));
  });
});

describe('shortHash', () => {
  it('hashes text as UTF-8', () => {
    expect(shortHash('项目 🦄', 12)).toBe(createHash('sha256').update('项目 🦄').digest('hex').slice(0, 12));
  });
});
