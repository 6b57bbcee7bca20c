/** `ovcli.conf` belongs to another program too: its fields and comments stay, and the way back is exact. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startStubServer } from '@openviking/memory-core/testing';
import { statSync } from 'node:fs';
import { mergeConnection, readConnection, restoreConnection } from '../src/connection/ovcli-conf.ts';
import { maskKey } from '../src/connection/api-key.ts';
import { environmentFor } from '../src/machine/machine.ts';
import { buildInstaller } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const WISH = { url: 'http://h:1', apiKey: 'new-key', account: 'acme', user: 'me' };

describe('merging the connection', () => {
  it.each([
    ['compact', '{"output":"json","plugin":{"zcode":{"recallLimit":3}}}'],
    ['spread, with comments', '{\n  // mine\n  "url": "http://old", // there\n  "timeout": 1e3,\n  "plugin": {}\n}\n'],
    ['older spellings', '{"account_id":"a","user_id":"u","api_key":"k\\u0031"}'],
    ['CRLF', '{\r\n\t"api_key": "old",\r\n\t"x": 1\r\n}'],
    ['byte order mark', '\uFEFF{"url":"http://old"}'],
  ])('%s: keeps everything else and returns to the byte', (_name, text) => {
    const merged = mergeConnection(text, WISH, 'f');
    expect(readConnection(merged.text, 'f')).toEqual(WISH);
    expect(mergeConnection(merged.text, WISH, 'f')).toEqual({ text: merged.text, added: [] });
    const twice = mergeConnection(merged.text, { ...WISH, apiKey: 'newer' }, 'f');
    expect(restoreConnection(twice.text, merged.added, 'f')).toEqual({ text, isHollow: false });
  });

  it('keeps an older spelling instead of adding a second one', () => {
    expect(mergeConnection('{"account_id":"a"}', { account: 'b' }, 'f').text).toContain('"account_id":"b"');
  });

  it('treats blank strings and the word null as unset', () => {
    expect(readConnection('{"url":" ","api_key":"null","user":"undefined","account":"x"}', 'f')).toEqual({
      account: 'x',
    });
  });

  it('masks keys', () => {
    expect([maskKey('short'), maskKey('abcdefghijkl'), maskKey('abcdefghijklm')]).toEqual([
      '••••',
      'abcd…ijkl',
      'abcd…jklm',
    ]);
  });
});

describe('another home', () => {
  it('ignores variables that point outside of it', () => {
    const env = environmentFor('/h', {
      OPENVIKING_CLI_CONFIG_FILE: '/real/ovcli.conf',
      ZCODE_CLI_SETTINGS_FILE: '/h/.zcode/other.json',
      XDG_CONFIG_HOME: '/h-other/.config',
      OPENVIKING_URL: 'http://x',
    });
    expect(env).toEqual({
      ZCODE_CLI_SETTINGS_FILE: '/h/.zcode/other.json',
      OPENVIKING_URL: 'http://x',
      HOME: '/h',
      USERPROFILE: '/h',
    });
  });

  it('of ZCode is wired where ZCODE_CLI_SETTINGS_FILE points, when that is inside', () =>
    withHome(async (home) => {
      home.write('elsewhere/setting.json', '{}');
      const env = { ZCODE_CLI_SETTINGS_FILE: home.at('elsewhere/setting.json') };
      await installer.run(['--harness', 'zcode', '--home', home.path, '--yes'], { env });
      expect(home.readText('elsewhere/setting.json')).toContain('managedBy');
      // The variable is gone by the time of the removal: the receipt knows.
      await installer.run(['uninstall', '--home', home.path]);
      expect(home.readText('elsewhere/setting.json')).toBe('{}');
    }));
});

describe('the server', () => {
  it('is asked with the key, and the file is closed to others', async () => {
    const server = await startStubServer({ apiKey: 'the-right-key' } as Parameters<typeof startStubServer>[0]);
    try {
      await withHome(async (home) => {
        home.write('.openviking/ovcli.conf', '{"output":"json"}', 0o644);
        const args = ['--harness', 'zcode', '--home', home.path, '--yes', '--url', server.url];
        const wrong = await installer.run([...args, '--api-key', 'the-wrong-key']);
        expect(wrong.code).toBe(3);
        expect(wrong.stderr).toContain('refuses the API key (401)');
        const right = await installer.run([...args, '--api-key', 'the-right-key', '--strict']);
        expect(right).toMatchObject({ code: 0, stderr: '' });
        expect(statSync(home.at('.openviking/ovcli.conf')).mode & 0o777).toBe(0o600);
        const strict = await installer.run([...args, '--api-key', 'the-wrong-key', '--strict']);
        expect(strict.code).toBe(1);
        await installer.run(['uninstall', '--home', home.path, '--purge', '--yes']);
        expect(home.readText('.openviking/ovcli.conf')).toBe('{"output":"json"}');
        expect(statSync(home.at('.openviking/ovcli.conf')).mode & 0o777).toBe(0o644);
      });
    } finally {
      await server.close();
    }
  });
});
