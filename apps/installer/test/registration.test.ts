/**
 * A plugin that the client's own commands put in: what they rewrite keeps its author's hand, and afterwards the user's
 * settings have the bytes of before.
 */
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { createFakeClaude } from './support/fake-client.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { differences, ID, isRegistered, SEED, settingsOf, SETTINGS } from './support/registered-plugin.ts';
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

const args = (home: TemporaryHome) => ['--harness', 'claude', '--home', home.path, '--url', NO_SERVER, '--yes'];
const withClaude = () => ({ env: { PATH: `${claude.folder}:${dirname(process.execPath)}:/usr/bin:/bin` } });
const install = (home: TemporaryHome, ...more: readonly string[]) =>
  installer.run(['install', ...args(home), ...more], withClaude());
const uninstall = (home: TemporaryHome) =>
  installer.run(['uninstall', '--harness', 'claude', '--home', home.path, '--purge', '--yes'], withClaude());

const SEEDS: Readonly<Record<string, string | undefined>> = {
  'no file': undefined,
  'an empty file': '',
  'an empty object': '{ }',
  'tabs, a large number, no final newline': SEED,
  'CRLF and a byte order mark': '\uFEFF{\r\n  "a": 1e3,\r\n  "enabledPlugins": {}\r\n}\r\n',
  'plugins of others':
    '{"enabledPlugins":{"x@y":true},"extraKnownMarketplaces":{"y":{"source":{"source":"github","repo":"a/b"}}}}',
};

describe.each(Object.entries(SEEDS))('settings with %s', (_name, seed) => {
  it('get our lines and no other change, are left alone by a second run, and come back to the byte', () =>
    withHome(async (home) => {
      if (seed !== undefined) home.write(SETTINGS, seed, 0o640);
      const before = snapshotTree(home.path);
      const first = await install(home);
      expect({ code: first.code, failed: first.stderr.includes('Error') }).toEqual({ code: 3, failed: false });
      expect(isRegistered(home)).toBe(true);
      if (seed?.includes('\n') === true) {
        const kept = seed.split('\n').filter((line) => /^\s.*[^{}]\s*$/.test(line) && !line.includes('enabledPlugins'));
        for (const line of kept) expect(home.readText(SETTINGS)).toContain(line);
      }
      const installed = snapshotTree(home.path);
      claude.calls();
      await install(home);
      expect(claude.calls()).toEqual([]);
      expect(diffTrees(installed, snapshotTree(home.path))).toEqual([]);
      expect(await uninstall(home)).toMatchObject({ code: 0, stderr: '' });
      expect(differences(before, home)).toEqual([]);
      expect(home.has('.claude/plugins/cache/openviking')).toBe(false);
    }));
});

it('settings with a comment, which the client itself refuses, are wired around it and named with the line', () =>
  withHome(async (home) => {
    const seed = '{\n  "a": 1, // mine\n}\n';
    home.write(SETTINGS, seed);
    const before = snapshotTree(home.path);
    const run = await install(home);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain(`${home.at(SETTINGS)}:2:`);
    expect(home.readText(SETTINGS)).toContain('"a": 1, // mine\n}');
    expect(home.readText(SETTINGS)).toContain(ID);
    await uninstall(home);
    expect(differences(before, home)).toEqual([]);
  }));

it('broken settings are refused with the place, and the client is not even asked', () =>
  withHome(async (home) => {
    home.write(SETTINGS, '{"a":');
    const before = snapshotTree(home.path);
    const run = await install(home);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`${home.at(SETTINGS)}:1:6`);
    expect(claude.calls()).toEqual([]);
    expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
  }));

it('a dry run shows the command lines and writes nothing', () =>
  withHome(async (home) => {
    home.write(SETTINGS, SEED);
    const before = snapshotTree(home.path);
    const run = await install(home, '--dry-run');
    expect(run.code).toBe(0);
    expect(run.stdout).toContain(`run ${claude.program} plugin marketplace add ${home.path}`);
    expect(run.stdout).toContain(`run ${claude.program} plugin install ${ID}`);
    expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    expect(claude.calls()).toEqual([]);
  }));

