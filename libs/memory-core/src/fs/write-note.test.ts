import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeNote } from './write-note.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ov-note-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);
const noteAt = (name: string): unknown => JSON.parse(readFileSync(at(name), 'utf8'));

describe('writeNote', () => {
  it('makes a private file, and writes over it without making another one', () => {
    writeNote(at('new/note.json'), '{"n":1}');
    const first = statSync(at('new/note.json'));
    expect(first.mode & 0o777).toBe(0o600);
    writeNote(at('new/note.json'), '{"n":22,"text":"日本"}');
    expect(noteAt('new/note.json')).toEqual({ n: 22, text: '日本' });
    writeNote(at('new/note.json'), '{"n":3}');
    expect(noteAt('new/note.json')).toEqual({ n: 3 });
    expect(statSync(at('new/note.json')).ino).toBe(first.ino);
  });

  it('replaces a file of another length, and takes a text of any length', () => {
    writeFileSync(at('note.json'), '{"older":"version"}', { mode: 0o644 });
    writeNote(at('note.json'), '{"n":1}');
    expect(noteAt('note.json')).toEqual({ n: 1 });
    expect(statSync(at('note.json')).mode & 0o777).toBe(0o600);
    const long = JSON.stringify({ text: '長'.repeat(600) });
    writeNote(at('note.json'), long);
    expect(readFileSync(at('note.json'), 'utf8')).toBe(long);
    writeNote(at('note.json'), '{"n":2}');
    expect(noteAt('note.json')).toEqual({ n: 2 });
  });

  it('does not follow a link in the place of its folder either', () => {
    mkdirSync(at('elsewhere'));
    symlinkSync(at('elsewhere'), at('notes'));
    writeNote(at('notes/note.json'), '{"n":1}');
    expect(noteAt('notes/note.json')).toEqual({ n: 1 });
    expect(readdirSync(at('elsewhere'))).toEqual([]);
  });

  it('neither follows a link nor fills a folder', () => {
    writeFileSync(at('precious'), 'x'.repeat(512));
    symlinkSync(at('precious'), at('note.json'));
    writeNote(at('note.json'), '{"n":1}');
    expect(readFileSync(at('precious'), 'utf8')).toBe('x'.repeat(512));
    expect(noteAt('note.json')).toEqual({ n: 1 });
    mkdirSync(at('folder.json'));
    expect(() => writeNote(at('folder.json'), '{"n":1}')).toThrow(/EISDIR|ENOTEMPTY|EPERM|EEXIST/);
  });

  it.each([4, 512])('leaves another name of a file of %d bytes alone', (length) => {
    writeFileSync(at('other'), 'm'.repeat(length));
    linkSync(at('other'), at('note.json'));
    writeNote(at('note.json'), '{"n":1}');
    expect(readFileSync(at('other'), 'utf8')).toBe('m'.repeat(length));
    expect(noteAt('note.json')).toEqual({ n: 1 });
  });
});
