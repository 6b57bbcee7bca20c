/** Broken installations: doctor names what is wrong with each, and `--fix` repairs exactly what it says it can. */
import { execFileSync, spawn } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createTemporaryHome,
  describeDifference,
  diffTrees,
  snapshotTree,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { CLIENTS } from '../src/clients/catalogue.ts';
import { RULE } from '../src/doctor/checks/client-config.ts';
import { doctorReference } from '../src/doctor/reference.ts';
import { CHECKS } from '../src/doctor/registry.ts';
import { BROKEN_SETUPS, installedBy } from './support/broken-setups.ts';
import { buildInstaller } from './support/installer-process.ts';
import { keepHome } from './support/kept-home.ts';
import { startMemoryServer } from './support/memory-server.ts';
import { withHome } from './support/scratch.ts';
import type { Finding } from './support/findings.ts';
import type { BrokenSetup } from './support/broken-setups.ts';
import type { InstallerProcess, RunOptions } from './support/installer-process.ts';
import type { KeptHome } from './support/kept-home.ts';
import type { MemoryServer } from './support/memory-server.ts';

const KEY = 'sk-test-VerySecret-0123456789';
/** Our own bookkeeping: the time of a repair is in it. */
const RECEIPT = '.openviking/install/receipts/zcode.json';

let installer: InstallerProcess;
let server: MemoryServer;
let home: TemporaryHome;
let installed: KeptHome;
beforeAll(async () => {
  installer = buildInstaller();
  // The real hooks, proxy and filters in place of small ones: doctor starts them.
  const script = fileURLToPath(new URL('./support/place-real-payload.mjs', import.meta.url));
  execFileSync(process.execPath, [script, installer.folder]);
  server = await startMemoryServer();
  server.setKey(KEY);
  home = createTemporaryHome();
  await install(home);
  installed = keepHome(home);
});
afterAll(async () => {
  installed.remove();
  home.remove();
  installer.remove();
  await server.stop();
});
beforeEach(() => {
  server.behave('fine');
  server.setKey(KEY);
});

interface Report {
  readonly exitCode: number;
  readonly summary: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  readonly changes?: readonly { readonly path: string }[];
}

async function install(home: TemporaryHome): Promise<void> {
  home.makeFolder('.zcode');
  const args = ['--harness', 'zcode', '--home', home.path, '--yes', '--url', server.url, '--api-key-env', 'KEY'];
  const run = await installer.run(args, { env: { KEY } });
  expect(run).toMatchObject({ code: 0, stderr: '' });
}

/** In a home in which ours has just been installed: the same each time, to the byte, and nobody else at work in it. */
async function withInstallation(work: (home: TemporaryHome) => Promise<void>): Promise<void> {
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  installed.restore();
  await work(home);
}

async function doctor(home: TemporaryHome, options: RunOptions = {}, ...args: readonly string[]): Promise<Report> {
  const run = await installer.run(['doctor', '--home', home.path, '--json', ...args], options);
  expect(run.stdout + run.stderr).not.toContain(KEY);
  const report = JSON.parse(run.stdout) as Report;
  expect(run.code).toBe(report.exitCode);
  return report;
}

const troubles = ({ findings }: Report) => findings.filter(({ severity }) => severity !== 'ok');

