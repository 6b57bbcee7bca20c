/** The token numbers must be those of the scanner that is bundled. */
import { describe, expect, it } from '@jest/globals';
import { createScanner } from 'jsonc-parser';
import { TOKEN } from '../src/json/token.ts';

describe('token numbers', () => {
  it.each([
    ['closeBrace', '}'],
    ['closeBracket', ']'],
    ['comma', ','],
    ['lineComment', '// a'],
    ['blockComment', '/* a */'],
    ['lineBreak', '\r\n'],
    ['whiteSpace', ' \t'],
    ['end', ''],
  ] as const)('%s', (name, text) => {
    expect(createScanner(text, false).scan()).toBe(TOKEN[name]);
  });
});
