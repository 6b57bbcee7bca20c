/**
 * A client whose files are TOML and YAML, as those are that are still to come: the whole program wires it, leaves it alone,
 * upgrades it, keeps its user's edits and gives every byte back, with nothing in the installer that knows its name.
 */
import { cpSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { declaration as zcode } from '@openviking/harness-zcode/harness';
import { laterPayloads, runInProcess, shippedPayloads } from './support/in-process.ts';
import { NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { Payloads } from './support/in-process.ts';

const CONFIG = '.invented/config.toml';
const PATCH = '.invented/patch.yml';

function invented(timeout: number): HarnessDeclaration {
  return {
    ...zcode,
    id: 'invented',
    name: 'Invented',
    detection: [{ kind: 'path', path: '~/.invented' }],
    versionProbes: [],
    wiring: ({ home, launcher }) => ({
      owned: [],
      files: [
        {
          format: 'toml',
          path: join(home, CONFIG),
          create: 'always',
          operations: [
            { kind: 'scalar', path: ['features', 'hooks'], value: true },
            {
              kind: 'handler',
              path: ['hooks', 'Stop'],
              handler: { type: 'command', command: `'${launcher}' stop`, timeout },
              userKeys: [{ key: 'timeout', isTimeLimit: true }],
            },
            { kind: 'entry', path: ['mcp_servers', 'openviking'], value: { command: launcher, args: ['mcp-proxy'] } },
          ],
          check: ({ root }) =>
            root?.children?.some(({ children }) => children?.[0]?.value === 'version')
              ? [
                  {
                    code: 'invented/version',
                    offset: 0,
                    where: 'version',
                    message: { en: 'version is not known', zh: '未知的 version' },
                    fix: { en: 'Delete it.', zh: '请删除。' },
                  },
                ]
              : [],
          owns: (value) =>
            typeof value === 'object' && JSON.stringify(value).includes('/agent-integrations/invented/launch')
              ? 'current'
              : undefined,
        },
        {
          format: 'yaml',
          path: join(home, PATCH),
          create: 'if-present',
          operations: [{ kind: 'block', path: ['openviking'], text: `- id: openviking\n  timeout: ${timeout}` }],
          check: () => [],
          owns: () => undefined,
        },
      ],
    }),
  };
}

let shipped: Payloads;
let later: Payloads;
beforeAll(async () => {
  shipped = shippedPayloads();
  later = await laterPayloads('99.0.0');
  for (const { folder } of [shipped, later]) {
    cpSync(join(folder, 'zcode'), join(folder, 'copy'), { recursive: true });
    renameSync(join(folder, 'copy'), join(folder, 'invented'));
  }
});
afterAll(() => {
  shipped.remove();
  later.remove();
});

const run = (home: TemporaryHome, args: readonly string[], timeout = 10, payloadRoot = shipped.folder) =>
  runInProcess(args, {
    home: home.path,
    payloadRoot,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
    clients: [invented(timeout)],
  });
const INSTALL = ['install', '--harness', 'invented', '--url', NO_SERVER, '--yes'];
const UNINSTALL = ['uninstall', '--all', '--purge', '--yes'];
const left = (before: ReturnType<typeof snapshotTree>, home: TemporaryHome) =>
  diffTrees(before, snapshotTree(home.path)).map(describeDifference);

const TOML = '# mine\r\nmodel = "x"\r\n[features] # beside\r\nother = 0x1F\r\n\r\n[mcp_servers.mine]\r\ncommand = "y"';
const YAML = '- id: a # mine\n- |+\n  text\n\n';

describe('a client of TOML and YAML', () => {
  it.each([
    ['with files of its user', TOML, YAML],
    ['with empty files', '', ''],
    ['without any', undefined, undefined],
  ])('%s is wired, left alone, upgraded and given back to the byte', (_name, toml, yaml) =>
    withHome(async (home) => {
      home.makeFolder('.invented');
      if (toml !== undefined) home.write(CONFIG, toml, 0o640);
      if (yaml !== undefined) home.write(PATCH, yaml, 0o600);
      const before = snapshotTree(home.path);
      const shown = await run(home, [...INSTALL, '--dry-run']);
      expect(shown.stdout).toContain('+command = ');
      expect(left(before, home)).toEqual([]);
      expect(await run(home, INSTALL)).toMatchObject({ code: 3 });
      expect(home.readText(CONFIG)).toContain('[mcp_servers.openviking]');
      expect(home.has(PATCH) && home.readText(PATCH).includes('- id: openviking')).toBe(yaml !== undefined);
      const installed = snapshotTree(home.path);
      await run(home, INSTALL);
      expect(left(installed, home)).toEqual([]);
      await run(home, INSTALL, 20, later.folder);
      expect(home.readText(CONFIG)).toContain('timeout = 20');
      expect(await run(home, UNINSTALL)).toMatchObject({ code: 0, stderr: '' });
      expect(left(before, home)).toEqual([]);
    }),
  );

  it('keeps what its user does meanwhile, and warns of a time limit that is too short', () =>
    withHome(async (home) => {
      home.write(CONFIG, TOML);
      home.write(PATCH, YAML);
      await run(home, INSTALL);
      home.write(CONFIG, home.readText(CONFIG).replace('timeout = 10', 'timeout = 2').replace('"x"', '"z"'));
      home.write(PATCH, `${home.readText(PATCH)}- id: later\n`);
      const upgrade = await run(home, INSTALL, 20);
      expect(upgrade.stderr).toMatch(/config\.toml:\d+: "timeout: 2" is less .* for Stop/);
      expect(home.readText(CONFIG)).toContain('timeout = 2\r\n');
      expect(home.readText(PATCH)).toContain('timeout: 20');
      expect(await run(home, ['uninstall', '--all', '--yes'])).toMatchObject({ code: 0 });
      expect(home.readText(CONFIG)).toBe(TOML.replace('"x"', '"z"'));
      expect(home.readText(PATCH)).toBe(`${YAML}- id: later\n`);
    }));

  it('is refused as a whole when one of its files is broken, with the place', () =>
    withHome(async (home) => {
      home.write(CONFIG, 'a = 1\nb = ,\n');
      home.write(PATCH, YAML);
      const before = snapshotTree(home.path);
      const refused = await run(home, INSTALL);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`${home.at(CONFIG)}:2:`);
      home.write(CONFIG, 'a = 1\n');
      home.write(PATCH, 'a: 1\n');
      expect((await run(home, INSTALL)).stderr).toContain(`${home.at(PATCH)}:1`);
      home.write(CONFIG, 'a = 1\nb = ,\n');
      home.write(PATCH, YAML);
      expect(left(before, home)).toEqual([]);
    }));

  it('is told what it refuses in a file, with the line, and the file keeps it', () =>
    withHome(async (home) => {
      home.write(CONFIG, 'version = 3\n');
      const told = await run(home, INSTALL);
      expect(told).toMatchObject({ code: 3 });
      expect(told.stderr).toContain('version is not known');
      expect(home.readText(CONFIG)).toContain('version = 3\n');
    }));

  it('is known to doctor and status, which notice what is missing and what is somebody else’s', () =>
    withHome(async (home) => {
      home.write(CONFIG, TOML);
      home.write(PATCH, YAML);
      await run(home, INSTALL);
      const wiring = async (): Promise<unknown> => {
        const { stdout } = await run(home, ['status', '--json']);
        return (JSON.parse(stdout) as { clients: { wiring: string }[] }).clients.map((client) => client.wiring);
      };
      const codes = async (): Promise<readonly string[]> => {
        const { stdout } = await run(home, ['doctor', '--json']);
        const { findings } = JSON.parse(stdout) as { findings: { code: string; severity: string; client?: string }[] };
        return findings.filter(({ client }) => client === 'invented').map(({ code }) => code);
      };
      expect(await wiring()).toEqual(['wired']);
      expect(await codes()).not.toContain('invented/config-broken');
      home.write(PATCH, YAML);
      expect(await wiring()).toEqual(['incomplete']);
      await run(home, ['doctor', '--fix', '--yes']);
      expect(home.readText(PATCH)).toContain('- id: openviking');
      expect(await wiring()).toEqual(['wired']);
      home.write(CONFIG, 'a = [1,\n');
      expect(await codes()).toContain('invented/config-broken');
    }));
});