describe('a working installation', () => {
  it('has nothing to be told but that its hooks have not run yet', () =>
    withInstallation(async (home) => {
      const before = snapshotTree(home.path);
      const report = await doctor(home);
      expect(troubles(report).map(({ code }) => code)).toEqual(['zcode/not-started-yet']);
      expect(report).toMatchObject({ exitCode: 0, summary: { warn: 0, error: 0 } });
      expect(report.findings.map(({ code }) => code)).toEqual(
        expect.arrayContaining(['launcher/ready', 'payload/intact', 'server/ready', 'mcp/ready', 'zcode/wired']),
      );
      expect(report.findings.find(({ code }) => code === 'mcp/ready')?.message).toContain('lists 3 tools');
      expect(report.findings.find(({ code }) => code === 'server/ready')?.message).toContain('version 0.9.1');
      expect((await doctor(home, {}, '--fix', '--yes')).changes).toEqual([]);
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    }));

  it('shows every setting with the place that set it, and no key', () =>
    withInstallation(async (home) => {
      const env = { OPENVIKING_RECALL_LIMIT: '7', OPENVIKING_EXTRA_HEADERS: '{"x-gateway":"hidden-token-123"}' };
      const run = await installer.run(['doctor', '--home', home.path, '--json'], { env });
      expect(run.stdout).not.toContain('hidden-token');
      const { clients } = JSON.parse(run.stdout) as { clients: readonly { settings: readonly object[] }[] };
      expect(clients).toHaveLength(1);
      expect(clients[0]?.settings).toEqual(
        expect.arrayContaining([
          { name: 'recallLimit', value: 7, layer: 'environment', key: 'OPENVIKING_RECALL_LIMIT' },
          { name: 'extraHeaders', value: '••••', layer: 'environment', key: 'OPENVIKING_EXTRA_HEADERS' },
          { name: 'autoRecall', value: true, layer: 'default' },
        ]),
      );
    }));
});

describe('a home without anything', () => {
  it('is told the first step, and stays as it is', () =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      const before = snapshotTree(home.path);
      const report = await doctor(home, { env: { OPENVIKING_URL: 'http://127.0.0.1:9' } }, '--fix', '--yes');
      expect(report.exitCode).toBe(0);
      expect(troubles(report)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            code: 'install/nothing',
            fix: expect.stringMatching(/openviking-install\S* --harness zcode --local$/),
          }),
        ]),
      );
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    }));
});

describe.each(BROKEN_SETUPS.map((setup) => [setup.name, setup] as const))('%s', (_name, setup: BrokenSetup) => {
  it(`is ${setup.code}, ${setup.isFixed === true ? 'and --fix repairs it' : 'and --fix changes nothing'}`, () =>
    withInstallation(async (home) => {
      const healthy = snapshotTree(home.path);
      const options: RunOptions = {
        ...(setup.env === undefined ? {} : { env: setup.env(home, server) }),
        ...(setup.cwd === undefined ? {} : { cwd: join(home.path, setup.cwd) }),
      };
      setup.breaks(home, server);
      const broken = snapshotTree(home.path);

      const report = await doctor(home, options);
      const found = report.findings.filter(({ code }) => code === setup.code);
      expect(found).toHaveLength(1);
      const [finding] = found;
      expect(finding).toMatchObject({
        severity: setup.severity,
        fixable: setup.isFixed === true,
        ...(setup.file === undefined ? {} : { file: home.at(setup.file) }),
        ...(setup.line === undefined ? {} : { line: setup.line }),
      });
      expect(finding?.message).toContain(setup.says ?? '');
      const worst = report.summary['error'] !== 0 ? 1 : report.summary['warn'] !== 0 ? 3 : 0;
      expect(report.exitCode).toBe(worst);
      expect(diffTrees(broken, snapshotTree(home.path)).map(describeDifference)).toEqual([]);

      const fixed = await doctor(home, options, '--fix', '--yes');
      const after = snapshotTree(home.path);
      if (setup.isFixed === true) {
        expect(troubles(fixed).map(({ code }) => code)).not.toContain(setup.code);
        // What the setup needs beside what it breaks stays; of ours everything is as it was.
        const left = diffTrees(healthy, after).filter(({ path }) => path !== RECEIPT && !/^(bin|old)\b/.test(path));
        expect(left.map(describeDifference)).toEqual([]);
        const again = await doctor(home, options, '--fix', '--yes');
        expect(again.changes).toEqual([]);
        expect(diffTrees(after, snapshotTree(home.path))).toEqual([]);
      } else {
        expect(fixed.changes).toEqual([]);
        expect(diffTrees(broken, after).map(describeDifference)).toEqual([]);
      }
    }));
});

describe('an interrupted run', () => {
  it('is named, and --fix goes back', () =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      const before = snapshotTree(home.path);
      await installer.runStopped(3, 'kill', ['--harness', 'zcode', '--home', home.path, '--yes']);
      const report = await doctor(home);
      expect(troubles(report).find(({ code }) => code === 'install/interrupted')).toMatchObject({ fixable: true });
      await doctor(home, {}, '--fix', '--yes');
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));
});

