/**
 * Must hold 4: all clients on an empty home from the packed installer, without a network, within 5 s; the key is in no
 * process list, no output and no file that others can read; and afterwards everything is as before.
 */
import { chownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ZcodeHost } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  describeDifference,
  diffTrees,
  searchTree,
  snapshotTree,
  startStubServer,
  untilHomeIsQuiet,
  waitUntil,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';
import { ROOT } from '../must-hold/artefacts.ts';
import { removeHome } from '../must-hold/installation.ts';
import { ownNetwork } from '../real-clients/own-network.mjs';
import { NOWHERE, packInstaller, runPacked } from './package.ts';
import { watchProcessList } from './process-list.ts';
import type { PackedInstaller, PackedRun, PackedRunOptions } from './package.ts';

const CLIENTS = ['zcode', 'claude', 'cursor', 'trae', 'trae-cn'];
const KEY = 'sk-packed-0123456789-secret';
const LIMIT_MS = 5_000;
const TRIES = 6;
const ALL = ['install', '--harness', CLIENTS.join(','), '--yes'];

let packed: PackedInstaller;
let home: TemporaryHome;
let before: TreeSnapshot;
beforeAll(async () => {
  packed = await packInstaller();
});
afterAll(() => packed.remove());
beforeEach(() => {
  home = createTemporaryHome();
  before = snapshotTree(home.path);
});
afterEach(() => removeHome(home));

const run = (args: readonly string[], options: Omit<PackedRunOptions, 'home'> = {}): Promise<PackedRun> =>
  runPacked(packed, args, { home: home.path, ...options });
const changes = (since: TreeSnapshot): string[] => diffTrees(since, snapshotTree(home.path)).map(describeDifference);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

describe('the package', () => {
  const paths = (): readonly string[] => packed.files.map(({ path }) => path);
  const read = (path: string): string => readFileSync(join(packed.root, path), 'utf8');
  const payloads = [...CLIENTS, 'local-server'];

  it('holds the program, a payload for every client, both readmes, the licence, and nothing else', () => {
    const outside = paths().filter((path) => !path.startsWith('dist/payload/'));
    expect([...outside].sort()).toEqual([
      'LICENSE',
      'README.md',
      'README.zh-CN.md',
      'bin/openviking-install.mjs',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/guided.mjs',
      'dist/main.mjs',
      'dist/proxy.cjs',
      'package.json',
    ]);
    expect(readdirSync(join(packed.root, 'dist/payload')).sort()).toEqual([...payloads].sort());
    const unpacked = packed.files.reduce((sum, { size }) => sum + size, 0);
    print(
      `packed: ${(packed.size / 1e6).toFixed(1)} MB in ${paths().length} files, ${(unpacked / 1e6).toFixed(1)} MB unpacked`,
    );
  });

  it.each(payloads)('payload %s: its manifest names every file, and every program is started by something', (name) => {
    const folder = `dist/payload/${name}/`;
    const files = paths()
      .filter((path) => path.startsWith(folder))
      .map((path) => path.slice(folder.length));
    const manifest = JSON.parse(read(`${folder}manifest.json`)) as { files: Record<string, string> };
    expect(files.filter((file) => file !== 'manifest.json').sort()).toEqual(Object.keys(manifest.files).sort());
    const programs = files.filter((file) => file.endsWith('.cjs'));
    const texts = [read('dist/main.mjs'), ...programs.map((file) => read(`${folder}${file}`))];
    const idle = programs.filter((file) => {
      const entry = file.replace(/\.cjs$/, '');
      // Another program loads it by its file name, or a client is told the name of the entry.
      return !texts.some((text) => text.includes(file) || text.includes(`"${entry}"`) || text.includes(`'${entry}'`));
    });
    expect(idle).toEqual([]);
  });

  it('holds no source map, no test, no source, and no path of the machine that built it', () => {
    expect(
      paths().filter((path) => /\.(map|tsx?|test\.\w+|tsbuildinfo)$|(^|\/)(test|src|node_modules)\//.test(path)),
    ).toEqual([]);
    const traces = [ROOT, `${homedir()}/`];
    const offending = paths().flatMap((path) => {
      const bytes = readFileSync(join(packed.root, path));
      return [...traces, '\n//# sourceMappingURL=']
        .filter((trace) => bytes.includes(trace))
        .map((trace) => `${path}: ${trace}`);
    });
    expect(offending).toEqual([]);
  });

  it('needs no other package and runs no script of its own', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, unknown>;
    expect(Object.keys(manifest)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(peerD|optionalD|d)ependencies$/)]),
    );
    const scripts = Object.keys(manifest['scripts'] ?? {});
    expect(scripts.filter((name) => /^(pre|post)?(install|prepare|pack|prepack)/.test(name))).toEqual([]);
    const entries = readdirSync(join(packed.folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(entries).toEqual(['@openviking']);
    expect(readdirSync(join(packed.folder, 'node_modules/@openviking'))).toEqual(['install']);
  });

  it('carries its own licence and those of what it bundles', () => {
    expect(read('LICENSE')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
    // The bundler names the file of each piece in front of it.
    const bundled = ['dist/main.mjs', 'dist/guided.mjs'].flatMap((path) =>
      [...read(path).matchAll(/^\/\/ .*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name = '']) => name),
    );
    const licences = read('dist/THIRD-PARTY-LICENSES.txt');
    for (const name of [...new Set(bundled), 'undici']) expect(licences).toContain(`\n${name} `);
    expect(bundled).toEqual(expect.arrayContaining(['diff', 'jsonc-parser']));
    for (const client of CLIENTS) {
      expect(read(`dist/payload/${client}/THIRD-PARTY-LICENSES.txt`)).toMatch(/^re2js \d[^]*^undici \d/m);
    }
    expect(read('dist/payload/local-server/THIRD-PARTY-LICENSES.txt')).toMatch(/^fastify \d/m);
    expect(read('README.zh-CN.md')).toMatch(/\p{Script=Han}/u);
  });

  it('says its version and what it can do', async () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(await run(['--version'])).toMatchObject({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
    const help = await run(['--help']);
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    for (const client of CLIENTS) expect(help.stdout).toContain(client);
    expect((await run(['--help', '--lang', 'zh'])).stdout).toMatch(/\p{Script=Han}/u);
    expect(changes(before)).toEqual([]);
  });
});

