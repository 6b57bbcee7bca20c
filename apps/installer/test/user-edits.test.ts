/** What users do to their files between two runs, and what earlier installers left there. */
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
let upgraded: InstallerProcess;
let third: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller('1.0.0');
  upgraded = buildInstaller('1.1.0');
  third = buildInstaller('1.2.0');
});
afterAll(() => [installer, upgraded, third].forEach((built) => built.remove()));

const CONFIG = '.zcode/cli/config.json';
const args = (home: TemporaryHome) => ['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes'];

interface Handler {
  type: string;
  command: string;
  args?: string[];
  timeout?: number;
  timeoutMs?: number;
  statusMessage?: string;
}
interface Config {
  hooks: { enabled: boolean; events: Record<string, { matcher?: string; hooks: Handler[] }[]> };
  mcp: {
    servers: Record<string, { command?: string; args?: string[]; timeoutMs?: number; env?: object; url?: string }>;
  };
}
const read = (home: TemporaryHome) => JSON.parse(home.readText(CONFIG)) as Config;
const edit = (home: TemporaryHome, change: (config: Config) => void) => {
  const config = read(home);
  change(config);
  home.write(CONFIG, JSON.stringify(config, null, 2));
};
const handlersOf = (config: Config, event: string) =>
  (config.hooks.events[event] ?? []).flatMap((group) => group.hooks);

