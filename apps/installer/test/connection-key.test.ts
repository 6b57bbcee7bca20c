/** Whose key it is: one of ours never outlives a purge, and one of another server is never sent to a new address. */
import { chmodSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller('1.0.0');
});
afterAll(() => installer.remove());

const CONF = '.openviking/ovcli.conf';
const THEIRS = 'user-key-BBBBBBBBBBB';
const OURS = 'our-key-33333333333';
const install = (home: TemporaryHome, ...more: readonly string[]) =>
  installer.run(['install', '--harness', 'zcode', '--home', home.path, '--yes', ...more]);
const uninstall = (home: TemporaryHome, ...more: readonly string[]) =>
  installer.run(['uninstall', '--all', '--home', home.path, '--yes', ...more]);
const modeOf = (home: TemporaryHome): number => statSync(home.at(CONF)).mode & 0o777;

describe('a key that was cleared and given anew', () => {
  it.each([[[]], [['uninstall']]])('goes with a purge, and the report names what cannot come back', (between) =>
    withHome(async (home) => {
      home.write(CONF, JSON.stringify({ api_key: THEIRS }), 0o644);
      await install(home, '--url', NO_SERVER, '--api-key', '');
      if (between.length > 0) await uninstall(home);
      await install(home, '--api-key', OURS);
      const run = await uninstall(home, '--purge');
      expect(home.readText(CONF)).not.toContain(OURS);
      expect(JSON.parse(home.readText(CONF))).toEqual({ api_key: '' });
      expect(run.stdout).toContain('api_key was cleared on request');
    }),
  );

  it('that stays because the user has typed it in as well stays closed to others', () =>
    withHome(async (home) => {
      home.write(CONF, JSON.stringify({ api_key: THEIRS }), 0o644);
      await install(home, '--url', NO_SERVER, '--api-key', OURS);
      await install(home, '--api-key', '');
      home.write(CONF, home.readText(CONF).replace('"api_key":""', '"api_key":"typed-444444444444"'), 0o600);
      chmodSync(home.at(CONF), 0o600);
      await install(home, '--api-key', OURS);
      await uninstall(home, '--purge');
      expect(JSON.parse(home.readText(CONF))).toEqual({ api_key: 'typed-444444444444' });
    }));
});

describe('another address without a key', () => {
  it('does not get the key of the server before; a purge brings both back', () =>
    withHome(async (home) => {
      const seen: (string | undefined)[] = [];
      const server = createServer((request, response) => {
        seen.push(JSON.stringify(request.headers));
        response.setHeader('content-type', 'application/json');
        response.end('{"status":"ok","healthy":true}');
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      try {
        const seed = `{"url":"https://a.example","api_key":"${THEIRS}"}`;
        home.write(CONF, seed, 0o600);
        const { port } = server.address() as AddressInfo;
        const run = await install(home, '--url', `http://127.0.0.1:${port}`);
        expect(run.code).toBe(3);
        expect(run.stderr).toContain('the one of https://a.example');
        expect(run.stderr).toContain('--api-key-stdin');
        expect(seen.length).toBeGreaterThan(0);
        expect(seen.join()).not.toContain(THEIRS);
        await uninstall(home, '--purge');
        expect(home.readText(CONF)).toBe(seed);
      } finally {
        server.close();
      }
    }));

  it('does not get a key that was there without an address: that was for the server which hooks used then', () =>
    withHome(async (home) => {
      const seed = `{"api_key":"${THEIRS}"}`;
      home.write(CONF, seed, 0o600);
      const run = await install(home, '--url', NO_SERVER);
      expect(run.stderr).toMatch(/the one of http:\/\/(127\.0\.0\.1|localhost):1933/);
      expect(JSON.parse(home.readText(CONF))).toMatchObject({ url: NO_SERVER, api_key: '' });
      await uninstall(home, '--purge');
      expect(home.readText(CONF)).toBe(seed);

      // Named by its address, that server is the same one.
      await install(home, '--url', run.stderr.match(/http:\/\/[\w.]+:1933/)?.[0] ?? '');
      expect(JSON.parse(home.readText(CONF))).toMatchObject({ api_key: THEIRS });
    }));

  it('on the same server keeps its key', () =>
    withHome(async (home) => {
      home.write(CONF, `{"url":"${NO_SERVER}/a","api_key":"${THEIRS}"}`, 0o600);
      const run = await install(home, '--url', `${NO_SERVER}/b`);
      expect(run.stderr).not.toContain('--api-key-stdin');
      expect(JSON.parse(home.readText(CONF))).toMatchObject({ url: `${NO_SERVER}/b`, api_key: THEIRS });
    }));
});

it('the file is never opened to others while our key is in it', () =>
  withHome(async (home) => {
    home.write(CONF, JSON.stringify({ api_key: THEIRS }), 0o644);
    await install(home, '--url', NO_SERVER, '--api-key', '');
    await install(home, '--api-key', OURS);
    expect(modeOf(home)).toBe(0o600);
  }));