describe('all clients on an empty home', () => {
  const network = ownNetwork();
  const why = 'reason' in network ? ` (no network of its own: ${network.reason})` : '';
  (why === '' ? it : it.skip)(`are installed within 5 s where there is no network at all${why}`, async () => {
    if (!('prefix' in network)) return;
    const args = [...ALL, '--url', NOWHERE, '--api-key-stdin'];
    const times: number[] = [];
    // The best of some: another program may have had the processor.
    while (times.length < TRIES && Math.min(...times, Infinity) > LIMIT_MS / 2) {
      const result = await run(args, { stdin: `${KEY}\n`, prefix: network.prefix });
      // 3: the server does not answer.
      expect(result).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining('ECONNREFUSED') as unknown as string,
      });
      times.push(result.milliseconds);
      expect(await run(['uninstall', '--all', '--purge', '--yes'])).toMatchObject({ exitCode: 0 });
      expect(changes(before)).toEqual([]);
    }
    const best = Math.min(...times);
    print(`all five clients, empty home, no network: ${(best / 1000).toFixed(2)} s (limit ${LIMIT_MS / 1000} s)`);
    expect(best).toBeLessThanOrEqual(LIMIT_MS);
  });

  describe('with a server', () => {
    let server: StubServer;
    beforeAll(async () => {
      server = await startStubServer({ apiKey: KEY });
    });
    afterAll(() => server.close());
    const install = (options: Omit<PackedRunOptions, 'home'> = {}): Promise<PackedRun> =>
      run([...ALL, '--url', server.url, '--api-key-stdin'], { stdin: `${KEY}\n`, ...options });

    it('are installed, not touched by a second run, found well, and leave every byte as it was', async () => {
      const list = watchProcessList(KEY);
      const runs: PackedRun[] = [await install()];
      const installed = snapshotTree(home.path);
      runs.push(await install());
      expect(changes(installed)).toEqual([]);
      runs.push(await run(['status']), await run(['status', '--json']), await run(['doctor', '--json']));
      const [, , , status, doctor] = runs;
      expect(openFiles(home.path, KEY)).toEqual([]);
      expect(searchTree(home.path, KEY)).toEqual(['.openviking/ovcli.conf']);
      expect(searchTree(dirname(packed.folder), KEY)).toEqual([]);
      runs.push(await run(['uninstall', '--all', '--purge', '--yes']));
      expect(changes(before)).toEqual([]);
      const seen = await list.stop();

      for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(KEY);
      expect(seen).toEqual({ looks: expect.any(Number) as unknown as number, offenders: [] });
      if (seen.looks > 0)
        print(`process list: looked at ${seen.looks} times while 6 commands ran, the key was never there`);

      const { clients } = JSON.parse(status?.stdout ?? '') as { clients: { id: string }[] };
      expect(clients.map(({ id }) => id)).toEqual(expect.arrayContaining(CLIENTS));
      const { findings } = JSON.parse(doctor?.stdout ?? '') as {
        findings: { code: string; severity: string; client?: string }[];
      };
      // The stub has no memory tools; everything else is well.
      const complaints = findings.filter(({ severity }) => severity === 'warn' || severity === 'error');
      expect([...new Set(complaints.map(({ code }) => code))]).toEqual(['mcp/no-tools']);
      const intact = findings.filter(({ code }) => code === 'payload/intact').map(({ client }) => client);
      expect(intact.sort()).toEqual([...CLIENTS].sort());
      expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 3, 0]);
    });

    const isRoot = process.getuid?.() === 0;
    (isRoot ? it : it.skip)(
      `of another user: refused to root, done by that user with nothing of root’s left${isRoot ? '' : ' (only root can try)'}`,
      async () => {
        const owner = { uid: 54_321, gid: 54_321 };
        chownSync(home.path, owner.uid, owner.gid);
        chownSync(dirname(home.path), owner.uid, owner.gid);
        before = snapshotTree(home.path);
        const refused = await install();
        expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(home.path) as unknown as string });
        expect(changes(before)).toEqual([]);

        expect(await install({ owner })).toMatchObject({ exitCode: 0 });
        const installed = snapshotTree(home.path);
        expect(filesIn(home.path).filter((path) => statSync(path).uid !== owner.uid)).toEqual([]);
        expect(await install({ owner })).toMatchObject({ exitCode: 0 });
        expect(changes(installed)).toEqual([]);
        expect(await run(['uninstall', '--all', '--purge', '--yes'], { owner })).toMatchObject({ exitCode: 0 });
        expect(changes(before)).toEqual([]);
      },
    );
  });
});