describe("the user's own changes", () => {
  it('says that hooks which were switched off are on again, once, and puts the switch back', () =>
    withHome(async (home) => {
      const mine = { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] };
      const seed = JSON.stringify({ hooks: { enabled: false, events: mine } }, null, 2);
      home.write(CONFIG, seed);
      const said = 'hooks.enabled goes from false to true';
      const first = await installer.run(['install', ...args(home)]);
      expect(`${first.stdout}${first.stderr}`).toContain(said);
      const second = await installer.run(['install', ...args(home)]);
      expect(`${second.stdout}${second.stderr}`).not.toContain(said);
      await installer.run(['uninstall', '--home', home.path]);
      expect(home.readText(CONFIG)).toBe(seed);
    }));

  it('a longer timeout, an added key and a handler in our group survive an upgrade; uninstall leaves the handler', () =>
    withHome(async (home) => {
      await installer.run(['install', ...args(home)]);
      edit(home, (config) => {
        const ours = config.hooks.events['Stop']?.[0];
        if (ours?.hooks[0] === undefined) throw new Error('not wired');
        ours.hooks[0].timeout = 90;
        ours.hooks[0].statusMessage = 'saving';
        ours.hooks.push({ type: 'command', command: 'mine' });
        const server = config.mcp.servers['openviking'];
        if (server !== undefined) Object.assign(server, { timeoutMs: 5000, env: { A: 'b' } });
      });
      const run = await upgraded.run(['install', ...args(home)]);
      expect(run.code).toBe(3);
      expect(handlersOf(read(home), 'Stop')).toMatchObject([
        { timeout: 90, statusMessage: 'saving' },
        { command: 'mine' },
      ]);
      expect(read(home).mcp.servers['openviking']).toMatchObject({ timeoutMs: 5000, env: { A: 'b' } });

      await upgraded.run(['uninstall', '--home', home.path]);
      const left = JSON.parse(home.readText(CONFIG)) as Config;
      expect(left.hooks.events).toEqual({ Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] });
      expect(left.mcp).toBeUndefined();
      // It was not there before, and the user's own hook needs it now.
      expect(left.hooks.enabled).toBe(true);
    }));

  it('a shorter time limit stays too, and is named with its line at every run until it is raised', () =>
    withHome(async (home) => {
      await installer.run(['install', ...args(home)]);
      const limit = (seconds: number) =>
        edit(home, (config) => {
          const handler = config.hooks.events['Stop']?.[0]?.hooks[0];
          if (handler !== undefined) handler.timeout = seconds;
        });
      limit(3);
      const line =
        home
          .readText(CONFIG)
          .split('\n')
          .findIndex((text) => text.includes('"timeout": 3,')) + 1;
      for (const command of [
        ['install', ...args(home)],
        ['status', '--home', home.path],
      ]) {
        const run = await installer.run(command);
        expect(run.code).toBe(3);
        expect(run.stderr).toContain(`${home.at(CONFIG)}:${line}: "timeout: 3" is less than the "timeout: 30"`);
        expect(run.stderr).toContain('hook for Stop');
      }
      expect(handlersOf(read(home), 'Stop')).toMatchObject([{ timeout: 3 }]);
      limit(31);
      const run = await installer.run(['status', '--home', home.path]);
      expect(run.stderr).not.toContain('timeout');
    }));

  it('entries that were moved behind others and lost their mark are recognised by their command', () =>
    withHome(async (home) => {
      await installer.run(['install', ...args(home)]);
      edit(home, (config) => {
        for (const [event, groups] of Object.entries(config.hooks.events)) {
          for (const { hooks } of groups)
            for (const handler of hooks) delete (handler as { managedBy?: string }).managedBy;
          config.hooks.events[event] = [{ hooks: [{ type: 'command', command: 'first' }] }, ...groups];
        }
      });
      await upgraded.run(['install', ...args(home)]);
      for (const event of ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'Stop']) {
        expect(handlersOf(read(home), event)).toHaveLength(2);
      }
      await upgraded.run(['uninstall', '--home', home.path]);
      expect(home.readText(CONFIG)).not.toContain('agent-integrations');
      expect(handlersOf(read(home), 'Stop')).toEqual([{ type: 'command', command: 'first' }]);
    }));

  it('a changed skill stays through upgrade and uninstall; an untouched command goes', () =>
    withHome(async (home) => {
      await installer.run(['install', ...args(home)]);
      home.write('.zcode/skills/openviking-memory/SKILL.md', 'my own words');
      const run = await upgraded.run(['install', ...args(home)]);
      expect(run.stdout).toContain('keeps the changes that you made');
      await upgraded.run(['uninstall', '--home', home.path]);
      expect(home.readText('.zcode/skills/openviking-memory/SKILL.md')).toBe('my own words');
      expect(home.has('.zcode/commands')).toBe(false);
    }));

  it('a file of the same name that is not ours is neither overwritten nor removed', () =>
    withHome(async (home) => {
      home.write('.zcode/commands/openviking.md', 'mine');
      const run = await installer.run(['install', ...args(home)]);
      expect(run.stderr).toContain('openviking.md exists and is not ours');
      await installer.run(['uninstall', '--home', home.path, '--purge', '--yes']);
      expect(home.readText('.zcode/commands/openviking.md')).toBe('mine');
    }));

  it('a comment that the user wrote above our object keeps the file', () =>
    withHome(async (home) => {
      await installer.run(['install', ...args(home)]);
      home.write(CONFIG, `// mine\n${home.readText(CONFIG)}`);
      await installer.run(['uninstall', '--home', home.path]);
      expect(home.readText(CONFIG)).toBe('// mine\n{}\n');
    }));

  it('a foreign server under our name stays and is named', () =>
    withHome(async (home) => {
      const own = '{"mcp":{"servers":{"openviking":{"type":"http","url":"https://mine.example/mcp"}}}}';
      home.write(CONFIG, own);
      const run = await installer.run(['install', ...args(home)]);
      expect(run.stderr).toContain('mcp.servers.openviking is an entry of your own');
      expect(read(home).mcp.servers['openviking']?.url).toBe('https://mine.example/mcp');
      await installer.run(['uninstall', '--home', home.path]);
      expect(home.readText(CONFIG)).toBe(own);
    }));

  it('a payload deleted by hand: status says so, a new run repairs, uninstall works', () =>
    withHome(async (home) => {
      const before = snapshotTree(home.path);
      await installer.run(['install', ...args(home)]);
      rmSync(home.at('.openviking/agent-integrations/zcode/1.0.0/stop.cjs'));
      const status = await installer.run(['status', '--home', home.path]);
      expect(status.code).toBe(3);
      expect(status.stderr).toContain('stop.cjs');
      await installer.run(['install', ...args(home)]);
      expect(home.has('.openviking/agent-integrations/zcode/1.0.0/stop.cjs')).toBe(true);
      rmSync(home.at('.openviking/agent-integrations'), { recursive: true });
      const end = await installer.run(['uninstall', '--home', home.path, '--purge', '--yes']);
      expect(end.code).toBe(0);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));

  it('a lost receipt: what is recognised still goes', () =>
    withHome(async (home) => {
      home.write(CONFIG, '{\n  "mine": 1\n}\n');
      await installer.run(['install', ...args(home)]);
      rmSync(home.at('.openviking/install'), { recursive: true });
      const end = await installer.run(['uninstall', '--harness', 'zcode', '--home', home.path]);
      expect(end.code).toBe(0);
      expect(home.readText(CONFIG)).not.toContain('agent-integrations');
      expect(read(home)).toMatchObject({ mine: 1 });
      expect(home.has('.openviking/agent-integrations')).toBe(false);
    }));

  it('never installed: nothing is made, exit 0', () =>
    withHome(async (home) => {
      home.write(CONFIG, '{}');
      const before = snapshotTree(home.path);
      for (const extra of [[], ['--purge', '--yes'], ['--all'], ['--harness', 'zcode']]) {
        const run = await installer.run(['uninstall', '--home', home.path, ...extra]);
        expect(run.code).toBe(0);
        expect(run.stdout).toContain('nothing to do');
      }
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    }));
});

