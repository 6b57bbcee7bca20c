/** The subset of git's configuration syntax, checked against what git itself reads from the same file. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseGitConfig } from './git-config.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ov-git-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('parseGitConfig', () => {
  it.each([
    ['plain', '[remote "origin"]\n\turl = https://h/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'],
    ['case, quotes, comments', '[Remote "origin"] # c\n  URL = "a b ; c" ; note\n[core]\n\tbare=false # x\n'],
    ['escapes', '[a "b\\"c\\\\d"]\nk = "x\\ty\\\\z\\"" tail \n'],
    ['inner blanks', '[a]\nk =   one   two   \nl = "  kept  "\n'],
    ['continued lines', '[a]\nk = one\\\n two\n'],
    ['same line', '[a] k = v\n[b "c"] k = w\n'],
    ['CRLF', '[a]\r\nk = v\r\n[b]\r\nk = w\r\n'],
    ['several values', '[remote "origin"]\nurl = one\nurl = two\n'],
    ['old dotted form', '[remote.origin]\nurl = x\n'],
  ])('reads as git does: %s', (_what, text) => {
    const file = join(folder, 'config');
    writeFileSync(file, text);
    const listed = execFileSync('git', ['config', '--file', file, '--null', '--list'], { encoding: 'utf8' })
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => ({ name: entry.slice(0, entry.indexOf('\n')), value: entry.slice(entry.indexOf('\n') + 1) }));
    expect(parseGitConfig(text)).toEqual(listed);
  });

  it('passes over what is no configuration', () => {
    expect(parseGitConfig('url = outside\n[broken\nk = v\n\0\0')).toEqual([]);
  });
});
