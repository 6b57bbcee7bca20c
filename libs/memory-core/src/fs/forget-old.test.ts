import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forgetTemporaries } from './forget-old.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ov-forget-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('forgetTemporaries', () => {
  it('removes old temporary files and nothing that is young or has another name', () => {
    for (const name of ['.ov-1-a-1.tmp', '.ov-2-b-1.tmp', '000000000001.json', 'notes.tmp'])
      writeFileSync(join(folder, name), 'x');
    for (const name of ['.ov-1-a-1.tmp', '000000000001.json', 'notes.tmp']) utimesSync(join(folder, name), 1, 1);
    forgetTemporaries(folder, 60_000);
    expect(readdirSync(folder)).toEqual(['.ov-2-b-1.tmp', '000000000001.json', 'notes.tmp']);
    forgetTemporaries(join(folder, 'missing'), 60_000);
  });
});