describe('upgrades', () => {
  it('keep the current and the previous payload, change no line in the client', () =>
    withHome(async (home) => {
      const before = snapshotTree(home.path);
      await installer.run(['install', ...args(home)]);
      const config = home.readText(CONFIG);
      await upgraded.run(['install', ...args(home)]);
      await third.run(['install', ...args(home)]);
      expect(home.readText(CONFIG)).toBe(config);
      const payloads = ['1.0.0', '1.1.0', '1.2.0'].map((version) =>
        home.has(`.openviking/agent-integrations/zcode/${version}`),
      );
      expect(payloads).toEqual([false, true, true]);
      await third.run(['uninstall', '--home', home.path, '--purge', '--yes']);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));

  it('take the place of the shell installer, also beside a handler of the user', () =>
    withHome(async (home) => {
      const line = (name: string) =>
        `OPENVIKING_INTEGRATION_ID='openviking-memory' OPENVIKING_INTEGRATION_VERSION='3' OPENVIKING_HOOK_SOURCE='zcode' '/usr/bin/node' '${home.path}/.openviking/agent-integrations/zcode/scripts/${name}.mjs' zcode # openviking-memory`;
      const group = (name: string) => ({ matcher: '', hooks: [{ type: 'command', command: line(name), timeout: 99 }] });
      home.write(
        CONFIG,
        JSON.stringify({
          hooks: {
            enabled: true,
            events: {
              SessionStart: [group('session-start')],
              UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'mine' }] }, group('auto-recall')],
              PreToolUse: [group('uri-guard')],
              Stop: [group('auto-capture')],
              PreCompact: [group('pre-compact')],
            },
          },
          mcp: {
            servers: {
              openviking: {
                command: '/usr/bin/node',
                args: [`${home.path}/.openviking/agent-integrations/zcode/servers/mcp-proxy.mjs`],
              },
              'ov-mcp-server': { type: 'http', url: 'http://127.0.0.1:1933/mcp' },
              other: { type: 'http', url: 'http://127.0.0.1:1934/mcp' },
            },
          },
        }),
      );
      const run = await installer.run(['install', ...args(home)]);
      expect(run.stdout).toContain('7 entries of an earlier installer give way to ours');
      const config = read(home);
      expect(Object.keys(config.hooks.events).sort()).toEqual([
        'PreToolUse',
        'SessionStart',
        'Stop',
        'UserPromptSubmit',
      ]);
      expect(home.readText(CONFIG)).not.toMatch(/scripts|servers\/|"matcher":""|99/);
      expect(handlersOf(config, 'UserPromptSubmit')).toHaveLength(2);
      expect(Object.keys(config.mcp.servers).sort()).toEqual(['openviking', 'other']);
      await installer.run(['uninstall', '--home', home.path]);
      expect(handlersOf(read(home), 'UserPromptSubmit')).toEqual([{ type: 'command', command: 'mine' }]);
      expect(home.readText(CONFIG)).not.toContain('openviking');
    }));

  it.each([
    ['a record of the shell installer', '{"id":"openviking-memory","client":"zcode","version":"3"}', true],
    ['a record of somebody else', '{"id":"other"}', false],
    ['no record', undefined, false],
  ])('scripts beside the launcher go with the version after the next, with %s: only ours', (_what, record, goes) =>
    withHome(async (home) => {
      const folder = '.openviking/agent-integrations/zcode';
      for (const file of ['scripts/auto-recall.mjs', 'servers/mcp-proxy.mjs', 'mine/notes']) {
        home.write(`${folder}/${file}`, 'x');
      }
      if (record !== undefined) home.write(`${folder}/integration.json`, record);
      await installer.run(['install', ...args(home)]);
      expect(home.has(`${folder}/scripts/auto-recall.mjs`)).toBe(true);
      await upgraded.run(['install', ...args(home)]);
      const left = ['scripts', 'servers', 'integration.json'].filter((name) => home.has(`${folder}/${name}`));
      const all = record === undefined ? ['scripts', 'servers'] : ['scripts', 'servers', 'integration.json'];
      expect(left).toEqual(goes ? [] : all);
      await upgraded.run(['uninstall', '--home', home.path]);
      expect(home.readText(`${folder}/mine/notes`)).toBe('x');
    }),
  );

  it('and removal right after the change take those scripts, and the folder that only held them', () =>
    withHome(async (home) => {
      const folder = '.openviking/agent-integrations/zcode';
      home.write(`${folder}/scripts/auto-recall.mjs`, 'x');
      home.write(`${folder}/integration.json`, '{"id":"openviking-memory"}');
      await installer.run(['install', ...args(home)]);
      await installer.run(['uninstall', '--home', home.path]);
      expect(home.has('.openviking/agent-integrations')).toBe(false);
    }));

  it('use process handlers once the runtime is known to have them, and take a raised timeout along', () =>
    withHome(async (home) => {
      await installer.run(['install', ...args(home)]);
      edit(home, (config) => {
        const handler = config.hooks.events['Stop']?.[0]?.hooks[0];
        if (handler !== undefined) handler.timeout = 45;
      });
      const marker = home.at('asked-with-home');
      const program = (runtime: string) =>
        home.write(
          'bin/zcode',
          `#!/bin/sh\necho "$HOME" > '${marker}'\necho "zcode-app-cli 3.14.9"\necho "zcode-runtime ${runtime}"\n`,
          0o755,
        );
      program('0.16.8');
      const env = { PATH: `${home.at('bin')}:/usr/bin:/bin` };
      await installer.run(['install', ...args(home)], { env });
      expect(handlersOf(read(home), 'Stop')).toMatchObject([{ type: 'command', timeout: 45 }]);
      program('0.17.0');
      chmodSync(home.at('bin/zcode'), 0o755);
      await installer.run(['install', ...args(home)], { env });
      const launcher = home.at('.openviking/agent-integrations/zcode/launch');
      expect(handlersOf(read(home), 'Stop')).toEqual([
        { type: 'process', command: launcher, args: ['stop'], timeoutMs: 45000, managedBy: 'openviking-memory' },
      ]);
      // The client's own program runs in a scratch home, which is gone by now.
      expect(existsSync(home.readText('asked-with-home').trim())).toBe(false);
    }));
});
