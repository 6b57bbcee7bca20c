/** The first look must see whatever the rules would find: what it passes over is kept as it is. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { processorTime } from '../../testing/processor-time.ts';
import { redactDeep } from './redact.ts';
import { FORMAT_EXAMPLES } from './rules.examples.ts';
import { PLACE_EXAMPLES } from './secret-places.examples.ts';
import { formatRules, shapeRules } from './rules.ts';
import { mayHoldSecret } from './secret-suspicion.ts';
import { redactSecrets } from './secrets.ts';

describe('mayHoldSecret', () => {
  it.each(FORMAT_EXAMPLES)('is true of $id: $secret', ({ secret }) => {
    expect(mayHoldSecret(`see ${secret}, please`)).toBe(true);
    expect(redactDeep({ a: [`x\n${secret}`] })).not.toEqual({ a: [`x\n${secret}`] });
  });

  it.each(PLACE_EXAMPLES)('is true of $what', ({ text }) => {
    expect(mayHoldSecret(text)).toBe(true);
    expect(redactDeep([text])).not.toEqual([text]);
  });

  it('is true of whatever the tables of formats match', () => {
    // What must not follow says nothing about the match itself.
    const plain = (source: string): string => source.replace(/\(\?(?:!|<=)(?:\[[^\]]*\]|[^()[\]])*\)/g, '');
    const literal = (text: string): string => text.replace(/[.+*?^$()[\]{}|\\/-]/g, '\\$&');
    const sources = [
      ...formatRules().flatMap(({ starts, rest }) => starts.map((start) => literal(start) + plain(rest))),
      ...shapeRules().map(({ pattern }) => plain(pattern)),
    ];
    for (const source of sources) {
      fc.assert(
        fc.property(fc.stringMatching(new RegExp(`^${source}$`)), (secret) => {
          expect({ source, secret, seen: mayHoldSecret(`x ${secret}`) }).toEqual({ source, secret, seen: true });
        }),
        { numRuns: 20 },
      );
    }
  });

  it('is true of whatever is redacted, and of what is said in JSON', () => {
    const piece = fc.constantFrom(
      ...[
        'password',
        'PASSWD',
        'dbPass',
        'pwd',
        'Token',
        'api_key',
        'apiKey',
        'secret',
        'credentials',
        'identified by',
      ],
      ...[
        '密码',
        '令牌',
        'パスワード',
        '_prod',
        '2',
        'Cookie',
        'authorization',
        'Bearer',
        'value',
        'login ',
        'mysql -p',
      ],
      ...[
        ' is ',
        ' for the db was ',
        ': ',
        '=',
        ' => ',
        '"',
        "'",
        '`',
        '\\',
        '\n',
        '\t',
        ' ',
        ')',
        ']',
        '?',
        '!',
        ',',
        '>',
      ],
      ...['--', '-', '&', '://me:', '@h', 'curl -u ', '是', '：', '{', '[', '(', 'x', '\u212a', 'İ', '\u200b', '%41'],
      ...['hunter2', 'q7Vx9LmZ2pK4wTn8RbYc3', 'correcthorse', '12345678', 'a=b12345c'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const text = pieces.join('');
        if (redactSecrets(text) === text) return;
        expect({ text, seen: mayHoldSecret(text) }).toEqual({ text, seen: true });
        expect(redactDeep({ a: [text] })).not.toEqual({ a: [text] });
      }),
      { numRuns: 50_000 },
    );
  }, 60_000);

  it.each([
    'Which package manager is used?',
    'It is pnpm.',
    '请用 pnpm 安装依赖，然后运行测试。',
    'The token is refreshed when it expires, and the password can be reset by the user.',
    'Tests: 12 passed, 3 failed; the keyboard shortcut of a secretary is in src/keys/monkey.ts',
    'if (a < b && c > d) { return list.map((x) => x.name); }',
    'diff --git a/libs/core/src/open.ts b/libs/core/src/open.ts\nindex f3d2a9c..c4ef506 100644',
    'see https://example.com/docs/guide#install and mail me@example.com',
    JSON.stringify({ command: 'npm test -- src/privacy', description: 'Run the tests', timeout: 120_000 }),
  ])('is false of %j', (text) => expect(mayHoldSecret(text)).toBe(false));

  it('takes time in proportion to the length of hostile texts', () => {
    for (const unit of [
      'password ',
      'token is ',
      'token for a ',
      '密码',
      '//a',
      '//',
      'curl ',
      'token"\\',
      'sk-',
      'pat',
      '%4',
      'Mj',
    ]) {
      const text = unit.repeat(Math.ceil(19_000 / unit.length));
      const { milliseconds } = processorTime(() => mayHoldSecret(text));
      expect({ unit, slow: milliseconds > 200 }).toEqual({ unit, slow: false });
    }
  });
});
