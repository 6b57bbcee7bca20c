import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { speaksChinese } from '../session/language.ts';
import { noticeOf } from './notice.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ov-notice-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a notice', () => {
  it('is said once per conversation and kind, in one line that says what to do', () => {
    const [one, other] = [join(folder, 'one'), join(folder, 'other')];
    const first = noticeOf('refused', one, {});
    expect(first).toMatch(/^OpenViking: .*key.*npx @openviking\/install status$/);
    expect(first).not.toContain('\n');
    expect(noticeOf('refused', one, {})).toBeUndefined();
    expect(noticeOf('unreachable', one, {})).toContain('does not answer');
    expect(noticeOf('refused', other, {})).toBe(first);
  });

  it('speaks the language of the user', () => {
    expect(noticeOf('full', folder, { LANG: 'zh_CN.UTF-8' })).toMatch(
      /停止采集。请运行 npx @openviking\/install status$/,
    );
  });

  it('is not said where nothing can be remembered', () => {
    expect(noticeOf('refused', '/dev/null/state', {})).toBeUndefined();
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
