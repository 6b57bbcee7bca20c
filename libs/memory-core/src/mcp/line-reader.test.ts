import { describe, expect, it } from '@jest/globals';
import { readLines } from './line-reader.ts';

async function kinds(chunks: (string | Buffer)[], limit?: number): Promise<string[]> {
  const seen: string[] = [];
  async function* source(): AsyncGenerator<Uint8Array | string> {
    yield* chunks;
  }
  for await (const line of readLines(source(), limit)) {
    seen.push(line.kind === 'message' ? Buffer.concat(line.message.chunks).toString() : line.kind);
  }
  return seen;
}

describe('readLines', () => {
  it('joins what was cut, splits what came together, skips blank lines, and needs no final line feed', async () => {
    expect(
      await kinds(['{"id":1', ',"method":"a"}\n\n \r\n{"id":2,"method":"b"}\r\n{"id":3', ',"method":"c"}']),
    ).toEqual(['{"id":1,"method":"a"}', '{"id":2,"method":"b"} ', '{"id":3,"method":"c"}']);
  });

  it('goes on after garbage, after a line that is too long, and after a byte order mark', async () => {
    const long = JSON.stringify({ id: 1, method: 'x'.repeat(100) });
    expect(
      await kinds(['\ufeff{"id":1,"method":"a"}\n', 'garbage\n', long, '\n', '5\n[]\n{"method":"b"}\n'], 60),
    ).toEqual(['{"id":1,"method":"a"}', 'invalid', 'too-long', 'scalar', 'batch', '{"method":"b"}']);
  });

  it('keeps a multi-byte character that a chunk border cuts', async () => {
    const bytes = Buffer.from('{"id":1,"method":"😀é"}\n');
    const pieces = [...bytes].map((byte) => Buffer.from([byte]));
    expect(await kinds(pieces)).toEqual(['{"id":1,"method":"😀é"}']);
  });
});
