/** A snapshot that overlooked a kind of change would let an uninstall pass that leaves something behind. */
import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTemporaryHome, ODD_NAMES } from './temporary-home.ts';
import type { TemporaryHome } from './temporary-home.ts';
import { describeDifference, diffTrees, snapshotTree } from './tree-snapshot.ts';

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome(ODD_NAMES.everything);
  home.write('folder/file', 'one\r\n');
  home.write('secret', 'x', 0o600);
  symlinkSync('folder/file', home.at('link'));
});
afterEach(() => home.remove());

/** Changes something and names what the snapshots say about it. */
function changed(act: () => void): string[] {
  const before = snapshotTree(home.path);
  act();
  return diffTrees(before, snapshotTree(home.path)).map(({ change, path }) => `${change} ${path}`);
}

describe('snapshotTree and diffTrees', () => {
  it('find nothing where nothing but times changed', () => {
    expect(changed(() => writeFileSync(home.at('folder/file'), 'one\r\n'))).toEqual([]);
  });

  it.each<[string, () => void, string[]]>([
    ['a line end', () => writeFileSync(home.at('folder/file'), 'one\n'), ['changed folder/file']],
    ['a mode of a file', () => chmodSync(home.at('secret'), 0o644), ['changed secret']],
    ['a mode of a folder', () => chmodSync(home.at('folder'), 0o700), ['changed folder']],
    ['an empty folder', () => void home.makeFolder('empty'), ['added empty']],
    ['a new name', () => renameSync(home.at('secret'), home.at('other')), ['added other', 'removed secret']],
    [
      'another link target',
      () => {
        rmSync(home.at('link'));
        symlinkSync('secret', home.at('link'));
      },
      ['changed link'],
    ],
    [
      'a link that became a file with the same bytes',
      () => {
        rmSync(home.at('link'));
        writeFileSync(home.at('link'), 'one\r\n');
      },
      ['changed link'],
    ],
  ])('name %s', (_what, act, expected) => {
    expect(changed(act)).toEqual(expected);
  });

  it('say in one line what differs', () => {
    const before = snapshotTree(home.path);
    chmodSync(home.at('secret'), 0o644);
    const [difference] = diffTrees(before, snapshotTree(home.path));
    expect(difference && describeDifference(difference)).toMatch(/^changed secret: file 600 \w{12} → file 644 \w{12}$/);
  });
});
