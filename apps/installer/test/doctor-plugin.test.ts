/** Doctor on a client that has us as a plugin, registered by its own commands: gone, doubled, and put back. */
import { writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { createFakeClaude } from './support/fake-client.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { FakeClaude } from './support/fake-client.ts';
import type { InstallerProcess } from './support/installer-process.ts';

const ID = 'openviking-memory@openviking';
const SETTINGS = '.claude/settings.json';

let installer: InstallerProcess;
let claude: FakeClaude;
beforeAll(() => {
  installer = buildInstaller();
});
beforeEach(() => {
  claude = createFakeClaude();
});
afterEach(() => claude.remove());
afterAll(() => installer.remove());

const environment = () => ({ PATH: `${claude.folder}:/usr/bin:/bin` });

async function install(home: TemporaryHome): Promise<void> {
  home.write(SETTINGS, '{\n  "model": "x"\n}\n');
  const args = ['--harness', 'claude', '--home', home.path, '--yes', '--url', NO_SERVER];
  expect(await installer.run(args, { env: environment() })).toMatchObject({ code: 3 });
}

interface Report {
  readonly findings: readonly { readonly code: string; readonly severity: string; readonly fixable: boolean }[];
  readonly changes?: readonly object[];
}

/** Without those that every run of these tests has: no server, and hooks that have not run. */
async function troubles(home: TemporaryHome, ...args: readonly string[]) {
  const run = await installer.run(['doctor', '--home', home.path, '--json', ...args], { env: environment() });
  const { findings } = JSON.parse(run.stdout) as Report;
  return findings
    .filter(({ code, severity }) => severity !== 'ok' && !/^server\/|\/not-started-yet$/.test(code))
    .map(({ code, fixable }) => `${code}${fixable ? ', fixable' : ''}`);
}

describe('a registered plugin', () => {
  it('that is in order is no trouble, and nothing is changed by looking', () =>
    withHome(async (home) => {
      await install(home);
      const before = snapshotTree(home.path);
      claude.calls();
      expect(await troubles(home, '--fix', '--yes')).toEqual([]);
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
      expect(claude.calls()).toEqual([]);
    }));

  it('that the user has uninstalled is missing, and put back', () =>
    withHome(async (home) => {
      await install(home);
      const settings = JSON.parse(home.readText(SETTINGS)) as object;
      writeFileSync(home.at(SETTINGS), JSON.stringify({ ...settings, enabledPlugins: {} }, null, 2));
      writeFileSync(home.at('.claude/plugins/installed_plugins.json'), '{"version":2,"plugins":{}}');
      expect(await troubles(home)).toEqual(['claude/plugin-missing, fixable']);
      expect(await troubles(home, '--fix', '--yes')).toEqual([]);
      expect(home.readText(SETTINGS)).toContain('"openviking-memory@openviking": true');
    }));

  it('that the user has switched off is told with its line and left so; status says it without asking the client', () =>
    withHome(async (home) => {
      await install(home);
      const off = home.readText(SETTINGS).replace(`"${ID}": true`, `"${ID}": false`);
      writeFileSync(home.at(SETTINGS), off);
      const before = snapshotTree(home.path);
      expect(await troubles(home)).toEqual(['claude/plugin-disabled']);
      const line = off.split('\n').findIndex((text) => text.includes(`"${ID}": false`)) + 1;
      const run = await installer.run(['doctor', '--home', home.path], { env: environment() });
      expect(run.stdout.replace(/\s+/g, ' ')).toContain(`set enabledPlugins.${ID} = true there`);
      expect(run.stdout).toContain(`settings.json:${line}`);
      expect(await troubles(home, '--fix', '--yes')).toEqual(['claude/plugin-disabled']);
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
      claude.everyCall();
      const status = await installer.run(['status', '--home', home.path], { env: environment() });
      expect(status.stderr).toContain(`The plugin ${ID} is switched off in Claude Code`);
      expect(claude.everyCall()).toEqual([]);
    }));

  it('is in the settings, and the file of the client’s own state is not named as a place of ours', () =>
    withHome(async (home) => {
      await install(home);
      expect(home.has('.claude.json')).toBe(true);
      const { stdout } = await installer.run(['doctor', '--home', home.path, '--json'], { env: environment() });
      const { findings } = JSON.parse(stdout) as { findings: readonly { code: string; message: string }[] };
      const wired = findings.find(({ code }) => code === 'claude/wired')?.message;
      expect(wired).toBe(`Claude Code: wired in ${home.at(SETTINGS)}.`);
    }));

  it('beside hooks of ours in the settings would handle every turn twice: the hooks go', () =>
    withHome(async (home) => {
      await install(home);
      const settings = JSON.parse(home.readText(SETTINGS)) as object;
      const command = `'${home.at('.openviking/agent-integrations/claude/launch')}' stop`;
      const hooks = { Stop: [{ hooks: [{ type: 'command', command }] }] };
      writeFileSync(home.at(SETTINGS), JSON.stringify({ ...settings, hooks }, null, 2));
      expect(await troubles(home)).toEqual(['claude/entries-doubled, fixable']);
      expect(await troubles(home, '--fix', '--yes')).toEqual([]);
      expect(home.readText(SETTINGS)).not.toContain(' stop');
      expect(home.readText(SETTINGS)).toContain('"model": "x"');
    }));
});
