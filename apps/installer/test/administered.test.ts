/**
 * What somebody has settled outside of our entries: the machine's administrator against hooks of users, and the user against our
 * server in one project. Doctor names the place, and writes nothing there.
 */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { createFakeClaude } from './support/fake-client.ts';
import { findingsOf } from './support/findings.ts';
import { runInProcess, shippedPayloads } from './support/in-process.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { FakeClaude } from './support/fake-client.ts';
import type { Payloads } from './support/in-process.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let shipped: Payloads;
let claude: FakeClaude;
let installer: InstallerProcess;
beforeAll(() => {
  shipped = shippedPayloads();
  claude = createFakeClaude();
  installer = buildInstaller();
});
afterAll(() => [shipped, claude, installer].forEach((made) => made.remove()));

const FOLDER = process.platform === 'darwin' ? 'Library/Application Support/ClaudeCode' : 'etc/claude-code';
const MANAGED = `system/${FOLDER}/managed-settings.json`;
const DROP_IN = `system/${FOLDER}/managed-settings.d/20-ours.json`;
const PLUGIN = 'openviking-memory@openviking';

/** `isPlugin`: with a `claude` on PATH that has plugins. */
const run = (home: TemporaryHome, args: readonly string[], isPlugin: boolean) =>
  runInProcess(args, {
    home: home.path,
    payloadRoot: shipped.folder,
    env: { PATH: isPlugin ? `${claude.folder}:/usr/bin:/bin` : '/usr/bin:/bin' },
    systemRoot: `${home.path}/system`,
  });
const install = (home: TemporaryHome, isPlugin: boolean, ...more: readonly string[]) =>
  run(home, ['install', '--harness', 'claude', '--url', NO_SERVER, '--yes', ...more], isPlugin);
const forbidden = async (home: TemporaryHome, isPlugin: boolean, ...more: readonly string[]) => {
  const found = await findingsOf((args) => run(home, args, isPlugin), '--harness', 'claude', ...more);
  return found.filter(({ code }) => code === 'claude/hooks-forbidden');
};

describe('settings of the administrator', () => {
  it.each([
    ['disableAllHooks', false],
    ['disableAllHooks', true],
    ['allowManagedHooksOnly', false],
    ['allowManagedHooksOnly', true],
  ])('%s, wired as a plugin: %s', (key, isPlugin) =>
    withHome(async (home) => {
      home.write(MANAGED, `{\n  "cleanupPeriodDays": 14,\n  "${key}": true\n}\n`);
      await install(home, isPlugin);
      const before = snapshotTree(home.at('system'));
      const found = await forbidden(home, isPlugin, '--fix', '--yes');
      expect(found).toMatchObject([{ severity: 'warn', file: home.at(MANAGED), line: 3, fixable: false }]);
      expect(found[0]?.message).toContain(`${key} is true`);
      expect(found[0]?.fix).toContain('Ask the administrator');
      expect(found[0]?.fix?.includes(`enable ${PLUGIN}`)).toBe(isPlugin && key === 'allowManagedHooksOnly');
      expect(diffTrees(before, snapshotTree(home.at('system'))).map(describeDifference)).toEqual([]);
    }),
  );

  it('one that allows our plugin forbids nothing, and one that forbids all hooks does so all the same', () =>
    withHome(async (home) => {
      await install(home, true);
      home.write(MANAGED, JSON.stringify({ allowManagedHooksOnly: true, enabledPlugins: { [PLUGIN]: true } }));
      expect(await forbidden(home, true)).toEqual([]);
      home.write(MANAGED, JSON.stringify({ disableAllHooks: true, enabledPlugins: { [PLUGIN]: true } }));
      expect(await forbidden(home, true)).toHaveLength(1);
    }));

  it('files laid over it count, the last one most', () =>
    withHome(async (home) => {
      await install(home, false);
      home.write(MANAGED, '{"theme": "dark"}');
      home.write(DROP_IN, '{\n"allowManagedHooksOnly": true}');
      expect(await forbidden(home, false)).toMatchObject([{ file: home.at(DROP_IN), line: 2 }]);
      home.write(DROP_IN.replace('20-ours', '30-theirs'), '{"allowManagedHooksOnly": false}');
      expect(await forbidden(home, false)).toEqual([]);
    }));

  it.each([
    ['none', undefined],
    ['one that says nothing of hooks', '{"model": "opus"}'],
    ['one that says no', '{"disableAllHooks": false, "allowManagedHooksOnly": false}'],
    ['a broken one', '{"disableAllHooks": true'],
  ])('%s is no finding', (_what, text) =>
    withHome(async (home) => {
      if (text !== undefined) home.write(MANAGED, text);
      await install(home, false);
      expect(await forbidden(home, false)).toEqual([]);
    }),
  );

  it('where only the memory tools are wired there is nothing to forbid', () =>
    withHome(async (home) => {
      home.write(MANAGED, '{"disableAllHooks": true}');
      await install(home, false, '--mcp-only');
      expect(await forbidden(home, false)).toEqual([]);
    }));
});

