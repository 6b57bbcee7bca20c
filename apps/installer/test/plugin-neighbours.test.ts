/**
 * What stands beside our plugin in the client's settings under the same names, or comes there while the client's commands
 * run, is the user's: it stays through installation, failure and removal.
 */
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { createFakeClaude } from './support/fake-client.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { FakeClaude } from './support/fake-client.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
let claude: FakeClaude;
beforeAll(() => {
  installer = buildInstaller('1.0.0');
});
beforeEach(() => {
  claude = createFakeClaude();
});
afterEach(() => claude.remove());
afterAll(() => installer.remove());

const SETTINGS = '.claude/settings.json';
const KNOWN = '.claude/plugins/known_marketplaces.json';
const ID = 'openviking-memory@openviking';
const withClaude = () => ({ env: { PATH: `${claude.folder}:${dirname(process.execPath)}:/usr/bin:/bin` } });
const install = (home: TemporaryHome) =>
  installer.run(['install', '--harness', 'claude', '--home', home.path, '--url', NO_SERVER, '--yes'], withClaude());
const uninstall = (home: TemporaryHome) =>
  installer.run(['uninstall', '--all', '--home', home.path, '--purge', '--yes'], withClaude());
const settingsOf = (home: TemporaryHome) => JSON.parse(home.readText(SETTINGS)) as Record<string, unknown>;

it('members of our name in other maps stay, also when the file has changed since', () =>
  withHome(async (home) => {
    const seed = `{
  "env": { "openviking": "mine" },
  "skillOverrides": { "openviking": "off", "claude-code-memory-plugin@openviking-plugins-local": 1 }
}
`;
    home.write(SETTINGS, seed);
    const run = await install(home);
    expect(run.stdout + run.stderr).not.toContain('earlier installer');
    expect(settingsOf(home)).toMatchObject(JSON.parse(seed) as object);
    home.write(SETTINGS, home.readText(SETTINGS).replace('"mine"', '"mine", "more": "1"'));
    await uninstall(home);
    expect(home.readText(SETTINGS)).toBe(seed.replace('"mine"', '"mine", "more": "1"'));
  }));

const FOREIGN = { source: { source: 'directory', path: '/srv/plugins' } };
const withForeign = (home: TemporaryHome): void => {
  const value = { enabledPlugins: { 'other@openviking': true }, extraKnownMarketplaces: { openviking: FOREIGN } };
  home.write(SETTINGS, `${JSON.stringify(value, null, 2)}\n`);
  home.write(KNOWN, JSON.stringify({ openviking: FOREIGN }));
};

it('a marketplace of our name from another place is refused with the way out, and stays', () =>
  withHome(async (home) => {
    withForeign(home);
    const [settings, known] = [home.readText(SETTINGS), home.readText(KNOWN)];
    const run = await install(home);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`${home.at(SETTINGS)}:6`);
    expect(run.stderr).toContain('claude plugin marketplace remove openviking');
    expect(claude.calls()).toEqual([]);
    expect([home.readText(SETTINGS), home.readText(KNOWN)]).toEqual([settings, known]);
    expect(home.has('.openviking')).toBe(false);
  }));

it('a marketplace that the user has put in the place of ours stays when our plugin goes', () =>
  withHome(async (home) => {
    await install(home);
    withForeign(home);
    claude.calls();
    expect(await uninstall(home)).toMatchObject({ code: 0 });
    expect(claude.calls()).not.toContain('plugin marketplace remove openviking');
    expect(settingsOf(home)).toMatchObject({ extraKnownMarketplaces: { openviking: FOREIGN } });
  }));

it('what somebody else changes while the commands run is not ours: it stays at removal, without empty maps of ours', () =>
  withHome(async (home) => {
    home.write(SETTINGS, '{\n  "model": "sonnet"\n}\n');
    const theirs = { model: 'opus', permissions: { defaultMode: 'plan' } };
    claude.behave({ meanwhile: { at: 'plugin install', settings: theirs } });
    await install(home);
    claude.behave({});
    expect(settingsOf(home)).toMatchObject({ ...theirs, enabledPlugins: { [ID]: true } });
    await uninstall(home);
    expect(settingsOf(home)).toEqual(theirs);
  }));

it('a failed installation names the file that did not get its bytes back', () =>
  withHome(async (home) => {
    home.write(SETTINGS, '{\n  "model": "sonnet"\n}\n');
    claude.behave({
      failAt: 'plugin install',
      meanwhile: { at: 'plugin marketplace add', settings: { model: 'opus' } },
    });
    const run = await install(home);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(home.at(SETTINGS));
    expect(run.stderr).toContain('could not be put back');
    expect(settingsOf(home)).toMatchObject({ model: 'opus' });
  }));
