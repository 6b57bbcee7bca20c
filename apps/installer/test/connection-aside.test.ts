/** A key that turns out to be wrong must not cost the one that worked, and nothing at all is never taken for a key. */
import { startStubServer } from '@openviking/memory-core/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { readConnection } from '../src/connection/ovcli-conf.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess, RunOptions } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller('1.0.0');
});
afterAll(() => installer.remove());

const CONF = '.openviking/ovcli.conf';
const GOOD = 'the-right-key-0001';
const run = (home: TemporaryHome, args: readonly string[], options?: RunOptions) =>
  installer.run(['install', '--harness', 'zcode', '--home', home.path, '--yes', ...args], options);
const stored = (home: TemporaryHome) => {
  const { url, apiKey: key } = readConnection(home.readText(CONF), CONF);
  return { url, key };
};
const purge = (home: TemporaryHome) => installer.run(['uninstall', '--all', '--home', home.path, '--yes', '--purge']);

describe('a way to hand over a key that gives none', () => {
  it.each<[string, readonly string[], RunOptions, string]>([
    ['an empty stdin', ['--api-key-stdin'], { stdin: '' }, 'Nothing came on stdin'],
    ['a line end on stdin', ['--api-key-stdin'], { stdin: '\n' }, 'Nothing came on stdin'],
    ['the null of jq on stdin', ['--api-key-stdin'], { stdin: 'null\n' }, 'The word "null" in stdin'],
    ['an empty variable', ['--api-key-env', 'EMPTYK'], { env: { EMPTYK: '' } }, 'names is empty'],
    ['a variable that says undefined', ['--api-key-env', 'K'], { env: { K: 'undefined' } }, 'The word "undefined"'],
    ['white space', ['--api-key', ' '], {}, '--api-key holds only white space'],
    ['the word null', ['--api-key', 'null'], {}, 'The word "null" in --api-key'],
  ])('%s is a mistake, and the stored key stays', (_what, args, options, said) =>
    withHome(async (home) => {
      await run(home, ['--url', NO_SERVER, '--api-key', GOOD]);
      const before = home.readText(CONF);
      const { code, stderr, stdout } = await run(home, args, options);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(said);
      expect(stderr).toContain("Only --api-key '' removes the stored key.");
      expect(home.readText(CONF)).toBe(before);
    }),
  );

  it('is told in Chinese, too', () =>
    withHome(async (home) => {
      const { code, stderr } = await run(home, ['--api-key-stdin', '--lang', 'zh'], { stdin: '' });
      expect(code).toBe(2);
      expect(stderr).toContain('没有收到任何内容');
    }));

  it("is not --api-key '', which clears it and keeps no copy", () =>
    withHome(async (home) => {
      await run(home, ['--url', NO_SERVER, '--api-key', GOOD]);
      await run(home, ['--api-key', '']);
      expect(home.readText(CONF)).not.toContain(GOOD);
    }));
});

describe('a key that another one takes the place of', () => {
  it('comes back with --previous, also after a second wrong one; the report says so', async () => {
    const server = await startStubServer({ apiKey: GOOD });
    try {
      await withHome(async (home) => {
        await run(home, ['--url', server.url, '--api-key', GOOD]);
        const wrong = await run(home, ['--url', server.url, '--api-key-stdin'], { stdin: 'wrong-key-000002\n' });
        expect(wrong.code).toBe(3);
        expect(wrong.stdout + wrong.stderr).toContain('--previous');
        expect(wrong.stdout + wrong.stderr).not.toContain(GOOD);
        expect((await run(home, ['--api-key', 'wrong-key-000003'])).code).toBe(3);
        expect(await run(home, ['--previous'])).toMatchObject({ code: 0, stderr: '' });
        expect(stored(home)).toEqual({ url: server.url, key: GOOD });
      });
    } finally {
      await server.close();
    }
  });

  it('is found by its address, whoever had put it there, and everything goes with a purge', () =>
    withHome(async (home) => {
      await run(home, ['--url', 'http://127.0.0.1:9/a', '--api-key', GOOD]);
      const other = await run(home, ['--url', 'http://127.0.0.1:10']);
      expect(other.stderr).toContain('is kept in this file');
      expect(stored(home).key ?? '').toBe('');
      await run(home, ['--url', 'http://127.0.0.1:9/a']);
      expect(stored(home)).toEqual({ url: 'http://127.0.0.1:9/a', key: GOOD });
      await purge(home);
      expect(home.has('.openviking')).toBe(false);
    }));

  it('of the user comes back to the byte after every detour', () =>
    withHome(async (home) => {
      const seed = `{\n  // mine\n  "url": "https://a.example",\n  "api_key": "${GOOD}", "output": 1\n}\n`;
      home.write(CONF, seed, 0o600);
      await run(home, ['--url', NO_SERVER, '--api-key', 'second-key-000002']);
      await run(home, ['--previous']);
      expect(stored(home)).toEqual({ url: 'https://a.example', key: GOOD });
      await run(home, ['--previous']);
      expect(stored(home)).toEqual({ url: NO_SERVER, key: 'second-key-000002' });
      await run(home, ['--url', 'http://127.0.0.1:10']);
      await purge(home);
      expect(home.readText(CONF)).toBe(seed);
    }));

  it('is not brought back where none was put aside, nor beside another address', () =>
    withHome(async (home) => {
      const none = await run(home, ['--previous']);
      expect(none.code).toBe(2);
      expect(none.stderr).toContain('keeps no earlier address and key');
      const both = await run(home, ['--previous', '--url', NO_SERVER]);
      expect(both.code).toBe(2);
      expect(both.stderr).toContain('--previous brings address and key');
    }));
});
