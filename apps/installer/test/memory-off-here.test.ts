/** What the README promises of a project in which memory is off: `status`, run there, names the switch and who set it. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startStubServer } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const CONF = '.openviking/ovcli.conf';

async function statusIn(
  home: TemporaryHome,
  folder: string,
  env: Readonly<Record<string, string>> = {},
  ...more: string[]
) {
  const run = await installer.run(['status', '--home', home.path, ...more], { cwd: home.at(folder), env });
  return { code: run.code, out: run.stdout, all: `${run.stdout}${run.stderr}` };
}
const inHome = (work: (home: TemporaryHome) => Promise<void>) =>
  withHome(async (home) => {
    for (const folder of ['.zcode', 'clients/acme', 'other']) mkdirSync(home.at(folder), { recursive: true });
    await installer.run(['install', '--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
    await work(home);
  });
const plugin = (home: TemporaryHome, settings: object) =>
  home.write(CONF, JSON.stringify({ url: NO_SERVER, plugin: settings }), 0o600);

it('a pattern is named in the folder that it matches, with the file, and not in another', () =>
  inHome(async (home) => {
    plugin(home, { bypassSessionPatterns: ['/nowhere/**', `${home.path}/clients/**`] });
    const said = `In this folder, by ~/${CONF}: "~/clients/**" of plugin.bypassSessionPatterns switches memory off in ~/clients/acme.`;
    expect((await statusIn(home, 'clients/acme')).out).toContain(said);
    expect((await statusIn(home, 'clients/acme', {}, '--lang', 'zh')).out).toContain(`此目录（由 ~/${CONF} 设置）`);
    expect((await statusIn(home, 'other')).out).not.toContain('In this folder');
    const { out } = await statusIn(home, 'clients/acme', {}, '--json');
    const { notes } = JSON.parse(out) as { notes: { code: string; file?: string }[] };
    expect(notes).toContainEqual(expect.objectContaining({ code: 'settings/folder-off', file: home.at(CONF) }));
  }));

it('the other three switches of the README are named with whoever has set them', () =>
  inHome(async (home) => {
    home.write('other/.openviking/config.json', '{ "version": 1, "capture": { "enabled": false } }');
    expect((await statusIn(home, 'other')).out).toContain('autoCapture = false  (~/other/.openviking/config.json');
    expect((await statusIn(home, 'clients/acme')).out).not.toContain('autoCapture');
    expect((await statusIn(home, 'other', { OPENVIKING_BYPASS_SESSION: '1' })).all).toContain(
      'OPENVIKING_BYPASS_SESSION switches memory off',
    );
    plugin(home, { enabled: false });
    expect((await statusIn(home, 'other')).all).toContain(`~/${CONF}: plugin.enabled switches memory off`);
  }));

it('memory that is switched off on purpose is no problem: status ends with 0 and warns of nothing', async () => {
  const server = await startStubServer();
  try {
    await inHome(async (home) => {
      home.write(CONF, JSON.stringify({ url: server.url, plugin: { enabled: false } }), 0o600);
      const { code, out, all } = await statusIn(home, 'other');
      expect(out).toContain(`~/${CONF}: plugin.enabled switches memory off`);
      expect({ code, all }).toEqual({ code: 0, all: out });
      const { notes } = JSON.parse((await statusIn(home, 'other', {}, '--json')).out) as { notes: object[] };
      expect(notes).toEqual([expect.objectContaining({ code: 'settings/memory-off', severity: 'info' })]);
    });
  } finally {
    await server.close();
  }
});
