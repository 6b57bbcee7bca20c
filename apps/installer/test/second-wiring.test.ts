/** ZCode has the same harness as a plugin: wired both ways, every turn would be captured twice. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const CONFIG = '.zcode/cli/config.json';
const SETTING = '.zcode/cli/setting.json';
const config = (enabled: boolean): string =>
  `{\n  "plugins": {\n    "enabledPlugins": {\n      "other@market": true,\n      "openviking-memory@zai": ${enabled}\n    }\n  }\n}\n`;

describe('with the plugin', () => {
  it.each([CONFIG, SETTING])(
    'switched on in %s the installation is refused, with the place and the way to move',
    (file) =>
      withHome(async (home) => {
        home.write(file, config(true));
        const before = snapshotTree(home.path);
        const args = ['install', '--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes'];
        const run = await installer.run([...args, '--json']);
        expect(run.code).toBe(1);
        expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: 'zcode/plugin-enabled' } });
        expect(run.stderr).toContain(`${home.at(file)}:5: the plugin openviking-memory@zai is switched on in ZCode`);
        expect(run.stderr).toContain('Plugins page');
        expect((await installer.run([...args, '--lang', 'zh'])).stderr).toContain(
          '插件 openviking-memory@zai 已在 ZCode 中启用',
        );
        expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
        // The way it names works.
        home.write(file, config(false));
        const moved = await installer.run(args);
        expect(moved.code).toBe(3);
        expect(moved.stdout).toContain('ZCode: installed');
        expect(moved.stdout).toContain('installed in ZCode and switched off');
      }),
  );

  it('switched on after the installation, status says so, and uninstall still works', () =>
    withHome(async (home) => {
      await installer.run(['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
      const wired = JSON.parse(home.readText(CONFIG)) as object;
      home.write(CONFIG, JSON.stringify({ ...wired, plugins: { enabledPlugins: { 'openviking-memory@zai': true } } }));
      const run = await installer.run(['status', '--home', home.path, '--json']);
      expect(JSON.parse(run.stdout)).toMatchObject({
        exitCode: 3,
        notes: expect.arrayContaining([
          expect.objectContaining({ code: 'zcode/plugin-enabled', severity: 'error', line: 1 }),
        ]) as unknown,
      });
      expect((await installer.run(['uninstall', '--home', home.path])).code).toBe(0);
      expect(JSON.parse(home.readText(CONFIG))).toEqual({
        plugins: { enabledPlugins: { 'openviking-memory@zai': true } },
      });
    }));

  it.each([
    ['.zcode/cli/plugins/cache/zai/openviking-memory/1.0.0/plugin.json', '{}'],
    ['.zcode/cli/plugins/installed_plugins.json', '{"plugins":{"openviking-memory@zai":[{"version":"1.0.0"}]}}'],
  ])('only installed, as %s shows, it is a note', (file, text) =>
    withHome(async (home) => {
      home.write(file, text);
      const run = await installer.run(['--harness', 'zcode', '--home', home.path, '--dry-run']);
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.stdout).toContain('the plugin openviking-memory@zai is installed in ZCode and switched off');
    }),
  );

  it('of another name nothing is said', () =>
    withHome(async (home) => {
      home.write('.zcode/cli/plugins/cache/zai/openviking-memory-viewer/1.0.0/plugin.json', '{}');
      home.write(CONFIG, '{"plugins":{"enabledPlugins":{"openviking-memory-viewer@zai":true}}}');
      const run = await installer.run(['--harness', 'zcode', '--home', home.path, '--dry-run']);
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.stdout).not.toContain('switched');
    }));
});
