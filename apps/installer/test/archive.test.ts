/** An archive says where to write what. Whatever is not a plain file below its own folder is refused, unwritten. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { BadArchive, readArchive } from '../src/distribution/archive.ts';
import { readChecksum } from '../src/distribution/checksum.ts';
import { tarOf, tgzOf } from './support/tar.ts';
import type { TarEntry } from './support/tar.ts';

const LIMITS = { entries: 10, bytes: 64 * 1024 };
const good: TarEntry = { name: 'a/b.txt', content: 'hello' };

/** What reading comes to: the fault, or the files. */
function read(bytes: Uint8Array): string | readonly string[] {
  try {
    return [...readArchive(bytes, LIMITS)].map(([path, content]) => `${path}=${content.toString()}`);
  } catch (error) {
    if (error instanceof BadArchive) return error.message;
    throw error;
  }
}
const readEntries = (...entries: readonly TarEntry[]) => read(tgzOf(entries));

describe('an archive', () => {
  it('of files and folders is read', () => {
    expect(
      readEntries({ name: 'a/', type: '5' }, good, { name: '.b', content: '' }, { name: 'n', prefix: 'p/q' }),
    ).toEqual(['a/b.txt=hello', '.b=', 'p/q/n=']);
  });

  it.each([
    '../x',
    'a/../../x',
    'a/..',
    '..',
    '.',
    './x',
    'a/./x',
    '/x',
    '//x',
    'a//x',
    'C:/x',
    'C:x',
    'a\\..\\x',
    '\\\\host\\x',
    'a/x:stream',
    'a/nul',
    'CON.txt',
    'a/lpt1.x',
    'a./x',
    'a /x',
    ' a/x',
    'x.',
    'a\u0007x',
    'a\nx',
    'ä',
    'x?',
    'x*',
    'a/',
  ])('with a file named %j is refused', (name) => {
    expect(readEntries(good, { name, content: 'x' })).toMatch(/^path: /);
  });

  it.each([
    ['without a name', { name: '' }],
    ['with a way out in its prefix', { name: 'x', prefix: '..' }],
    ['with a prefix from the root', { name: 'x', prefix: '/etc' }],
    ['with a path longer than any of ours', { name: 'x'.repeat(99), prefix: 'y/'.repeat(60) }],
  ])('with an entry %s is refused', (_what, entry) => {
    expect(readEntries(good, entry)).toMatch(/^path/);
  });

  it.each([
    ['a symbolic link out', { name: 'l', type: '2', link: '../../.ssh' }],
    ['a symbolic link inside', { name: 'l', type: '2', link: 'a' }],
    ['a hard link', { name: 'l', type: '1', link: '/etc/passwd' }],
    ['a file that also names a link', { name: 'l', type: '0', link: '/etc/passwd' }],
    ['a character device', { name: 'd', type: '3' }],
    ['a block device', { name: 'd', type: '4' }],
    ['a pipe', { name: 'p', type: '6' }],
    ['a contiguous file', { name: 'c', type: '7' }],
    ['a long name of GNU', { name: '././@LongLink', type: 'L', content: '../../x' }],
    ['a header of pax', { name: 'h', type: 'x', content: '12 path=../x\n' }],
    ['a global header of pax', { name: 'h', type: 'g', content: '12 path=../x\n' }],
    ['a sparse file', { name: 's', type: 'S' }],
  ])('with %s is refused', (_what, entry) => {
    expect(readEntries(good, entry)).toMatch(/^kind: /);
  });

  it.each([
    ['the same file', [good, good]],
    ['a file that differs in case only', [good, { name: 'A/B.TXT' }]],
    ['a file where a folder is', [good, { name: 'a' }]],
    ['a folder where a file is', [good, { name: 'a/b.txt/', type: '5' }]],
    ['a file below a file', [good, { name: 'a/b.txt/c' }]],
  ])('with %s twice is refused', (_what, entries) => {
    expect(readEntries(...entries)).toMatch(/^twice: /);
  });

  it.each([
    ['no gzip', Buffer.from('hello'), 'not-gzip'],
    ['nothing', Buffer.alloc(0), 'truncated'],
    ['cut short when packed', tgzOf([good]).subarray(0, -12), 'truncated'],
    ['cut in a header', gzipSync(tarOf([good]).subarray(0, 300)), 'truncated'],
    ['cut in a file', gzipSync(tarOf([{ ...good, size: 5000 }]).subarray(0, 1024)), 'truncated: a/b.txt'],
    ['without an end', gzipSync(tarOf([good], Buffer.alloc(0))), 'truncated'],
    ['with something behind its end', gzipSync(Buffer.concat([tarOf([good]), Buffer.alloc(512, 'x')])), 'trailing'],
    ['of folders only', tgzOf([{ name: 'a/', type: '5' }]), 'empty'],
    ['with no entry', tgzOf([]), 'empty'],
    ['that is no tar', gzipSync(Buffer.alloc(2048, 'x')), 'header'],
    ['with a wrong sum', tgzOf([{ ...good, checksum: 7 }]), 'header'],
    ['with a size that is no number', tgzOf([{ ...good, size: 'twelve' }]), 'header'],
    ['with a size of base 256', tgzOf([{ ...good, size: '\x80\0\0\0\0\0\0\0\0\0\0\x05' }]), 'header'],
    ['with a negative size', tgzOf([{ ...good, size: '-0000000005' }]), 'header'],
    ['with a folder that has a size', tgzOf([{ name: 'a/', type: '5', size: 512 }]), 'header: a/'],
    ['with too many entries', tgzOf(Array.from({ length: 11 }, (_, index) => ({ name: `f${index}` }))), 'too-many'],
    ['that grows when unpacked', tgzOf([{ name: 'bomb', content: Buffer.alloc(128 * 1024) }]), 'too-large'],
  ])('%s is refused', (_what, bytes, fault) => {
    expect(read(bytes)).toBe(fault);
  });

  it('never names anything outside, whatever its bytes are', () => {
    const name = fc.oneof(
      // What is read is shown as `path=content`.
      fc.string({ maxLength: 30 }).map((text) => text.replaceAll('=', '-')),
      fc
        .array(fc.constantFrom('..', '.', '', 'a', 'b ', 'C:', 'nul', '\\'), { maxLength: 5 })
        .map((parts) => parts.join('/')),
    );
    const entry = fc.record({
      name,
      type: fc.constantFrom('0', '0', '5', '2', '1', 'x'),
      content: fc.string({ maxLength: 20 }),
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), (entries) => {
        const found = readEntries(...entries);
        if (typeof found === 'string') return;
        for (const line of found) {
          const path = line.slice(0, line.indexOf('='));
          const parts = path.split('/');
          expect(parts.every((part) => part !== '' && part !== '.' && part !== '..')).toBe(true);
          expect(path).not.toMatch(/[\\:]/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('with a byte changed is refused or says the same names', () => {
    const packed = tarOf([{ name: 'a/', type: '5' }, good]);
    fc.assert(
      fc.property(fc.nat(packed.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const changed = Buffer.from(packed);
        changed[at] = byte;
        const found = read(gzipSync(changed));
        // The header has a sum; what is left to change is content and what nobody reads.
        if (typeof found !== 'string') for (const line of found) expect(line).toMatch(/^a\/b\.txt=/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a checksum', () => {
  const hash = 'ab'.repeat(32);
  it.each([
    [hash, hash],
    [`${hash.toUpperCase()}\n`, hash],
    [`${hash}  x.tgz\n`, hash],
    [`${hash} *x.tgz\r\n`, hash],
    [`${'00'.repeat(32)}  y.tgz\n${hash}  x.tgz\n`, hash],
    [`${hash}  y.tgz\n`, undefined],
    [`${hash}\n${hash}\n`, undefined],
    [hash.slice(1), undefined],
    [`${hash}0`, undefined],
    ['<html>not found</html>', undefined],
    ['', undefined],
  ])('%j is %s', (text, wanted) => {
    expect(readChecksum(text, 'x.tgz')).toBe(wanted);
  });
});
