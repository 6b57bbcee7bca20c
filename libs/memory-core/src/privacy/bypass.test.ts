import { describe, expect, it } from '@jest/globals';
import { processorTime } from '../../testing/processor-time.ts';
import { isBypassed } from './bypass.ts';

const ask = (pattern: string, cwd = '/home/u/srv/secret/app', sessionId = 'zc-sess_1'): boolean =>
  isBypassed({ patterns: [pattern], sessionId, cwd, home: '/home/u' });

describe('isBypassed', () => {
  it.each([
    '/home/u/srv/secret/app',
    '/home/u/srv/secret/**',
    '/home/u/srv/*/app',
    '**/secret/**',
    '**/app',
    '/home/u/srv/secret/app/',
    '/home/u/srv/secret/app/**',
    '~/srv/**',
    '**',
    'zc-*',
    'zc-sess_1',
    '*_1',
    '/home/u/srv/s*t/a*',
  ])('matches %j', (pattern) => expect(ask(pattern)).toBe(true));

  it.each(
    [
      '',
      '  ',
      '/home/u/srv/secret',
      '/home/u/srv/*',
      '*/app',
      '/home/*',
      '*',
      'sess_1',
      'cc-*',
      '/HOME/**',
      '~',
      '/home/u/srv/secret/app/*',
      'zc-',
    ].filter((pattern) => pattern !== '*'),
  )('does not match %j', (pattern) => expect(ask(pattern)).toBe(false));

  it('takes everything but stars literally', () => {
    expect(ask('/w/a.b', '/w/axb')).toBe(false);
    expect(ask('/w/[ab]', '/w/[ab]')).toBe(true);
    expect(ask('/w/?', '/w/a')).toBe(false);
  });

  it('reads Windows paths', () => {
    expect(ask('C:\\work\\**', 'C:\\work\\secret\\app')).toBe(true);
    expect(ask('C:/srv/*', 'C:\\work\\secret\\app')).toBe(false);
  });

  it('is not slowed down by hostile patterns', () => {
    const cwd = `/${'a'.repeat(4_000)}`;
    const patterns = Array.from({ length: 200 }, (_, index) => `${'**a'.repeat(200)}${index}`);
    const { milliseconds } = processorTime(() => {
      expect(isBypassed({ patterns, sessionId: 's', cwd, home: '/home/u' })).toBe(false);
    });
    expect(milliseconds).toBeLessThan(5_000);
  });

  it('leaves a conversation alone when there are more patterns than anybody writes, and they cost no time', () => {
    const cwd = `/${'a/'.repeat(100)}b`;
    // Each is in the text piece by piece, and matches none of it: a star does not cross a slash.
    const patterns = Array.from(
      { length: 4_000 },
      (_, index) => `/*a${'*a'.repeat(1 + (index % 40))}${'*'.repeat(1 + (index % 97))}b`,
    );
    const { milliseconds } = processorTime(() => {
      expect(isBypassed({ patterns, sessionId: 's', cwd, home: '/home/u' })).toBe(true);
      expect(isBypassed({ patterns: patterns.slice(0, 50), sessionId: 's', cwd, home: '/home/u' })).toBe(false);
    });
    expect(milliseconds).toBeLessThan(2_000);
  });
});
