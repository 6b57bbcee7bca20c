import { describe, expect, it } from '@jest/globals';
import { isMemorable } from './memorable.ts';

describe('isMemorable', () => {
  it.each([
    ...[
      'ok',
      'OK.',
      'Okay!',
      'thanks',
      'Thank you!',
      'thx',
      'yes please',
      'ok, go on',
      "that's fine",
      'Sounds good 👍',
      'got it',
      'LGTM',
    ],
    ...[
      '好的',
      '好的！',
      '好的，谢谢',
      '继续',
      '请继续',
      '嗯嗯',
      '可以',
      '没问题',
      '辛苦了',
      '知道了',
      '好的好的',
      'ok好的',
      '谢谢你',
      '繼續',
      '對的',
      'ＯＫ',
    ],
    ...['はい', 'ありがとうございます', '네', '감사합니다', 'merci', 'спасибо'],
  ])('says no to the acknowledgement %j', (text) => expect(isMemorable(text, 1)).toBe(false));

  it.each(['/compact', '/model fast', '/mcp:list', '/clear  ', '/resume 3f2a-11'])(
    'says no to the command %j',
    (text) => expect(isMemorable(text, 1)).toBe(false),
  );

  it.each(['', '   ', '!!!', '…', '。。。', '👍', '🎉🎉', '---', '\u200b'])(
    'says no to %j, which has no letter',
    (text) => expect(isMemorable(text, 0)).toBe(false),
  );

  it.each([
    ['ab', 3, false],
    ['fix', 3, true],
    ['登录', 3, true],
    ['改端口', 6, true],
    ['改端口', 7, false],
    ['猫', 3, false],
    ['e\u0301e\u0301', 3, false],
    ['a  b', 3, false],
    ['C++', 3, true],
  ])('weighs the length of %j against %d', (text, minimum, expected) =>
    expect(isMemorable(text, minimum)).toBe(expected),
  );

  it.each([
    'I prefer tabs',
    'use port 8080',
    'ok, but use pnpm instead of npm',
    '好的，以后都用 pnpm',
    '我叫小明',
    '不要用分号',
    '/review please look at the login form',
    '/fix 登录页面在手机上打不开',
    '/etc/hosts is wrong',
    'thanks to the cache it is fast now',
    '42 is the answer',
  ])('says yes to %j', (text) => expect(isMemorable(text, 3)).toBe(true));
});
