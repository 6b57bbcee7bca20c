import { describe, expect, it } from '@jest/globals';
import { boundText } from './bound.ts';

describe('boundText', () => {
  it('leaves what is short enough', () => expect(boundText('a b', 1)).toBe('a b'));

  it('ends a long text between two words, so that no secret is cut in two', () => {
    const text = `${'word '.repeat(2_000)}${'s'.repeat(3_000)} ${'more '.repeat(5_000)}`;
    const bound = boundText(text, 2_000);
    expect(text.startsWith(bound)).toBe(true);
    expect(bound.length).toBeGreaterThan(8_000);
    expect(bound).toMatch(/word$/u);
  });

  it('cuts a text without blanks all the same', () => expect(boundText('x'.repeat(1_000_000), 100).length).toBe(400));
});
