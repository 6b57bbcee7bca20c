/** The home folder in texts: shortened with the separators of both kinds of systems, and nothing else. */
import { describe, expect, it } from '@jest/globals';
import { shortHome } from '../src/cli/short-home.ts';

describe('shortHome', () => {
  it.each([
    ['the home', '/home/u', '/home/u', '~'],
    ['a path', '/home/u/.zcode/cli', '/home/u', '~/.zcode/cli'],
    ['paths in a sentence', 'A=/home/u/a and "/home/u/b": 为/home/u/c', '/home/u', 'A=~/a and "~/b": 为~/c'],
    [
      'on Windows',
      'In C:\\Users\\u.x (y)\\.zcode, by C:\\Users\\u.x (y)/f',
      'C:\\Users\\u.x (y)',
      'In ~\\.zcode, by ~/f',
    ],
    ['a home that is typed with a separator', '/home/u/x', '/home/u/', '~/x'],
  ])('%s', (_what, text, home, shown) => {
    expect(shortHome(text, home)).toBe(shown);
  });

  it.each([
    ['another user whose name begins alike', '/home/u2/x', '/home/u'],
    ['a folder that is called like the home', '/mnt/home/u/x', '/home/u'],
    ['an address', 'file:///home/u/x', '/home/u'],
    ['the root as home', '/etc/x', '/'],
  ])('leaves %s', (_what, text, home) => {
    expect(shortHome(text, home)).toBe(text);
  });
});