describe('with --local', () => {
  it('a conversation recalls what an earlier one said, and nothing is left afterwards', async () => {
    mkdirSync(home.at('project'));
    before = snapshotTree(home.path);
    const installed = await run([...ALL, '--local']);
    expect(installed).toMatchObject({ exitCode: 0, stderr: '' });
    const { url, api_key: token } = JSON.parse(home.readText('.openviking/ovcli.conf')) as Record<string, string>;
    expect(installed.stdout).not.toContain(token);
    const host = new ZcodeHost({ home: home.path, cwd: home.at('project') });
    const first = host.startSession();
    await first.prompt('Please remember: I prefer pnpm over npm for every JavaScript project.');
    await first.answer('Noted: pnpm for JavaScript projects.');
    await waitUntil('the conversation to become memory', async () => {
      const answer = await fetch(`${url}/api/v1/sessions/zc-${first.id}?auto_create=false`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { result } = (await answer.json()) as { result?: { total_message_count: number; message_count: number } };
      return result !== undefined && result.total_message_count >= 2 && result.message_count === 0;
    });
    const recalled = await host.startSession().prompt('Which package manager do I use for JavaScript?');
    expect(recalled.injected).toContain('pnpm');
    let doctor = await run(['doctor', '--json']);
    // Told of a server that a busy machine keeps waiting: that says nothing of the installation.
    for (let tries = 1; doctor.stdout.includes('server/slow') && tries < 10; tries += 1)
      doctor = await run(['doctor', '--json']);
    expect(doctor.exitCode).toBe(0);
    expect(JSON.parse(doctor.stdout)).toMatchObject({ summary: { warn: 0, error: 0 } });
    expect(doctor.stdout).not.toContain(token);
    // The client's own files are not ours to remove.
    const files = filesIn(home.path).map((path) => relative(home.path, path));
    const ofClient = files.filter((path) => path.startsWith('.zcode/cli/') && path !== '.zcode/cli/config.json');
    expect(await run(['uninstall', '--all', '--purge', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
    const left = filesIn(home.path).map((path) => relative(home.path, path));
    expect(left.sort()).toEqual(ofClient.sort());
  });
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Files that hold the text and that others than their owner may read. */
function openFiles(folder: string, text: string): readonly string[] {
  return filesIn(folder).filter((path) => (statSync(path).mode & 0o077) !== 0 && readFileSync(path).includes(text));
}
