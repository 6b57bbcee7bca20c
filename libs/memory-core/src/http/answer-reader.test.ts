import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AnswerReader, type Answer, type Unreadable } from './answer-reader.ts';

const MAX = 1024 * 1024;

type Outcome = { status: number; body: string; headers: Answer['headers'] } | Unreadable | undefined;

/** What comes of `text` when it arrives in pieces that end at `cuts`, and the connection is closed then. */
function read(text: string, cuts: readonly number[] = [], max = MAX): Outcome {
  const bytes = Buffer.from(text, 'latin1');
  const reader = new AnswerReader(max);
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    const outcome = reader.push(bytes.subarray(from, end));
    from = end;
    if (outcome !== undefined) return shown(outcome);
  }
  return shown(reader.close());
}

function shown(outcome: Answer | Unreadable | undefined): Outcome {
  if (typeof outcome !== 'object') return outcome;
  return { status: outcome.status, headers: outcome.headers, body: outcome.body.toString('latin1') };
}

const lines = (...all: string[]): string => all.join('\r\n');
const chunked = (...chunks: string[]): string =>
  [...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}${chunk === '' ? '' : '\r\n'}`).join('');

/** Everything that a server may rightly say, and what it means. */
const answer = fc
  .record({
    status: fc.integer({ min: 200, max: 599 }),
    body: fc.string({ unit: 'binary-ascii', maxLength: 300 }),
    framing: fc.constantFrom('length', 'chunks', 'close'),
    before: fc.boolean(),
    cut: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ status, body, framing, before, cut }) => {
    const hasNone = status === 204 || status === 304;
    const pieces = body.match(new RegExp(`[^]{1,${cut}}`, 'g')) ?? [];
    const framed =
      framing === 'length'
        ? lines(`Content-Length: ${body.length}`, '', body)
        : framing === 'chunks'
          ? lines('Transfer-Encoding: Chunked', '', `${chunked(...pieces)}\r\n`)
          : lines('X-Other: 1', '', body);
    const text = `${before ? 'HTTP/1.1 103 Early\r\nLink: <a>\r\n\r\n' : ''}HTTP/1.1 ${status} Said\r\n${framed}`;
    return { text, status, body: hasNone ? '' : body };
  });

describe('AnswerReader', () => {
  it('reads an answer however its bytes are cut', () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat(2000), { maxLength: 12 }), ({ text, status, body }, cuts) => {
        expect(read(text, cuts)).toMatchObject({ status, body });
      }),
      { numRuns: 500 },
    );
  });

  it('never takes a part for the whole', () => {
    fc.assert(
      fc.property(answer, fc.nat(2000), ({ text, body }, length) => {
        const isOpenEnded = /X-Other/.test(text);
        const part = text.slice(0, length % text.length);
        const outcome = read(part);
        if (isOpenEnded || outcome === undefined) return;
        // Only what comes behind the last byte of the body may be missing: nobody waits for a trailer's end.
        expect(outcome).toMatchObject({ body });
      }),
      { numRuns: 500 },
    );
  });

  it('gives headers in lower case, joins what comes twice, and keeps cookies apart', () => {
    const text = lines('HTTP/1.0 200', 'A:1', 'a: 2 ', 'Set-Cookie: x=1, y', 'set-cookie: z=2', '__proto__: p', '', '');
    const outcome = read(text) as Exclude<Outcome, string | undefined>;
    expect(outcome.headers['a']).toBe('1, 2');
    expect(outcome.headers['set-cookie']).toEqual(['x=1, y', 'z=2']);
    expect(Object.getPrototypeOf(outcome.headers)).toBe(Object.prototype);
  });

  it.each([
    ['chunk extensions and trailers', 'Transfer-Encoding: chunked', '2;a="b"\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n', 'ok'],
    ['chunks that win over a length', 'Transfer-Encoding: chunked\r\nContent-Length: 9', '2\r\nok\r\n0\r\n\r\n', 'ok'],
    ['the same length twice', 'Content-Length: 2\r\nContent-Length: 2', 'ok', 'ok'],
    ['more bytes than the length', 'Content-Length: 2', 'ok, and more', 'ok'],
    ['an empty element in the list of encodings', 'Transfer-Encoding: chunked, ', '2\r\nok\r\n0\r\n\r\n', 'ok'],
    ['a length of nothing', 'Content-Length: 0', '', ''],
  ])('takes %s', (_name, head, body, expected) => {
    expect(read(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`)).toMatchObject({ status: 200, body: expected });
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'BAD_ANSWER'],
    ['another version', 'HTTP/2 200\r\n\r\n', 'BAD_ANSWER'],
    ['another protocol', 'HTTP/1.1 101 Switching\r\n\r\n', 'BAD_ANSWER'],
    ['a line that is no header', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'BAD_ANSWER'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nA: 1\r\n 2: 3\r\n\r\n', 'BAD_ANSWER'],
    ['a blank before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok', 'BAD_ANSWER'],
    ['half a line end', 'HTTP/1.1 200 OK\r\nA: 1\rB: 2\r\n\r\n', 'BAD_ANSWER'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!', 'BAD_ANSWER'],
    ['a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok', 'BAD_ANSWER'],
    ['an encoding that was not asked for', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', 'BAD_ANSWER'],
    ['a size that is none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', 'BAD_ANSWER'],
    [
      'a chunk that is longer than it says',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nok\r\n',
      'BAD_ANSWER',
    ],
    ['a head without end', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(70_000)}`, 'TOO_LARGE'],
    ['a size without end', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1'.repeat(5_000)}`, 'BAD_ANSWER'],
  ])('refuses %s', (_name, text, expected) => {
    expect(read(text)).toBe(expected);
    expect(read(text, [1, 20, 40, 100])).toBe(expected);
  });

  it.each([
    ['by its length', 'Content-Length: 11\r\n\r\n'],
    ['by a chunk', 'Transfer-Encoding: chunked\r\n\r\nb\r\n'],
    ['when it comes', 'X: 1\r\n\r\nhello, world'],
  ])('refuses more than is wanted, %s', (_name, rest) => {
    expect(read(`HTTP/1.1 200 OK\r\n${rest}`, [], 10)).toBe('TOO_LARGE');
  });
});
