/** One repository, one name, whatever the spelling of its remote; and no credential in any of them. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRelativePath, normaliseRemote } from './remote.ts';

const EXPECTED = 'github.com-volcengine-openviking';

describe('normaliseRemote', () => {
  it.each([
    'https://github.com/volcengine/OpenViking.git',
    'https://github.com/volcengine/OpenViking',
    'https://github.com/volcengine/OpenViking/',
    'https://github.com/volcengine/OpenViking.git/',
    'https://GitHub.COM:443/Volcengine/openviking.git',
    'https://someone:token@github.com/volcengine/OpenViking.git',
    'https://token@github.com/volcengine/OpenViking.git',
    'https://user:p@ss@github.com/volcengine/OpenViking.git',
    'https://github.com/volcengine/OpenViking.git?access_token=abc#x',
    'http://github.com//volcengine//OpenViking',
    'git://github.com/volcengine/OpenViking.git',
    'ssh://git@github.com/volcengine/OpenViking.git',
    'ssh://git@github.com:22/volcengine/OpenViking.git',
    'git+ssh://git@github.com/volcengine/OpenViking.git',
    'git@github.com:volcengine/OpenViking.git',
    'git@github.com:/volcengine/OpenViking.git/',
    'github.com:volcengine/OpenViking',
    'user:token@github.com:volcengine/OpenViking.git',
    ' git@github.com.:volcengine/OpenViking.git\n',
  ])('%s', (address) => {
    expect(normaliseRemote(address)).toBe(EXPECTED);
  });

  it.each([
    ['git@gitlab.example:group/sub/project.git', 'gitlab.example-group-sub-project'],
    ['ssh://git@[2001:db8::1]:2222/x/y.git', '2001-db8--1-x-y'],
    ['[2001:db8::1]:x/y.git', '2001-db8--1-x-y'],
    ['file://server/share/x.git', 'server-share-x'],
    ['/srv/git/x.git', 'srv-git-x'],
    ['/srv/git/x/.git', 'srv-git-x'],
    ['file:///srv/git/x.git', 'srv-git-x'],
    ['C:\\git\\x.git', 'C--git-x'],
    ['c:/git/x.git', 'C--git-x'],
  ])('%s → %s', (address, name) => {
    expect(normaliseRemote(address)).toBe(name);
  });

  it.each([
    '',
    '   ',
    'https://',
    'https://github.com',
    'https://github.com/',
    'git@github.com:',
    'ext::sh -c x',
    '/',
    '.git',
  ])('gives no name to %j', (address) => {
    expect(normaliseRemote(address)).toBeUndefined();
  });

  it.each([
    'https://user:to/ken@github.com/a/b.git',
    'https://user:12/ken@github.com/a/b.git',
    'https://token/tail@github.com/a/b.git',
    'https://user:to#ken@github.com/a/b.git',
    'https://user:to?ken@github.com/a/b.git',
    'user:ken/x@github.com:a/b.git',
    'user:ken@tail',
  ])('gives no name where a credential cannot be told from the path: %s', (address) => {
    expect(normaliseRemote(address)).toBeUndefined();
  });

  it('keeps two local paths two', () => {
    expect(normaliseRemote('/srv/a-b/c')).not.toBe(normaliseRemote('/srv/a/b/c'));
    expect(normaliseRemote('/srv/a-b/c')).not.toBe(normaliseRemote('/srv/a-b-c'));
    expect(normaliseRemote('/项目甲')).not.toBe(normaliseRemote('/项目乙'));
  });

  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
  const host = fc.array(label, { minLength: 2, maxLength: 3 }).map((labels) => labels.join('.'));
  const segments = fc.array(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,11}[A-Za-z0-9]$/), {
    minLength: 1,
    maxLength: 3,
  });
  const clean = (parts: readonly string[]): boolean => !parts.some((part) => /\.git$/i.test(part));

  it('gives every form of one repository the same name', () => {
    fc.assert(
      fc.property(host, segments.filter(clean), fc.integer({ min: 1, max: 65535 }), (name, parts, port) => {
        const path = parts.join('/');
        const forms = [
          `https://${name}/${path}.git`,
          `https://u:p@${name.toUpperCase()}:${port}/${path}/`,
          `ssh://git@${name}:${port}/${path}.git/`,
          `git://${name}/${path.toUpperCase()}`,
          `git@${name}:${path}.git`,
          `${name}:${path}`,
        ];
        expect(new Set(forms.map(normaliseRemote))).toEqual(new Set([[name, ...parts].join('-').toLowerCase()]));
      }),
    );
  });

  it('never lets a part of user or password through', () => {
    // A marker that neither host nor path can hold, somewhere inside arbitrary credentials.
    const junk = fc.string({ maxLength: 8 }).filter((text) => !/[\r\n]/.test(text));
    const credentials = fc.tuple(junk, junk).map(([before, after]) => `${before}zqsecretqz${after}`);
    fc.assert(
      fc.property(host, segments.filter(clean), credentials, junk, (name, parts, secret, user) => {
        const path = parts.join('/');
        for (const address of [
          `https://${user}:${secret}@${name}/${path}`,
          `https://${secret}@${name}/${path}`,
          `ssh://${secret}:${user}@${name}:22/${path}`,
          `${user}:${secret}@${name}:${path}`,
          `${secret}@${name}:${path}`,
          `https://${name}/${path}?token=${secret}`,
        ]) {
          expect({ address, leaked: (normaliseRemote(address) ?? '').includes('zqsecretqz') }).toEqual({
            address,
            leaked: false,
          });
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('isRelativePath', () => {
  it.each([
    ['../x.git', true],
    ['x', true],
    ['./a:b', true],
    ['/x', false],
    ['C:\\x', false],
    ['host:x', false],
    ['https://host/x', false],
    ['file:///x', false],
  ])('%s: %s', (address, relative) => {
    expect(isRelativePath(address)).toBe(relative);
  });
});
