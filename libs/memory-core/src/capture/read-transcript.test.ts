import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TranscriptPosition } from '../spool/record.ts';
import { openTranscript } from './open-transcript.ts';
import { linesFrom } from './read-transcript.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ov-transcript-'));
  path = join(folder, 'log.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(position?: TranscriptPosition): { texts: string[]; end: TranscriptPosition } {
  const transcript = openTranscript([join(folder, 'missing'), path]);
  if (transcript === undefined) throw new Error('not opened');
  try {
    return { texts: [...linesFrom(transcript, position)].map((line) => line.text), end: transcript.end };
  } finally {
    transcript.close();
  }
}

describe('openTranscript', () => {
  it('gives only what is new, and half a line only when it is whole', () => {
    writeFileSync(path, 'one\ntw');
    const first = read();
    expect(first.texts).toEqual(['one']);
    appendFileSync(path, 'o\nthree\n');
    expect(read(first.end).texts).toEqual(['two', 'three']);
  });

  it('starts over when the file was reset in place, shortened or replaced', () => {
    writeFileSync(path, 'first content, long enough\nmore\n');
    const { end } = read();
    truncateSync(path, 0);
    appendFileSync(path, 'second content, and longer than the first one was\nmore\n');
    expect(read(end).texts[0]).toMatch(/^second/u);
    writeFileSync(path, 'x\n');
    expect(read(end).texts).toEqual(['x']);
    writeFileSync(`${path}.new`, 'replaced by rename\n');
    renameSync(`${path}.new`, path);
    expect(read(end).texts).toEqual(['replaced by rename']);
  });

  it('tells the byte offset of every line, over chunk borders and multi-byte characters', () => {
    const lines = ['é'.repeat(700_000), '行'.repeat(500_000), '', 'end'];
    writeFileSync(path, `${lines.join('\n')}\n`);
    const transcript = openTranscript([path]);
    const seen = transcript === undefined ? [] : [...linesFrom(transcript, undefined)];
    transcript?.close();
    expect(seen.map((line) => line.text)).toEqual(lines);
    expect(seen.map((line) => line.offset)).toEqual([0, 1_400_001, 2_900_002, 2_900_003]);
  });

  describe('a line that is too long to be parsed', () => {
    const MEGABYTE = 1024 * 1024;
    const only = (text: string): string => {
      writeFileSync(path, `${JSON.stringify('a')}\n${text}\n${JSON.stringify('b')}\n`);
      const { texts } = read();
      expect([texts[0], texts[2], texts.length]).toEqual(['"a"', '"b"', 3]);
      return texts[1] ?? '';
    };

    it('keeps its short strings and its form; long ones are cut', () => {
      const value = {
        user: 'What is in the log?',
        call: { name: 'Bash', input: { command: 'cat "log" \\ é 行 😀' }, output: 'x'.repeat(40 * MEGABYTE) },
        list: [1, null, true, { deep: ['"', '\\', '\n'] }],
        answer: 'Nothing new is in the log.',
      };
      const text = only(JSON.stringify(value));
      const { call, ...rest } = JSON.parse(text) as typeof value;
      expect(rest).toEqual({ user: value.user, list: value.list, answer: value.answer });
      expect([call.name, call.input, call.output.length]).toEqual(['Bash', value.call.input, MEGABYTE]);
    });

    it.each([
      ['characters of several bytes', '行é😀'],
      ['escapes', '\\"\n\u0001'],
    ])('is cut between %s', (_what, unit) => {
      // One byte more in front of it at a time: the limit falls at every place of the unit.
      for (let before = 0; before < 4; before += 1) {
        const value = {
          text: 'x'.repeat(before) + unit.repeat(Math.ceil((9 * MEGABYTE) / unit.length)),
          answer: 'kept',
        };
        const { text, answer } = JSON.parse(only(JSON.stringify(value))) as typeof value;
        expect(answer).toBe('kept');
        expect(value.text.startsWith(text)).toBe(true);
        expect(text.length).toBeGreaterThan(100_000);
      }
    });

    it('is cut further where it has many long strings, and given up where it has too many short ones', () => {
      const many = { parts: Array.from({ length: 30 }, () => 'x'.repeat(900_000)), answer: 'kept' };
      const text = only(JSON.stringify(many));
      expect(text.length).toBeLessThanOrEqual(8 * MEGABYTE);
      expect(JSON.parse(text)).toMatchObject({ answer: 'kept' });
      expect(only(JSON.stringify(Array.from({ length: 700_000 }, (_, index) => `string ${index}`)))).toBe('');
    });

    it('is passed on as it is where it is no JSON', () => {
      expect(only('x'.repeat(9 * MEGABYTE))).toBe('');
    });
  });
});
