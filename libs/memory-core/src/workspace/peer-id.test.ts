/** Identifiers must fit a header, and two places must stay two. */
import { validateHeaderValue } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalPath, distinctPathId, PEER_ID_MAX_BYTES, plainPathId, safePeerId } from './peer-id.ts';

const path = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), { maxLength: 12 }).map(
  (parts) =>
    `/${parts
      .map((part) => part.replaceAll('/', ''))
      .filter((part) => part !== '')
      .join('/')}`,
);

describe('identifiers', () => {
  it('can always be sent', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), path), (text) => {
        for (const id of [safePeerId(text), plainPathId(text), distinctPathId(text)]) {
          if (id === undefined) continue;
          expect(id).not.toMatch(/[/\\\p{Cc}]/u);
          expect(Buffer.byteLength(id)).toBeLessThanOrEqual(PEER_ID_MAX_BYTES);
          expect(() => validateHeaderValue('X-OpenViking-Actor-Peer', id)).not.toThrow();
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('leave a fitting text alone', () => {
    expect(safePeerId('github.com-volcengine-openviking')).toBe('github.com-volcengine-openviking');
    expect(safePeerId('  my peer ')).toBe('my peer');
    expect(safePeerId(' \t ')).toBeUndefined();
  });

  it('keep different texts apart where something was lost', () => {
    const ids = ['team/a', 'team\\a', 'team-a', '项目甲', '项目乙', 'x'.repeat(300), 'x'.repeat(301)].map(safePeerId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('plainPathId', () => {
  it.each([
    ['/home/u/my-project_1', '-home-u-my-project-1'],
    ['/home/u/项目甲', '-home-u----'],
    ['/home/u/😀', '-home-u---'],
    ['C:\\w', 'C--w'],
    ['c:\\w', 'c--w'],
    ['/', '-'],
  ])('%s → %s, byte for byte as before', (text, id) => {
    expect(plainPathId(text)).toBe(id);
  });
});

describe('distinctPathId', () => {
  it('adds nothing where nothing was lost', () => {
    expect(distinctPathId('/w/a/b')).toBe('-w-a-b');
    expect(distinctPathId('C:\\w\\a')).toBe('C--w-a');
  });

  it.each([
    ['/home/u/项目甲', '/home/u/项目乙'],
    ['/w/a/b', '/w/a-b'],
    ['/w/a-b', '/w/a_b'],
    ['/w/a b', '/w/a.b'],
    ['/w/a\\b', '/w/a/b'],
    [`/w/${'x'.repeat(300)}`, `/w/${'x'.repeat(301)}`],
  ])('keeps %s and %s two', (a, b) => {
    expect(distinctPathId(a)).not.toBe(distinctPathId(b));
  });

  it('knows the spellings of one Windows path', () => {
    expect(distinctPathId('c:\\w')).toBe(distinctPathId('C:\\w'));
    expect(distinctPathId('c:/w-x')).toBe(distinctPathId('C:\\w-x'));
    expect(canonicalPath('\\\\server\\share')).toBe('//server/share');
  });

  it('is one-to-one over arbitrary paths', () => {
    fc.assert(
      fc.property(path, path, (a, b) => {
        fc.pre(a !== b);
        expect(distinctPathId(a)).not.toBe(distinctPathId(b));
      }),
      { numRuns: 2000 },
    );
  });
});