describe('several troubles at once', () => {
  it('are repaired together; a dry run shows it and writes nothing', () =>
    withInstallation(async (home) => {
      const healthy = snapshotTree(home.path);
      for (const setup of BROKEN_SETUPS) {
        if (['launcher/not-executable', 'zcode/hooks-wiped', 'connection/file-open'].includes(setup.code)) {
          setup.breaks(home, server);
        }
      }
      rmSync(home.at('.openviking/agent-integrations/zcode/1.0.0/stop.cjs'));
      const broken = snapshotTree(home.path);
      const dry = await installer.run(['doctor', '--home', home.path, '--fix', '--dry-run']);
      expect(dry.code).toBe(1);
      expect(dry.stdout).toContain('+++');
      expect(dry.stdout).not.toContain(KEY);
      expect(diffTrees(broken, snapshotTree(home.path))).toEqual([]);
      const fixed = await doctor(home, {}, '--fix', '--yes');
      expect(fixed.exitCode).toBe(0);
      expect(diffTrees(healthy, snapshotTree(home.path)).filter(({ path }) => path !== RECEIPT)).toEqual([]);
      expect(statSync(home.at('.openviking/ovcli.conf')).mode & 0o777).toBe(0o600);
    }));

  it('that have nothing to do with each other do not keep each other from being repaired', () =>
    withInstallation(async (home) => {
      const config = '.zcode/cli/config.json';
      home.write(config, '{ "hooks": ');
      rmSync(home.at('.openviking/agent-integrations/zcode/1.0.0/stop.cjs'));
      const fixed = await doctor(home, {}, '--fix', '--yes');
      expect(home.has('.openviking/agent-integrations/zcode/1.0.0/stop.cjs')).toBe(true);
      expect(home.readText(config)).toBe('{ "hooks": ');
      expect(troubles(fixed).map(({ code }) => code)).toContain('zcode/config-broken');
    }));
});

