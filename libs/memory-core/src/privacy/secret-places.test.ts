/** Passwords as they stand in what tools print: none is left, in the text, in JSON around it, and in JSON around that. */
import { describe, expect, it } from '@jest/globals';
import { redactSecrets } from './redact.ts';
import { ORDINARY_TEXTS, PLACE_EXAMPLES } from './secret-places.examples.ts';

describe('secrets in their places', () => {
  it.each(PLACE_EXAMPLES)('$what', ({ text, secret }) => {
    const once = JSON.stringify({ out: text });
    const twice = JSON.stringify({ out: once });
    for (const whole of [text, `log:\n${text}\nend\n`, once, twice]) {
      const redacted = redactSecrets(whole);
      expect(redacted).not.toContain(secret);
      expect(redacted).toContain('[redacted:');
      expect(redactSecrets(redacted)).toBe(redacted);
    }
    expect(() => JSON.parse(redactSecrets(once))).not.toThrow();
    expect(() => JSON.parse(redactSecrets(twice))).not.toThrow();
    if (parses(text)) expect(parses(redactSecrets(text))).toBe(true);
  });

  it.each(ORDINARY_TEXTS)('leaves %j alone', (text) => {
    expect(redactSecrets(text)).toBe(text);
    expect(redactSecrets(`log:\n${text}\nend\n`)).toBe(`log:\n${text}\nend\n`);
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