describe('settings that the client or the user has written since', () => {
  it('anew by the client, with nothing else changed: the bytes of before come back', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      await install(home);
      home.write(SETTINGS, JSON.stringify(settingsOf(home), null, 4));
      await uninstall(home);
      expect(differences(before, home)).toEqual([]);
    }));

  it('with a key added: only ours goes', () =>
    withHome(async (home) => {
      home.write(SETTINGS, '{\n  "a": 1\n}\n');
      await install(home);
      home.write(SETTINGS, home.readText(SETTINGS).replace('"a": 1', '"a": 1, // kept\n  "b": [1e3]'));
      await uninstall(home);
      expect(home.readText(SETTINGS)).toBe('{\n  "a": 1, // kept\n  "b": [1e3]\n}\n');
    }));

  it('switched off by the user: stays off at the next run, with a word', () =>
    withHome(async (home) => {
      await install(home);
      home.write(SETTINGS, home.readText(SETTINGS).replace(`"${ID}": true`, `"${ID}": false`));
      claude.calls();
      const run = await install(home);
      expect(run.stderr).toContain(`${ID} is switched off`);
      expect(settingsOf(home).enabledPlugins?.[ID]).toBe(false);
      expect(claude.calls()).toEqual([]);
    }));
});

describe('other builds', () => {
  it('without plugins: hooks and server in the files; after an upgrade of the client the plugin, and never both', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      home.write('.claude.json', '{"mcpServers":{"other":{"command":"x"}}}');
      const [settings, state] = [home.readText(SETTINGS), home.readText('.claude.json')];
      claude.behave({ hasPlugins: false, version: '1.0.90' });
      await install(home);
      expect(home.readText(SETTINGS)).toContain('agent-integrations/claude/launch');
      expect(home.readText('.claude.json')).toContain('mcp-proxy');
      expect(home.readText(SETTINGS)).not.toContain(ID);

      claude.behave({});
      const run = await install(home);
      expect(run.code).toBe(3);
      expect(isRegistered(home)).toBe(true);
      expect(home.readText(SETTINGS)).not.toContain('agent-integrations/claude/launch');
      expect(home.readText('.claude.json')).not.toContain('mcp-proxy');
      expect(home.has('.claude/skills')).toBe(false);
      await uninstall(home);
      expect(home.readText(SETTINGS)).toBe(settings);
      expect(JSON.parse(home.readText('.claude.json'))).toMatchObject(JSON.parse(state) as object);
    }));

  it('without plugins, and taken out again: byte by byte', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      claude.behave({ hasPlugins: false, version: '1.0.90' });
      await install(home);
      await uninstall(home);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));

  it('gone when the plugin is taken out: its settings are edited, and the report says what stays', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      await install(home);
      rmSync(claude.program);
      const run = await uninstall(home);
      expect(run.code).toBe(0);
      expect(run.stdout).toContain('none of its commands was found');
      expect(home.readText(SETTINGS)).toBe(SEED);
      expect(home.has('.openviking/agent-integrations')).toBe(false);
    }));

  it('gone at a later installation: hooks and server take the place of the plugin', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      await install(home);
      rmSync(claude.program);
      const run = await install(home);
      expect(run.code).toBe(3);
      expect(home.readText(SETTINGS)).not.toContain(ID);
      expect(home.readText(SETTINGS)).toContain('agent-integrations/claude/launch');
      await uninstall(home);
      expect(home.readText(SETTINGS)).toBe(SEED);
    }));

  it('of which one has no plugins: hooks and server serve all of them, and the plugin goes as quietly as it came', () =>
    withHome(async (home) => {
      const other = createFakeClaude('claude-work');
      try {
        home.write(SETTINGS, SEED);
        await install(home, '--claude-bin', other.program);
        expect(isRegistered(home)).toBe(true);
        claude.behave({ hasPlugins: false, version: '1.0.90' });
        await install(home, '--claude-bin', `${claude.program},${other.program}`);
        expect(other.calls().join()).toContain('plugin uninstall');
        expect(isRegistered(home)).toBe(false);
        expect(home.readText(SETTINGS)).toContain('agent-integrations/claude/launch');
        // Without it the client reports to its vendor, and leaves in the user's folder what it could not send.
        const started = other.environments().trim().split('\n');
        expect(started.filter((line) => !line.includes('CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC'))).toEqual([]);
        await uninstall(home);
        expect(home.readText(SETTINGS)).toBe(SEED);
      } finally {
        other.remove();
      }
    }));

  it('under names of the user: every one is told, and asked again where none is named', () =>
    withHome(async (home) => {
      const other = createFakeClaude('claude-work');
      try {
        await install(home, '--claude-bin', `${claude.program},${other.program}`);
        expect(claude.calls().join()).toContain('plugin install');
        expect(other.calls().join()).toContain('plugin install');
        await install(home);
        expect([...claude.calls(), ...other.calls()]).toEqual([]);
        await uninstall(home);
        expect(claude.calls().join()).toContain('plugin uninstall');
        expect(other.calls().join()).toContain('plugin uninstall');
      } finally {
        other.remove();
      }
    }));

  it('named in the environment, with nothing else of the client on the machine: found', () =>
    withHome(async (home) => {
      const other = createFakeClaude('claude-work');
      try {
        const env = { PATH: `${other.folder}:/usr/bin:/bin`, OPENVIKING_CLAUDE_BINS: 'claude-work, claude-play' };
        const run = await installer.run(['--home', home.path, '--url', NO_SERVER, '--yes'], { env });
        expect(run.stdout).toContain('Claude Code: installed');
        expect(other.calls().join()).toContain('plugin install');
      } finally {
        other.remove();
      }
    }));

  it('with its folder elsewhere: CLAUDE_CONFIG_DIR is honoured inside the home and ignored outside', () =>
    withHome(async (home) => {
      const within = { env: { ...withClaude().env, CLAUDE_CONFIG_DIR: home.at('config') } };
      await installer.run(['install', ...args(home)], within);
      expect(home.readText('config/settings.json')).toContain(ID);
      await installer.run(['uninstall', '--home', home.path, '--yes', '--purge'], within);
      expect(home.has('config/settings.json')).toBe(false);
      const outside = { env: { ...withClaude().env, CLAUDE_CONFIG_DIR: '/nonexistent/config' } };
      await installer.run(['install', ...args(home)], outside);
      expect(isRegistered(home)).toBe(true);
    }));
});