describe('a repair', () => {
  it('of program files or entries leaves the launcher with the interpreter that it has', () =>
    withInstallation(async (home) => {
      const other = home.write('tools/node', `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, 0o755);
      installedBy(home, other);
      const launcher = home.readText('.openviking/agent-integrations/zcode/launch');
      rmSync(home.at('.openviking/agent-integrations/zcode/1.0.0/stop.cjs'));
      expect((await doctor(home, {}, '--fix', '--yes')).exitCode).toBe(0);
      rmSync(home.at('.openviking/agent-integrations/zcode/1.0.0/stop.cjs'));
      BROKEN_SETUPS.find(({ code }) => code === 'zcode/hooks-wiped')?.breaks(home, server);
      expect((await doctor(home, {}, '--fix', '--yes')).exitCode).toBe(0);
      expect(launcher).toContain(other);
      expect(home.readText('.openviking/agent-integrations/zcode/launch')).toBe(launcher);
    }));
});

describe('the MCP server', () => {
  /** Starts it as the client does and asks for the handshake. */
  const handshake = (home: TemporaryHome) =>
    new Promise<{ instructions?: string }>((resolve, reject) => {
      const launcher = home.at('.openviking/agent-integrations/zcode/launch');
      const child = spawn(launcher, ['mcp-proxy'], { env: { HOME: home.path, PATH: '/bin' }, cwd: home.path });
      child.on('error', reject);
      child.stdout.setEncoding('utf8').once('data', (line: string) => {
        child.stdin.end();
        child.once('close', () => resolve((JSON.parse(line) as { result: { instructions?: string } }).result));
      });
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    });

  it('tells the model when the client has wiped the hooks, and is told of by doctor as a sign of life', () =>
    withInstallation(async (home) => {
      expect((await handshake(home)).instructions ?? '').not.toContain('no longer in');
      expect(home.has('.openviking/state/heartbeat/zcode-mcp-proxy.json')).toBe(true);
      // The client has started the server and no hook: doctor need not wait for a day to say so.
      expect(troubles(await doctor(home)).map(({ code }) => code)).toEqual(['zcode/never-ran']);
      BROKEN_SETUPS.find(({ code }) => code === 'zcode/hooks-wiped')?.breaks(home, server);
      const { instructions = '' } = await handshake(home);
      expect(instructions).toContain(`no longer in ${home.at('.zcode/cli/config.json')}`);
      expect(instructions).toContain(`node ${installer.folder}/bin/openviking-install.mjs --harness zcode`);
      await doctor(home, {}, '--fix', '--yes');
      expect((await handshake(home)).instructions ?? '').not.toContain('no longer in');
    }));

  it('leaves no sign of life when doctor starts it', () =>
    withInstallation(async (home) => {
      await doctor(home);
      expect(home.has('.openviking/state/heartbeat/zcode-mcp-proxy.json')).toBe(false);
    }));
});

describe('the command line', () => {
  it.each([
    [['--strict'], { OPENVIKING_URL: 'http://127.0.0.1:9' }, 1],
    [[], { OPENVIKING_URL: 'http://127.0.0.1:9' }, 3],
    [['--strict'], {}, 0],
  ])('%j with %j ends with %i', (args, env, code) =>
    withInstallation(async (home) => {
      expect((await doctor(home, { env }, ...args)).exitCode).toBe(code);
    }),
  );

  it('examines the clients that are named', () =>
    withInstallation(async (home) => {
      expect((await doctor(home, {}, '--harness', 'zcode')).exitCode).toBe(0);
      expect((await installer.run(['doctor', '--harness', 'emacs', '--home', home.path])).code).toBe(2);
      expect((await installer.run(['status', '--fix', '--home', home.path])).code).toBe(2);
    }));
});

describe('the list of codes', () => {
  it.each(['en', 'zh'] as const)('is on the page in %s: each code in a row of its own', (language) => {
    const rows = doctorReference(language)
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.slice(2, -2).split(' | '));
    for (const [code, severity = '', , cause = '', cure = ''] of rows) {
      const isTrouble = /error|warn|错误|警告/.test(severity);
      expect({ code, isComplete: cause.trim() !== '' && (!isTrouble || cure.trim() !== '') }).toEqual({
        code,
        isComplete: true,
      });
    }
    const rules = CLIENTS.flatMap(({ rules: of = {} }) => Object.keys(of));
    const declared = CHECKS.flatMap(({ codes }) => Object.keys(codes)).filter((code) => code !== RULE);
    const listed = rows.map(([code = '']) => code.replaceAll('`', ''));
    expect([...listed].sort()).toEqual([...declared, ...rules, 'doctor/defect'].sort());
  });

  it('holds every rule that a client is checked by', () => {
    for (const { id, rules = {} } of CLIENTS) {
      expect({ id, rules: Object.keys(rules).length > 0 }).toEqual({ id, rules: true });
      for (const code of Object.keys(rules)) expect(code.startsWith(`${id}/`)).toBe(true);
    }
  });

  it('holds every code that a set-up is told, with a cause in both languages and no code twice', () => {
    const codes = CHECKS.flatMap(({ codes: of }) => Object.entries(of));
    expect(new Set(codes.map(([code]) => code)).size).toBe(codes.length);
    for (const [, { cause, cure, severity }] of codes) {
      expect(cause.zh).toMatch(/\p{Script=Han}/u);
      expect(cause.en).not.toMatch(/\p{Script=Han}/u);
      if (severity === 'warn' || severity === 'error') expect(cure?.zh).toMatch(/\p{Script=Han}/u);
    }
    const known = new Map(codes);
    for (const { code, severity, isFixed } of BROKEN_SETUPS) {
      const entry = known.get(code as never) ?? known.get(code.replace('zcode/', '<client>/') as never);
      if (CLIENTS.some(({ rules = {} }) => Object.hasOwn(rules, code))) continue;
      expect({ code, severity: entry?.severity }).toEqual({ code, severity });
      expect({ code, isFixable: entry?.isFixable }).toEqual({ code, isFixable: isFixed });
    }
  });
});
