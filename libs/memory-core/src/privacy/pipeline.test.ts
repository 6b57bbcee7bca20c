import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { wrapContext } from '../recall/envelope.ts';
import { compileFilters } from './filters.ts';
import { sanitise, sanitiseBeginning, sanitiseDeep, type OpenPassages } from './pipeline.ts';
import { FORMAT_EXAMPLES } from './rules.examples.ts';

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

describe('a private key that is told in parts', () => {
  const body = Array.from({ length: 24 }, () => randomBytes(48).toString('base64'));
  const last = randomBytes(16).toString('base64');
  const key = [`-----BEGIN RSA ${'PRIVATE'} KEY-----`, ...body, last, `-----END RSA ${'PRIVATE'} KEY-----`];
  const told = (parts: readonly string[]): string[] => {
    const open: OpenPassages = { depth: 0 };
    return parts.map((part) => sanitise(part, { role: 'assistant', redact: true, open }) ?? '');
  };
  const left = (parts: readonly string[]): readonly string[] =>
    [...body, last].filter((line) =>
      told(parts).some((text) => text.includes(line.slice(0, 12)) || text.includes(line.slice(-12))),
    );

  it.each([1, 2, 8, 23, 24, 25])('in two, cut behind line %d', (line) => {
    const parts = [`Here:\n${key.slice(0, line).join('\n')}`, `${key.slice(line).join('\n')}\nThat is it.`];
    expect(left(parts)).toEqual([]);
    expect(told(parts).at(-1)).toMatch(/That is it\.$/);
  });

  it('in two, cut anywhere', () => {
    const text = key.join('\n');
    const begin = key[0]?.length ?? 0;
    for (let at = begin; at < text.length - last.length; at += 37)
      expect({ at, left: left([text.slice(0, at), text.slice(at)]) }).toEqual({ at, left: [] });
  });

  it('in three, of which the second has neither beginning nor end', () => {
    const parts = [key.slice(0, 9), key.slice(9, 18), key.slice(18)].map((lines) => lines.join('\n'));
    expect(left(parts)).toEqual([]);
  });

  it('in pages with line numbers, and in JSON', () => {
    const numbered = key.map((line, index) => `${String(index + 1).padStart(6)}→${line}`);
    expect(
      left([numbered.slice(0, 9).join('\n'), numbered.slice(9, 18).join('\n'), numbered.slice(18).join('\n')]),
    ).toEqual([]);
    const pieces = [key.slice(0, 9), key.slice(9)].map((lines) => JSON.stringify(`${lines.join('\n')}`).slice(1, -1));
    expect(left(pieces)).toEqual([]);
  });

  it('whose head names how it is encrypted', () => {
    const head = [key[0] ?? '', 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,6D5BE9AA', ''];
    expect(left([[...head, ...body.slice(0, 9)].join('\n'), key.slice(10).join('\n')])).toEqual([]);
  });

  it('of which only the end was read', () => expect(left([key.slice(12).join('\n')])).toEqual([]));

  it.each([
    [`See -----BEGIN ${'PRIVATE'} KEY-----`, 'Configuration of the internationalization module follows.'],
    ['It is [redacted:private-key]', 'internationalizationConfiguration is read next.\nThen the rest.'],
    ['Done.', body.slice(0, 3).join('\n')],
  ])('leaves what follows %j alone where it is none', (before, after) => expect(told([before, after])[1]).toBe(after));
});

describe('sanitiseBeginning', () => {
  const MOST = 100;
  /** Where such a text is cut off when it has no blanks. */
  const CUT = MOST * 4;
  const filler = '记住这件事。';
  const options = { role: 'user', redact: true } as const;
  const formats = [
    'github-token',
    'aws-access-key',
    'anthropic-key',
    'slack-token',
    'stripe-key',
    'google-api-key',
    'npm-token',
    'jwt',
    'gitlab-token',
    'age-secret-key',
  ];
  const secrets = [
    ...formats
      .map((id) => FORMAT_EXAMPLES.find((example) => example.id === id)?.secret ?? '')
      .map((secret) => [secret, secret]),
    [`数据库密码是hunter2Xq${'9'}!`, 'hunter2Xq9!'],
    ['postgres://me:swordfish@db/app', 'swordfish'],
  ];

  it.each(secrets)('keeps nothing of %s that lies across the cut', (said = '', secret = '') => {
    const beginning = secret.slice(0, 8);
    for (let shift = 1; shift < said.length; shift += 3) {
      const before = filler.repeat(200).slice(0, CUT - shift);
      for (const behind of [filler.repeat(2_000), `，${'x'.repeat(9_000)}`]) {
        const kept = sanitiseBeginning(`${before}${said}${behind}`, MOST, options) ?? '';
        expect({ shift, leaked: kept.includes(beginning) }).toEqual({ shift, leaked: false });
        expect(kept.startsWith(filler)).toBe(true);
      }
    }
  });

  it('keeps no value whose name is cut off', () => {
    const text = `${filler.repeat(200).slice(0, CUT - 20)}echo Sw0rdfish99 |sudo -S ls。${filler.repeat(2_000)}`;
    expect(sanitiseBeginning(text, MOST, options)).not.toContain('Sw0rdfish99');
  });

  it('hides what stands before a closing tag that is cut off', () => {
    const text = `${'word '.repeat(2_000)}</private>${'more '.repeat(20)}`;
    expect(sanitiseBeginning(text, MOST, options)).toBe('more '.repeat(20).trim());
  });

  it('is sanitise where nothing is cut off, and keeps as much as is asked for where something is', () => {
    expect(sanitiseBeginning(`use ${TOKEN}`, MOST, options)).toBe('use [redacted:github-token]');
    const long = 'word '.repeat(20_000);
    expect(sanitiseBeginning(long, MOST, options)?.length).toBeGreaterThan(MOST);
    expect(long).toContain(sanitiseBeginning(long, MOST, options));
    expect(
      sanitiseBeginning(`${filler.repeat(66)}${TOKEN}${filler.repeat(2_000)}`, MOST, { role: 'user', redact: false }),
    ).toContain('ghp_');
  });

  it('says what stays open behind the cut', () => {
    const open: OpenPassages = { depth: 0 };
    sanitiseBeginning(`${'word '.repeat(2_000)}<private>`, MOST, { ...options, open });
    expect(open.depth).toBe(1);
  });
});
