import { describe, expect, it } from '@jest/globals';
import { wrapContext } from '../recall/envelope.ts';
import { compileFilters } from './filters.ts';
import { sanitise, sanitiseDeep } from './pipeline.ts';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const block = wrapContext('prompt', 'old memory');

describe('sanitise', () => {
  it('takes out injected blocks, private text, secrets and host noise, in one go', () => {
    const text = `${block}\n[ts:1]Deploy with ${TOKEN} <private>for Ann</private>please\0`;
    expect(sanitise(text, { role: 'user', redact: true, hostNoise: [/\[ts:\d+\]/] })).toBe(
      'Deploy with [redacted:github-token] please',
    );
  });

  it('shows filters only what is already clean', () => {
    const filters = compileFilters([`d/${TOKEN}|old memory|Ann/`, 's/redacted/gone/', 'assistant:d/Deploy/']);
    const text = `${block} Deploy with ${TOKEN} <private>for Ann</private>`;
    expect(sanitise(text, { role: 'user', redact: true, filters })).toBe('Deploy with [gone:github-token]');
    expect(sanitise(text, { role: 'assistant', redact: true, filters })).toBeUndefined();
  });

  it('keeps secrets only when redaction is off, and private text never', () => {
    expect(sanitise(`${TOKEN} <private>x`, { role: 'user', redact: false })).toBe(TOKEN);
  });

  it('is not fooled by a private block that an injected one cuts in two', () => {
    const text = '<system-reminder>a <private> b</system-reminder> SECRET </private> c';
    expect(sanitise(text, { role: 'user', redact: true })).toBe('c');
  });

  it('changes nothing the second time', () => {
    const options = { role: 'user' as const, redact: true };
    const once = sanitise(`${block} password: hunter2x <private>a</private> b`, options) ?? '';
    expect(sanitise(once, options)).toBe(once);
  });
});

describe('sanitiseDeep', () => {
  it('does the same to every string of a tool part, and keeps blanks that are data', () => {
    const filters = compileFilters(['s/Ann/A./g', 'd/forbidden/']);
    const input = {
      file_path: '/w/Ann.txt',
      content: `  x = 1\n${block}\n`,
      indented: '  y = 2\n',
      env: { API_TOKEN: `${TOKEN}` },
      lines: ['<private>', 'SECRET', '</private>', 'forbidden word'],
      count: 3,
    };
    expect(sanitiseDeep(input, { role: 'assistant', redact: true, filters })).toEqual({
      file_path: '/w/A..txt',
      content: 'x = 1',
      indented: '  y = 2\n',
      env: { API_TOKEN: '[redacted:github-token]' },
      lines: ['', '', '', ''],
      count: 3,
    });
  });
});
