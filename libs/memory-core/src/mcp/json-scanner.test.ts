import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonScanner, type ScanResult } from './json-scanner.ts';

function scan(text: string | Buffer, step = Infinity): { result: ScanResult; bytes: Buffer } {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner();
  for (let at = 0; at < bytes.length; at += step) {
    if (!scanner.push(bytes.subarray(at, Math.min(bytes.length, at + step))))
      return { result: { kind: 'invalid' }, bytes };
  }
  return { result: scanner.finish(), bytes };
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('JsonScanner', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":9,"method":"x"}}', '7', 'tools/call', false, false],
    ['{"method":"a","id":"\\u00e9\\"x"}', '"\\u00e9\\"x"', 'a', false, false],
    ['{"id":1,"result":{"error":1,"id":3}}', '1', undefined, true, false],
    ['{"id":null,"error":{"code":1}}', 'null', undefined, false, true],
    ['{"id":{"a":1},"method":"m"}', 'null', 'm', false, false],
    ['{"id":true,"method":["m"]}', 'null', undefined, false, false],
    ['{"\\u0069d":-1.5e3,"method":"m"}', '-1.5e3', 'm', false, false],
    ['{"id":1,"id":2}', '2', undefined, false, false],
    ['{"a":{"method":"inner"},"method":"outer"}', undefined, 'outer', false, false],
    ['{}', undefined, undefined, false, false],
  ])('reads the envelope of %s, however it is cut', (text, id, method, hasResult, hasError) => {
    for (const step of [1, 2, 3, 7, Infinity]) {
      expect(scan(text, step).result).toMatchObject({
        kind: 'message',
        envelope: { id, method, hasResult, hasError },
      });
    }
  });

  it('gives the byte range of every element of a batch', () => {
    const text = ' [ {"id":1,"method":"é"} , 5,[{"id":3}], {"id":"z","result":[1]} ] ';
    for (const step of [1, 5, Infinity]) {
      const { result, bytes } = scan(text, step);
      if (result.kind !== 'batch') throw new Error(result.kind);
      expect(result.elements.map((e) => bytes.subarray(e.start, e.end).toString())).toEqual([
        '{"id":1,"method":"é"}',
        '5',
        '[{"id":3}]',
        '{"id":"z","result":[1]}',
      ]);
      expect(result.elements.map((e) => e.envelope?.id)).toEqual(['1', undefined, undefined, '"z"']);
    }
  });

  it.each(['1', '-0.5e-7', '"x"', 'true', ' null '])('knows that %s is JSON but no message', (text) => {
    expect(scan(text).result.kind).toBe('scalar');
  });

  it.each([
    '',
    ' ',
    '{',
    '{"a":1,}',
    '[1,]',
    '[,1]',
    '{"a" 1}',
    '{"a":1]',
    '{a:1}',
    "{'a':1}",
    '01',
    '1.',
    '-',
    '+1',
    '1e',
    '.5',
    'nul',
    'nulll',
    'NaN',
    '"\\x"',
    '"\\u12g4"',
    '"a\nb"',
    '{"a":1} {"b":2}',
    '}{',
    '<html></html>',
    '\u00a0{}',
  ])('refuses %j as JSON.parse does', (text) => {
    expect(parses(text)).toBe(false);
    for (const step of [1, Infinity]) expect(scan(text, step).result.kind).toBe('invalid');
  });

  it('agrees with JSON.parse on whatever JSON, cut and damaged anywhere', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5 }),
        fc.nat(),
        fc.constantFrom('', '"', ',', '}', '[', '1', 'e', '\\', ' ', '\n', '-', ':'),
        fc.integer({ min: 1, max: 9 }),
        (json, position, inserted, step) => {
          const at = position % (json.length + 1);
          const text = json.slice(0, at) + inserted + json.slice(at);
          expect(scan(text, step).result.kind === 'invalid').toBe(!parses(text));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('turns a pretty-printed message into one line of the same meaning', () => {
    const value = { id: 1, result: { text: 'a\nb\r\n', list: [1, { c: [] }, 2.5] } };
    const { bytes } = scan(JSON.stringify(value, null, 2).replaceAll('\n', '\r\n'), 4);
    expect(bytes.toString()).not.toMatch(/[\r\n]/);
    expect(JSON.parse(bytes.toString())).toEqual(value);
  });

  it('does not give in to depth', () => {
    const depth = 200_000;
    expect(scan(`{"id":1,"result":${'['.repeat(depth)}${']'.repeat(depth)}}`).result.kind).toBe('message');
  });
});