describe('earlier registrations', () => {
  it('under our name from another folder: replaced, and not brought back', () =>
    withHome(async (home) => {
      const old = home.at('.openviking/memory-plugin-marketplace');
      home.write(
        SETTINGS,
        JSON.stringify({
          model: 'opus',
          enabledPlugins: { [ID]: true },
          extraKnownMarketplaces: { openviking: { source: { source: 'directory', path: old } } },
        }),
      );
      const run = await install(home);
      expect(run.code).toBe(3);
      expect(home.readText(SETTINGS)).not.toContain('memory-plugin-marketplace');
      await uninstall(home);
      expect(settingsOf(home)).toMatchObject({ model: 'opus' });
      expect(home.readText(SETTINGS)).not.toContain('openviking');
    }));

  it('with hooks of an earlier installer in the settings: they go', () =>
    withHome(async (home) => {
      const command = 'node "/x/claude-code-memory-plugin/scripts/auto-recall.mjs"';
      home.write(
        SETTINGS,
        JSON.stringify({
          hooks: {
            Stop: [
              {
                hooks: [
                  { type: 'command', command },
                  { type: 'command', command: 'mine' },
                ],
              },
            ],
          },
        }),
      );
      await install(home);
      expect(settingsOf(home).hooks).toEqual({ Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] });
      await uninstall(home);
      expect(settingsOf(home)).toEqual({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] } });
    }));

  it('with a lost receipt: the plugin still goes', () =>
    withHome(async (home) => {
      home.write(SETTINGS, '{"a": 1}');
      await install(home);
      rmSync(home.at('.openviking/install'), { recursive: true });
      await uninstall(home);
      expect(isRegistered(home)).toBe(false);
      expect(settingsOf(home)).toMatchObject({ a: 1 });
      expect(home.readText(SETTINGS)).not.toContain('openviking');
    }));
});

