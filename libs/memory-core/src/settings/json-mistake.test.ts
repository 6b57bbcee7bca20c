/** Both readers of commented JSON against the engine's own parser, and places against texts cut and spoiled by hand. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { processorTime } from '../../testing/processor-time.ts';
import { findJsonMistake } from './json-mistake.ts';
import { parseTolerantJson } from './tolerant-json.ts';

describe('parseTolerantJson', () => {
  it('agrees with JSON.parse on every JSON text, and no mistake is found there', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space);
        expect(parseTolerantJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
        expect(findJsonMistake(text)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('refuses exactly the texts in which a mistake is found', () => {
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
        expect({ text, ok: parseTolerantJson(text).ok }).toEqual({ text, ok: findJsonMistake(text) === undefined });
      }),
      { numRuns: 20_000 },
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
    expect(parseTolerantJson(text)).toEqual({ ok: true, value });
  });

  it('makes "__proto__" a plain key, in strict and in commented text', () => {
    for (const text of ['{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":1},/**/}']) {
      const read = parseTolerantJson(text);
      const value = read.ok ? (read.value as object) : {};
      expect(Object.keys(value)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('findJsonMistake', () => {
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
    ['behind comments', '{ // a\n  "b": 1, /* c\n d */ e\n}', 3, 7],
    ['behind a trailing comma', '[[1,], 2,, 3]', 1, 10],
    ['a control character', '["a\u0001"]', 1, 4],
    ['a misspelt word', '{"a": tru}', 1, 7],
    ['a line break inside a text', '{"a":"x\ny"}', 1, 6],
    ['an unknown escape', '{"a":"\\x"}', 1, 7],
    ['a number with a leading zero', '[01]', 1, 3],
    ['an empty text', '', 1, 1],
    ['the same after a byte order mark', '\ufeff{"a" 1}', 1, 6],
  ])('names the place: %s', (_what, text, line, column) => {
    const mistake = findJsonMistake(text);
    expect(mistake).toMatchObject({ line, column });
    expect(mistake?.message).toMatch(/^(?:a|no|text|the|this|unknown) /);
  });

  it('takes any depth of nesting', () => {
    const deep = '['.repeat(100_000);
    expect(findJsonMistake(deep)).toEqual({
      line: 1,
      column: 100_001,
      message: 'the text ends where a value should follow',
    });
    expect(findJsonMistake(`${deep}1${']'.repeat(100_000)}`)).toBeUndefined();
    expect(parseTolerantJson(`${deep}1${']'.repeat(100_000)}`).ok).toBe(true);
  });

  it.each([
    ['escaped quotes without end', `"${'\\"'.repeat(128_000)}`],
    ['comment starts', '/*'.repeat(128_000)],
    ['commas', ','.repeat(256_000)],
    ['commas and blanks', `[1${',   '.repeat(64_000)}`],
    ['blanks before a comma', `[1${' '.repeat(250_000)},x`],
  ])('takes linear time on a hostile text of 256 KB: %s', (_what, text) => {
    const { milliseconds } = processorTime(() => {
      expect(parseTolerantJson(text).ok).toBe(false);
      expect(findJsonMistake(text)).toBeDefined();
    });
    expect(milliseconds).toBeLessThan(1_000);
  });
});
