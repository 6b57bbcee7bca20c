/** The tolerant reader against the engine's own parser, and its positions against texts cut and spoiled by hand. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsoncError, parseJsonc, scanJsonc } from './jsonc.ts';
import { parseTolerantJson } from './tolerant-json.ts';

const valueOf = (text: string): unknown => {
  const result = parseJsonc(text);
  if (!result.ok) throw new Error(`${result.line}:${result.column} ${result.message}`);
  return result.value;
};

describe('parseJsonc', () => {
  it('agrees with JSON.parse on every JSON text, and so does its scanner', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space);
        expect(parseJsonc(text)).toEqual({ ok: true, value: JSON.parse(text) });
        expect(scanJsonc(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('finds the same texts broken as its scanner does, and reads the others alike', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"',
        '\\',
        '1',
        '-2.5e3',
        'true',
        'null',
        'x',
        ' ',
        '\n',
        '//',
        '/*',
        '*/',
        '/',
      ],
      ...['"//"', '"/*"', '",]"', '"\\""', '01', '{}', '[]', '"k":', ',]', ',}'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        let scanned: { value: unknown } | undefined;
        try {
          scanned = { value: scanJsonc(text) };
        } catch (error) {
          expect(error).toBeInstanceOf(JsoncError);
        }
        const tolerant = parseTolerantJson(text);
        expect({ text, ok: tolerant.ok }).toEqual({ text, ok: scanned !== undefined });
        if (tolerant.ok) expect(tolerant.value).toEqual(scanned?.value);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['\ufeff{"a":1}', { a: 1 }],
    ['{"a":1,}', { a: 1 }],
    ['[1,2,\n]', [1, 2]],
    ['// first\n{ /* inside */ "a": 1 // after\n}\n/* last */', { a: 1 }],
    ['{"a":"// no comment /* either */",}', { a: '// no comment /* either */' }],
    ['{"a":"x,]",/**/}', { a: 'x,]' }],
    ['{"url":"http://h:1/\\u00e9\\n",}', { url: 'http://h:1/é\n' }],
    ['\ufeff// c\r\n[]', []],
  ])('reads %j', (text, value) => {
    expect(valueOf(text)).toEqual(value);
  });

  it.each([
    ['cut in the middle of an object', '{\n  "a": 1,\n  "b": {\n', 4, 1],
    ['cut after a key', '{"a"', 1, 5],
    ['cut inside a text', '{\n  "a": "bc', 2, 8],
    ['two roots', '{"a":1}\n{"b":2}', 2, 1],
    ['merge-conflict marks', '{\n<<<<<<< HEAD\n  "a": 1\n=======\n', 2, 1],
    ['a missing comma', '{\r\n  "a": 1\r\n  "b": 2\r\n}', 3, 3],
    ['a missing colon', '{"a" 1}', 1, 6],
    ['a key without quotes', '{\n\ta: 1}', 2, 2],
    ['two commas', '[1,,2]', 1, 4],
    ['a comma alone', '[,]', 1, 2],
    ['a comment never closed', '{"a":1} /* x', 1, 9],
    ['a line break inside a text', '{"a":"x\ny"}', 1, 6],
    ['an unknown escape', '{"a":"\\x"}', 1, 7],
    ['a number with a leading zero', '[01]', 1, 3],
    ['an empty text', '', 1, 1],
    ['the same after a byte order mark', '\ufeff{"a" 1}', 1, 6],
  ])('names the place: %s', (_what, text, line, column) => {
    const result = parseJsonc(text);
    expect(result).toMatchObject({ ok: false, line, column });
    expect(result.ok ? '' : result.message).toMatch(/^[a-z`]/);
  });

  it('makes "__proto__" a plain key, in strict and in commented text', () => {
    for (const text of ['{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":1},/**/}']) {
      const value = valueOf(text) as Record<string, unknown>;
      expect(Object.keys(value)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
    expect(Object.keys(scanJsonc('{"__proto__":1}') as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('survives nesting that would overflow the stack', () => {
    const deep = '['.repeat(100_000);
    expect(parseJsonc(deep)).toMatchObject({ ok: false, line: 1, message: expect.stringContaining('levels deep') });
    expect(parseJsonc(`${deep}1${']'.repeat(100_000)}`).ok).toBe(true);
  });

  it.each([
    ['escaped quotes without end', `"${'\\"'.repeat(128_000)}`],
    ['comment starts', '/*'.repeat(128_000)],
    ['commas', ','.repeat(256_000)],
    ['commas and blanks', `[1${',   '.repeat(64_000)}`],
    ['blanks before a comma', `[1${' '.repeat(250_000)},x`],
  ])('takes linear time on a hostile text of 256 KB: %s', (_what, text) => {
    const start = process.hrtime.bigint();
    expect(parseJsonc(text).ok).toBe(false);
    expect(Number(process.hrtime.bigint() - start) / 1e6).toBeLessThan(1_000);
  });
});