describe('parts of it', () => {
  it('--hooks-only and --mcp-only are really only that; a run without them brings the rest', () =>
    withHome(async (home) => {
      const plugin = '.openviking/agent-integrations/claude/marketplace/plugins/openviking-memory';
      await install(home, '--hooks-only');
      expect([home.has(`${plugin}/hooks/hooks.json`), home.has(`${plugin}/.mcp.json`)]).toEqual([true, false]);
      await install(home, '--mcp-only');
      expect([home.has(`${plugin}/hooks/hooks.json`), home.has(`${plugin}/.mcp.json`)]).toEqual([false, true]);
      await install(home);
      expect([home.has(`${plugin}/hooks/hooks.json`), home.has(`${plugin}/.mcp.json`)]).toEqual([true, true]);
    }));

  it('--statusline puts our line in, a later run keeps it, --no-statusline takes it out, and a line of the user stays', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      await install(home, '--statusline');
      expect(settingsOf(home)['statusLine']).toMatchObject({ type: 'command' });
      await install(home);
      expect(settingsOf(home)['statusLine']).toMatchObject({ type: 'command' });
      await install(home, '--no-statusline');
      expect(settingsOf(home)['statusLine']).toBeUndefined();
      await install(home, '--statusline');
      await uninstall(home);
      expect(differences(before, home)).toEqual([]);

      home.write(SETTINGS, '{"statusLine":{"type":"command","command":"mine"}}');
      const run = await install(home, '--statusline');
      expect(run.stderr).toContain('statusLine');
      expect(settingsOf(home)['statusLine']).toEqual({ type: 'command', command: 'mine' });
    }));
});

it('no key is in the arguments or the environment of the client’s commands', () =>
  withHome(async (home) => {
    const env = { ...withClaude().env, OV_KEY: 'sk-abcdefghijklmnop', ANTHROPIC_API_KEY: 'sk-ant-secret' };
    const run = await installer.run(['install', ...args(home), '--api-key-env', 'OV_KEY'], { env });
    expect(run.code).toBe(3);
    expect(claude.environments() + readFileSync(`${claude.program}.log`, 'utf8')).not.toMatch(/sk-abc|sk-ant/);
  }));

const REAL = process.env['OPENVIKING_TEST_CLAUDE'] ?? '';
(REAL === '' ? describe.skip : describe)('the real client', () => {
  let upgraded: InstallerProcess;
  beforeAll(() => {
    upgraded = buildInstaller('1.1.0');
  });
  afterAll(() => upgraded.remove());

  it('takes the plugin, lists it, and gives its settings back', () =>
    withHome(async (home) => {
      const env = { PATH: `${dirname(REAL)}:/usr/bin:/bin` };
      home.write(SETTINGS, SEED);
      const run = await installer.run(['install', ...args(home)], { env });
      expect({ code: run.code, failed: run.stderr.includes('Error') }).toEqual({ code: 3, failed: false });
      expect(isRegistered(home)).toBe(true);
      const installed = home.readText(SETTINGS);
      await installer.run(['install', ...args(home)], { env });
      expect(home.readText(SETTINGS)).toBe(installed);
      await upgraded.run(['install', ...args(home)], { env });
      expect(isRegistered(home)).toBe(true);
      await installer.run(['uninstall', '--harness', 'claude', '--home', home.path, '--purge', '--yes'], { env });
      expect(home.readText(SETTINGS)).toBe(SEED);
      expect(home.has('.claude/plugins/cache/openviking')).toBe(false);
    }));

  const real = () => ({ env: { PATH: `${dirname(REAL)}:/usr/bin:/bin` } });
  it.each([12, 13, 14, 15, 16])('killed while installing, at point %i: the next run ends it', (point) =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const killed = await installer.runStopped(point, 'kill', ['install', ...args(home)], real());
      expect(killed.signal).toBe('SIGKILL');
      const removal = ['uninstall', '--harness', 'claude', '--home', home.path, '--purge', '--yes'];
      expect((await installer.run(removal, real())).code).toBe(0);
      expect(home.readText(SETTINGS)).toBe(SEED);
      expect(isRegistered(home)).toBe(false);
      expect((await installer.run(['install', ...args(home)], real())).code).toBe(3);
      expect(isRegistered(home)).toBe(true);
    }),
  );

  it.each([4, 6, 8, 10])('failing in an upgrade at point %i: the old version is registered again', (point) =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      await installer.run(['install', ...args(home)], real());
      const text = home.readText(SETTINGS);
      const run = await upgraded.runStopped(point, 'throw', ['install', ...args(home)], real());
      expect(run.code).toBe(1);
      expect(home.readText(SETTINGS)).toBe(text);
      expect(isRegistered(home)).toBe(true);
    }),
  );
});
