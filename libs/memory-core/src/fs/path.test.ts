import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { absolute, inside } from './path.ts';

const name = fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom('a', 'B', '7', '家', ' ', '-', '_') });
const names = fc.array(name, { minLength: 1, maxLength: 4 });

describe('inside', () => {
  it('agrees with join for a normalised folder and plain names', () => {
    fc.assert(
      fc.property(names, names, (folder, below) => {
        const path = resolve('/', ...folder);
        expect(inside(path, ...below)).toBe(join(path, ...below));
      }),
    );
  });

  it('knows the root of the file system', () => {
    expect(inside(resolve('/'), 'etc')).toBe(resolve('/etc'));
  });
});

describe('absolute', () => {
  const segment = fc.oneof(name, fc.constantFrom('.', '..', '', '...', '.a', 'a.', '..a', ' '));

  it('agrees with resolve on any path', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('/', '', './', '//', '~/'),
        fc.array(segment, { maxLength: 6 }),
        (start, segments) => {
          const path = start + segments.join('/');
          expect(absolute(path)).toBe(resolve(path));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
