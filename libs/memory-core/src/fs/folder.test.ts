import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensurePrivateFolder, makeFolder } from './folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ov-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('makeFolder', () => {
  it('makes what is missing, private, and leaves what is there', () => {
    const path = join(folder, 'a', 'b', 'c');
    expect(makeFolder(path)).toBe(true);
    expect(makeFolder(path)).toBe(false);
    for (const made of [path, join(folder, 'a')]) expect(statSync(made).mode & 0o777).toBe(0o700);
  });

  it('fails, and ends, where no folder can be made', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
    expect(() => makeFolder(join(folder, 'file', 'below'))).toThrow('ENOTDIR');
    if (existsSync('/proc/self')) expect(() => makeFolder('/proc/nowhere/below')).toThrow('ENOENT');
  });
});

describe('ensurePrivateFolder', () => {
  it('closes a folder that was open to others', () => {
    const path = join(folder, 'open');
    mkdirSync(path);
    chmodSync(path, 0o755);
    ensurePrivateFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });
});
