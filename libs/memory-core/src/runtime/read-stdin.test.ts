import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createValueScanner, readStream } from './read-stdin.ts';

const fed = (chunks: readonly (string | Buffer)[], end: boolean): Promise<Record<string, unknown> | undefined> => {
  const stream = new PassThrough();
  const result = readStream(stream as unknown as NodeJS.ReadStream);
  for (const chunk of chunks) stream.write(chunk);
  if (end) stream.end();
  return result;
};

describe('readStream', () => {
  it('answers as soon as the value is whole, with the pipe still open', async () => {
    expect(await fed(['{"a":"}{', '\\"","b":[1]}'], false)).toEqual({ a: '}{"', b: [1] });
  });

  it('takes a byte order mark and white space', async () => {
    expect(await fed(['\uFEFF\n {"a":1}\n'], true)).toEqual({ a: 1 });
  });

  it.each([
    ['nothing', ''],
    ['half a value', '{"a":'],
    ['garbage', 'hello'],
    ['an array', '[1]'],
    ['a number', '1'],
    ['two closing braces', '}}'],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0x7b])],
  ])('gives nothing for %s', async (_name, text) => {
    expect(await fed([text], true)).toBeUndefined();
  });

  it('does not let a payload reach the prototype of all objects', async () => {
    await fed(['{"__proto__":{"polluted":1}}'], true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['another value', '{"b":2}'],
    ['a NUL', '\0'],
    ['a line of a log', '\nhook started\n'],
  ])('takes the value in front of %s', async (_name, behind) => {
    expect(await fed([`{"a":"}"}${behind}`], false)).toEqual({ a: '}' });
    expect(await fed([`{"a":`, `"}"}${behind}`], false)).toEqual({ a: '}' });
  });

  it('takes a deeply nested value', async () => {
    const depth = 100_000;
    expect(await fed([`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`], false)).toHaveProperty('a');
  });
});

describe('createValueScanner', () => {
  it('is done exactly at the last byte of an object, however it is cut', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, seed) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const cut = seed % bytes.length;
        const scanner = createValueScanner();
        expect(scanner(bytes.subarray(0, cut))).toBeUndefined();
        expect(scanner(bytes.subarray(cut, -1))).toBeUndefined();
        return scanner(bytes.subarray(Math.max(cut, bytes.length - 1))) === 1;
      }),
    );
  });
});
