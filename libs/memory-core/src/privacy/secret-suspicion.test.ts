/** The first look must see whatever the rules would find: what it passes over is kept as it is. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { processorTime } from '../../testing/processor-time.ts';
import { redactDeep } from './redact.ts';
import { FORMAT_EXAMPLES } from './rules.examples.ts';
import { PLACE_EXAMPLES } from './secret-places.examples.ts';
import { formatRules, shapeRules } from './rules.ts';
import { placeExpressions } from './secret-commands.ts';
import { secretTexts, secretValues } from './secret-mutations.examples.ts';
import { mayHoldSecret, mayHoldSecretDeep } from './secret-suspicion.ts';
import { redactDeep as redactEngineDeep, redactSecrets } from './secrets.ts';

const SEED = 20_260_101;
/** Set to search for so long, from another beginning every time; unset, the same texts are tried at every run. */
const seconds = Number(process.env['SECRETS_FUZZ_SECONDS'] ?? 0);
const runs: fc.Parameters<unknown> =
  seconds > 0
    ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: seconds * 1_000, markInterruptAsFailure: false }
    : { numRuns: 20_000, seed: SEED };
/** In milliseconds. */
const LONGEST = seconds * 2_000 + 120_000;

function report(tried: string): void {
  if (seconds > 0) process.stdout.write(`fuzz: ${tried} were redacted in ${seconds} s, each of them suspected\n`);
}

/** What generators make. */
const RANDOM = `q7Vx9${'LmZ2pK4w'}Tn8RbYc3`;

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

  it(
    'is true of whatever is redacted',
    () => {
      let redacted = 0;
      fc.assert(
        fc.property(secretTexts, (text) => {
          if (redactSecrets(text) === text) return;
          redacted += 1;
          expect({ text, seen: mayHoldSecret(text) }).toEqual({ text, seen: true });
        }),
        runs,
      );
      // Otherwise nothing was tried.
      expect(redacted).toBeGreaterThan(1_500);
      report(`${redacted} texts`);
    },
    LONGEST,
  );

  it(
    'is true of whatever is redacted in a JSON value',
    () => {
      let redacted = 0;
      fc.assert(
        fc.property(secretValues, (value) => {
          const before = JSON.stringify(value);
          if (JSON.stringify(redactEngineDeep(value)) === before) return;
          redacted += 1;
          expect({ before, seen: mayHoldSecretDeep(value) }).toEqual({ before, seen: true });
        }),
        runs,
      );
      expect(redacted).toBeGreaterThan(1_500);
      report(`${redacted} values`);
    },
    LONGEST,
  );

  it.each([
    `secretKey: "${RANDOM}"`,
    `SECRETKEY='${RANDOM}'`,
    `secret-key: ${RANDOM}`,
    `minio.secretkey=${RANDOM}`,
    `secretkey_base: ${RANDOM}${RANDOM}`,
    'net use Z: \\\\srv\\share P4ssw0rd99',
    'variable "db_password" {\n  default = "swordfish"',
    `[redacted:aws-access-key],${'wJalrXUtnFEMI/K7MDENG/'}${'bPxRfiCYEXAMPLEKEY'}`,
  ])('is true of %j', (text) => {
    expect(redactSecrets(text)).not.toBe(text);
    expect(mayHoldSecret(text)).toBe(true);
    expect(redactDeep({ a: [text] })).not.toEqual({ a: [text] });
  });

  it('is true of a member whose name alone gives it away, however it is written', () => {
    for (const value of [
      { secretKey: RANDOM },
      { credentİals: RANDOM },
      { '\\token': RANDOM },
      { 'db password': 1234 },
    ]) {
      expect(redactDeep(value)).not.toEqual(value);
    }
  });

  it('is true of what is nested too deeply to be looked through', () => {
    let value: unknown = 'plain';
    for (let depth = 0; depth < 300; depth += 1) value = { value };
    expect(mayHoldSecretDeep(value)).toBe(true);
  });

  it(
    'knows a trace in whatever a place matches',
    () => {
      const places = placeExpressions();
      const matched = new Set<number>();
      const look = (text: string): void => {
        places.forEach(({ expression, isTracedIn }, number) => {
          expression.lastIndex = 0;
          if (!expression.test(text)) return;
          matched.add(number);
          expect({ expression: expression.source, text, traced: isTracedIn(text) }).toMatchObject({ traced: true });
        });
      };
      for (const { text } of PLACE_EXAMPLES) look(text);
      fc.assert(fc.property(secretTexts, look), { ...runs, numRuns: 5_000 });
      for (const { expression } of places) {
        const plain = withoutSurroundings(expression.source);
        fc.assert(fc.property(fc.stringMatching(new RegExp(`^${plain}$`)), look), { numRuns: 30, seed: SEED });
      }
      expect(
        places.filter((_place, number) => !matched.has(number)).map(({ expression }) => expression.source),
      ).toEqual([]);
    },
    LONGEST,
  );

  it.each([
    'Which package manager is used in project 5?',
    'It is pnpm in project 5.',
    '请用 pnpm 安装依赖，然后运行测试。',
    'Tokens are refreshed when they expire, and passwords can be reset by the user.',
    'Tests: 12 passed, 3 failed; the keyboard shortcut is in src/keys/monkey.ts',
    'Open src/path/to/sliding/patterns/discord.ts, then /usr/lib/python3/dist-packages/pathlib.py',
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

/** The source of an expression without what it demands of the text around a match: that says nothing about its words. */
function withoutSurroundings(source: string): string {
  /** Whether each open group is one that matches nothing by itself. */
  const groups: boolean[] = [];
  let result = '';
  for (const [piece] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?::|<?[=!])|[^]/g)) {
    const isGroup = piece.startsWith('(');
    if (isGroup) groups.push(/[=!]$/.test(piece));
    if (!groups.includes(true) && piece !== '\\b') result += piece;
    if (piece === ')') groups.pop();
  }
  return result;
}
