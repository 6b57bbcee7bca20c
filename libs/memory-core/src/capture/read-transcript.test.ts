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

  it('passes a line over 16 MB on as an empty one', () => {
    writeFileSync(path, `a\n${'x'.repeat(17 * 1024 * 1024)}\nb\n`);
    expect(read().texts).toEqual(['a', '', 'b']);
  });
});
