import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { homePaths } from '../fs/home-paths.ts';
import { speaksChinese } from '../session/language.ts';
import { noticeOf } from './notice.ts';
import type { Trouble } from './notice.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ov-notice-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const noticeIn = (session: string, trouble: Trouble, env: Record<string, string> = {}): string | undefined =>
  noticeOf(trouble, { paths: homePaths(home), session }, 'some', env);

describe('a notice', () => {
  it('is said once per conversation and kind, in one line that says what to do', () => {
    const first = noticeIn('one', 'refused');
    expect(first).toMatch(/^OpenViking: .*key.*npx @openviking\/install status$/);
    expect(first).not.toContain('\n');
    expect(noticeIn('one', 'refused')).toBeUndefined();
    expect(noticeIn('one', 'unreachable')).toContain('does not answer');
    expect(noticeIn('other', 'refused')).toBe(first);
    // Who reads it sees one conversation, however many subagents are at work in it.
    expect(noticeIn('one__subagent-a', 'refused')).toBeUndefined();
    expect(noticeIn('third__subagent-a', 'refused')).toBe(first);
    expect(noticeIn('third', 'refused')).toBeUndefined();
  });

  it('speaks the language of the user', () => {
    expect(noticeIn('one', 'full', { LANG: 'zh_CN.UTF-8' })).toMatch(
      /停止采集。请运行 npx @openviking\/install status$/,
    );
  });

  it.each([
    [{ command: "'/a clone/bin/openviking-install'" }, "'/a clone/bin/openviking-install' status"],
    [{ command: 'two\nlines' }, 'npx @openviking/install status'],
    [{ command: 3 }, 'npx @openviking/install status'],
  ])('names the command of the receipt %j', (receipt, next) => {
    mkdirSync(join(home, '.openviking/install/receipts'), { recursive: true });
    writeFileSync(join(home, '.openviking/install/receipts/some.json'), JSON.stringify(receipt));
    expect(noticeIn('one', 'refused')).toMatch(new RegExp(`Run ${next}$`));
  });

  it('is not said where nothing can be remembered', () => {
    const paths = { ...homePaths(home), state: '/dev/null/state' };
    expect(noticeOf('refused', { paths, session: 'one' }, 'some', {})).toBeUndefined();
  });
});

describe('speaksChinese', () => {
  it.each([
    [{}, false],
    [{ LANG: 'en_US.UTF-8' }, false],
    [{ LANG: 'zh_TW' }, true],
    [{ LC_ALL: 'C', LANG: 'zh_CN' }, false],
    [{ LC_ALL: '', LANG: 'zh_CN' }, true],
    [{ OPENVIKING_LANG: 'zh', LC_ALL: 'en_US' }, true],
    [{ OPENVIKING_LANG: 'en', LANG: 'zh_CN' }, false],
  ])('%j: %s', (env, expected) => {
    expect(speaksChinese(env)).toBe(expected);
  });
});
