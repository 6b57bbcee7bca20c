/** `ovcli.conf` belongs to another program too: its fields and comments stay, and the way back is exact. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startStubServer } from '@openviking/memory-core/testing';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { mergeConnection, readConnection, restoreConnection } from '../src/connection/ovcli-conf.ts';
import { maskKey } from '../src/connection/api-key.ts';
import { CLIENTS } from '../src/clients/catalogue.ts';
import { locationNames } from '../src/clients/location-names.ts';
import { environmentFor, ovcliPath } from '../src/machine/machine.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
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
    expect(mergeConnection(merged.text, WISH, 'f')).toEqual({ text: merged.text, added: [], wrote: {} });
    const own = { added: merged.added, wrote: (name: string, value: string) => merged.wrote[name] === value };
    const twice = mergeConnection(merged.text, { ...WISH, apiKey: 'newer' }, 'f', own);
    expect(restoreConnection(twice.text, { added: merged.added, wrote: () => true }, 'f')).toEqual({
      text,
      isHollow: false,
      kept: [],
      cleared: [],
    });
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

const LOCATIONS = locationNames(CLIENTS);

describe('another home', () => {
  it('knows by the declarations which variables move files of clients', () => {
    expect([...LOCATIONS].sort()).toEqual(
      expect.arrayContaining([
        'APPDATA',
        'CLAUDE_CONFIG_DIR',
        'CURSOR_CONFIG_DIR',
        'XDG_CONFIG_HOME',
        'ZCODE_CLI_SETTINGS_FILE',
      ]),
    );
  });

  it('keeps variables that point inside, also from `~`', () => {
    const env = { OPENVIKING_SPOOL_DIR: '~/queue', OPENVIKING_DEBUG_LOG: '/h/../real/log', CURSOR_CONFIG_DIR: '/h' };
    expect(environmentFor('/h', env, LOCATIONS)).toMatchObject({
      OPENVIKING_SPOOL_DIR: '~/queue',
      CURSOR_CONFIG_DIR: '/h',
    });
    expect(environmentFor('/h', env, LOCATIONS)).not.toHaveProperty('OPENVIKING_DEBUG_LOG');
  });

  it('has the credentials where hooks look for them', () => {
    const path = (env: Record<string, string>) => ovcliPath({ home: '/h', env });
    expect(path({})).toBe('/h/.openviking/ovcli.conf');
    expect(path({ OPENVIKING_CLI_CONFIG_FILE: '~/x.conf' })).toBe('/h/x.conf');
    expect(path({ OPENVIKING_CLI_CONFIG_FILE: 'null' })).toBe('/h/.openviking/ovcli.conf');
    expect(path({ OPENVIKING_CLI_CONFIG_FILE: 'x.conf' })).toBe(join(process.cwd(), 'x.conf'));
    expect(path({ OPENVIKING_CONFIG_FILE: '/h/absent.conf' })).toBe('/h/.openviking/ovcli.conf');
  });

  it('has them in the one file that OPENVIKING_CONFIG_FILE names, when that has the shape of ovcli.conf', () =>
    withHome(async (home) => {
      home.write('both.json', '{"url": "http://old.example", "output": 1}');
      const env = { OPENVIKING_CONFIG_FILE: '~/both.json' };
      const args = ['--harness', 'zcode', '--home', home.path, '--yes', '--url', NO_SERVER, '--json'];
      const run = await installer.run(args, { env });
      expect(JSON.parse(run.stdout)).toMatchObject({ server: { url: NO_SERVER } });
      expect(home.has('.openviking/ovcli.conf')).toBe(false);
      expect(JSON.parse(home.readText('both.json'))).toMatchObject({ url: NO_SERVER, output: 1 });
    }));

  it('ignores variables that point outside of it', () => {
    const env = environmentFor(
      '/h',
      {
        OPENVIKING_CLI_CONFIG_FILE: '/real/ovcli.conf',
        ZCODE_CLI_SETTINGS_FILE: '/h/.zcode/other.json',
        XDG_CONFIG_HOME: '/h-other/.config',
        CLAUDE_CONFIG_DIR: '/real/.claude',
        CURSOR_CONFIG_DIR: '/real/.cursor',
        APPDATA: '/real/AppData',
        OPENVIKING_URL: 'http://x',
      },
      LOCATIONS,
    );
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
  it('is asked through the proxy that hooks take', async () => {
    const server = await startStubServer({ apiKey: 'the-right-key' });
    const seen: string[] = [];
    const proxy = createServer((incoming, answer) => {
      seen.push(String(incoming.url));
      const target = new URL(String(incoming.url));
      const { method, headers } = incoming;
      const path = target.pathname + target.search;
      const forwarded = request(
        { host: '127.0.0.1', port: server.port, path, method, headers, agent: false },
        (back) => {
          answer.writeHead(back.statusCode ?? 502, back.headers);
          back.pipe(answer);
        },
      );
      incoming.pipe(forwarded);
    }).listen(0, '127.0.0.1');
    try {
      await once(proxy, 'listening');
      await withHome(async (home) => {
        const url = 'http://memory.invalid:1933';
        const env = { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
        const args = ['--harness', 'zcode', '--home', home.path, '--yes', '--url', url, '--api-key', 'the-right-key'];
        expect(await installer.run(args, { env })).toMatchObject({ code: 0, stderr: '' });
        expect(seen).toEqual([`${url}/health`, `${url}/api/v1/system/status`]);
        const status = await installer.run(['status', '--home', home.path, '--json'], { env });
        expect(JSON.parse(status.stdout)).toMatchObject({ server: { url, state: 'ready' } });
        const exempt = { ...env, NO_PROXY: 'memory.invalid' };
        expect((await installer.run(['status', '--home', home.path], { env: exempt })).code).toBe(3);
      });
    } finally {
      proxy.closeAllConnections();
      proxy.close();
      await server.close();
    }
  });

  it('is asked with the key, and the file is closed to others', async () => {
    const server = await startStubServer({ apiKey: 'the-right-key' });
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