describe('a server that is off in one project', () => {
  const doctor = async (home: TemporaryHome, cwd: string) => {
    const start = (args: readonly string[]) => installer.run([...args, '--home', home.path], { cwd });
    const found = await findingsOf(start, '--harness', 'claude');
    return found.filter(({ code }) => code === 'claude/server-off-in-project');
  };

  it.each(['openviking', 'plugin:openviking-memory:openviking'])(
    '%s: told in that project, below it, and nowhere else',
    (name) =>
      withHome(async (home) => {
        for (const folder of ['work/.git', 'work/inner', 'work/other/.git', 'elsewhere'])
          mkdirSync(home.at(folder), { recursive: true });
        await installer.run(['install', '--harness', 'claude', '--home', home.path, '--url', NO_SERVER, '--yes']);
        const state = JSON.parse(home.readText('.claude.json')) as Record<string, unknown>;
        state['projects'] = {
          [home.at('elsewhere')]: { disabledMcpServers: ['another'], disabledMcpjsonServers: ['openviking'] },
          [home.at('work')]: { disabledMcpServers: ['another', name] },
        };
        home.write('.claude.json', JSON.stringify(state, null, 2));
        const line =
          home
            .readText('.claude.json')
            .split('\n')
            .findLastIndex((text) => text.trim() === `"${name}"`) + 1;
        const before = home.readText('.claude.json');
        for (const folder of ['work', 'work/inner']) {
          const found = await doctor(home, home.at(folder));
          expect(found).toMatchObject([{ severity: 'warn', file: home.at('.claude.json'), line, fixable: false }]);
          expect(found[0]?.message).toContain(`disabledMcpServers of ${home.at('work')} names ${name}`);
          expect(found[0]?.fix).toContain('/mcp');
        }
        // A repository inside is a project of its own; `disabledMcpjsonServers` is for servers of a `.mcp.json`.
        for (const folder of ['work/other', 'elsewhere']) expect(await doctor(home, home.at(folder))).toEqual([]);
        expect(home.readText('.claude.json')).toBe(before);
      }),
  );

  it('a home folder that is a repository is not the project of what is in it', () =>
    withHome(async (home) => {
      for (const folder of ['.git', 'plain']) mkdirSync(home.at(folder));
      await installer.run(['install', '--harness', 'claude', '--home', home.path, '--url', NO_SERVER, '--yes']);
      const state = JSON.parse(home.readText('.claude.json')) as Record<string, unknown>;
      state['projects'] = { [home.at('plain')]: { disabledMcpServers: ['openviking'] } };
      home.write('.claude.json', JSON.stringify(state));
      const found = await doctor(home, home.at('plain'));
      expect(found.map(({ message }) => message)).toEqual([expect.stringContaining(home.at('plain'))]);
    }));
});
