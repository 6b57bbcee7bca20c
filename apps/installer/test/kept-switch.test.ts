/** The switch of a client's hooks, which we put on: whose it is when we go depends on who needs it by then. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
let upgraded: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller('1.0.0');
  upgraded = buildInstaller('1.1.0');
});
afterAll(() => [installer, upgraded].forEach((built) => built.remove()));

const CONFIG = '.zcode/cli/config.json';
const RECEIPT = '.openviking/install/receipts/zcode.json';

interface Config {
  theme?: string;
  hooks?: { enabled?: boolean; events?: Record<string, { hooks: { type: string; command: string }[] }[]> };
}
const read = (home: TemporaryHome) => JSON.parse(home.readText(CONFIG)) as Config;
const edit = (home: TemporaryHome, change: (config: Config) => void) => {
  const config = read(home);
  change(config);
  home.write(CONFIG, JSON.stringify(config, null, 2));
};
const group = (command: string) => ({ hooks: [{ type: 'command', command }] });
const addHook = (command: string) => (config: Config) => {
  const events = (config.hooks ??= {}).events ?? {};
  config.hooks.events = { ...events, Stop: [...(events['Stop'] ?? []), group(command)] };
};
const install = (home: TemporaryHome, by = installer) =>
  by.run(['install', '--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
const uninstall = (home: TemporaryHome, ...more: readonly string[]) =>
  installer.run(['uninstall', '--harness', 'zcode', '--home', home.path, '--yes', ...more]);

describe('hooks.enabled, which we had put on', () => {
  const seeds: readonly [string, Config | undefined][] = [
    ['in a file that we made', undefined],
    ['where it was absent', { theme: 'dark' }],
    ['where it was false', { hooks: { enabled: false } }],
    ['where it was false above hooks of the user', { hooks: { enabled: false, events: { Stop: [group('earlier')] } } }],
  ];
  it.each(seeds)('stays on for a hook that was added since: %s', (_where, seed) =>
    withHome(async (home) => {
      if (seed === undefined) home.makeFolder('.zcode');
      else home.write(CONFIG, JSON.stringify(seed, null, 2));
      await install(home);
      edit(home, addHook('added'));
      const run = await uninstall(home);
      expect(run.code).toBe(0);
      const { hooks } = read(home);
      expect(hooks?.enabled).toBe(true);
      expect(hooks?.events?.['Stop']?.at(-1)).toEqual(group('added'));
      const said = run.stdout.split('\n').filter((line) => line.includes('hooks.enabled'));
      expect(said).toHaveLength(1);
      expect(said[0]).toContain(`${home.at(CONFIG)}: hooks.enabled stays true`);
      expect(said[0]).toContain('set it to false');
    }),
  );

  it('is not forgotten by an upgrade after the hook was added', () =>
    withHome(async (home) => {
      home.write(CONFIG, JSON.stringify({ hooks: { enabled: false } }, null, 2));
      await install(home);
      edit(home, addHook('added'));
      await install(home, upgraded);
      await uninstall(home);
      expect(read(home).hooks?.enabled).toBe(true);
    }));

  it('goes back below hooks that were there and off before, whatever else was edited', () =>
    withHome(async (home) => {
      const mine = { enabled: false, events: { Stop: [group('earlier')] } };
      home.write(CONFIG, JSON.stringify({ hooks: mine }, null, 2));
      await install(home);
      edit(home, (config) => (config.theme = 'light'));
      const run = await uninstall(home);
      expect(read(home)).toEqual({ theme: 'light', hooks: mine });
      expect(run.stdout).not.toContain('stays true');
    }));

  it('goes when the added hook has gone again', () =>
    withHome(async (home) => {
      home.write(CONFIG, JSON.stringify({ theme: 'dark' }, null, 2));
      await install(home);
      edit(home, addHook('added'));
      await install(home);
      edit(home, ({ hooks }) => hooks?.events?.['Stop']?.pop());
      await uninstall(home);
      expect(read(home)).toEqual({ theme: 'dark' });
    }));

  it('stays, and is told, when only the memory tools are kept', () =>
    withHome(async (home) => {
      home.write(CONFIG, JSON.stringify({ theme: 'dark' }, null, 2));
      await install(home);
      edit(home, addHook('added'));
      const run = await installer.run(['install', '--harness', 'zcode', '--home', home.path, '--yes', '--mcp-only']);
      expect(`${run.stdout}${run.stderr}`).toContain('hooks.enabled stays true');
      expect(read(home).hooks).toEqual({ enabled: true, events: { Stop: [group('added')] } });
    }));

  it('is named in Chinese too', () =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      await install(home);
      edit(home, addHook('added'));
      expect((await uninstall(home, '--lang', 'zh')).stdout).toContain('hooks.enabled 保持为 true');
    }));
});

it('without a receipt, the switch that stays is named with the reason', () =>
  withHome(async (home) => {
    home.write(CONFIG, JSON.stringify({ theme: 'dark' }, null, 2));
    await install(home);
    rmSync(home.at(RECEIPT));
    const run = await uninstall(home);
    expect(read(home)).toEqual({ theme: 'dark', hooks: { enabled: true } });
    expect(run.stdout).toContain(`${home.at(CONFIG)}: hooks.enabled stays true: there is no receipt`);
  }));
