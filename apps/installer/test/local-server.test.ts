/**
 * `--local` with what ships: the built installer and the built server. One command, and a server answers; uninstall stops
 * it, gives an earlier remote connection back, and with `--purge` leaves no trace.
 */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { spawn, spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { startToken } from '@openviking/memory-core/full';
import {
  createTemporaryHome,
  describeDifference,
  diffTrees,
  listenToStay,
  snapshotTree,
  waitUntil,
} from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { withHome } from './support/scratch.ts';

const PROGRAM = fileURLToPath(new URL('../bin/openviking-install.mjs', import.meta.url));
const BUILT = fileURLToPath(new URL('../dist/payload/local-server/main.mjs', import.meta.url));

function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', ...environment },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

interface Status {
  readonly server: { readonly url: string; readonly state: string };
  readonly localServer?: { readonly port: number; readonly pid?: number };
}

const INSTALLATION = '.openviking/local/install.json';
const portOf = (home: TemporaryHome): number => (JSON.parse(home.readText(INSTALLATION)) as { port: number }).port;

/** The ports that are tried for a new installation: those are all in use, or about to be, by whoever else runs here. */
const [FIRST, LAST] = [1933, 2032];

/** Holds the first of them that is free. Whatever others do meanwhile, no server can come to stand there. */
async function holdPort(): Promise<{ readonly port: number; readonly holder: Server }> {
  for (let port = FIRST; port <= LAST; port += 1) {
    const holder = createServer();
    const isHeld = await listenToStay(holder, port).then(
      () => true,
      () => false,
    );
    if (isHeld) return { port, holder };
  }
  throw new Error(`${FIRST} to ${LAST} are all taken`);
}

/** Lets the home remember a port that is free and that nobody else comes to, as if an earlier installation had had it. */
async function rememberQuietPort(home: TemporaryHome): Promise<number> {
  const probe = createServer();
  const port = await listenToStay(probe);
  await new Promise((done) => probe.close(done));
  const known = home.has(INSTALLATION) ? (JSON.parse(home.readText(INSTALLATION)) as object) : {};
  home.write(INSTALLATION, JSON.stringify({ ...known, port }));
  return port;
}

/** Where nobody takes note of the end of a process, as in a container without an init, it stays in the list of processes. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return process.platform !== 'linux' || startToken(pid) !== undefined;
};

describe('--local', () => {
  it('was built before this test', () => {
    expect({ file: BUILT, exists: existsSync(BUILT) }).toEqual({ file: BUILT, exists: true });
  });

  it.each([
    ['an empty home', undefined, 'home'],
    [
      'an earlier remote connection',
      '// mine\n{"url": "https://old.example", "api_key": "sk-old-key-abcdef", "output": "json"}',
      "it's a 家",
    ],
  ])('%s: starts, is found again, stops, and goes', async (_what, conf, name) => {
    const held = await holdPort();
    try {
      await withHome(async (home) => {
        if (conf !== undefined) home.write('.openviking/ovcli.conf', conf, 0o644);
        const before = snapshotTree(home.path);
        const args = ['--harness', 'zcode', '--home', home.path, '--yes'];
        const first = await run(['install', ...args, '--local']);
        expect(first).toMatchObject({ code: 0, stderr: '' });
        const port = portOf(home);
        expect(port).not.toBe(held.port);
        expect(port >= FIRST && port <= LAST).toBe(true);

        const status = JSON.parse((await run(['status', '--home', home.path, '--json'])).stdout) as Status;
        expect(status).toMatchObject({
          server: { url: `http://127.0.0.1:${port}`, state: 'ready' },
          localServer: { port },
        });
        const pid = status.localServer?.pid ?? 0;
        expect(isAlive(pid)).toBe(true);
        const config = home.readText('.openviking/ovcli.conf');
        const token = (JSON.parse(config.replace(/^\/\/.*\n/, '')) as { api_key: string }).api_key;
        expect(first.stdout).not.toContain(token);

        expect(await run(['install', ...args, '--local'])).toMatchObject({ code: 0, stderr: '' });
        expect(home.readText('.openviking/ovcli.conf')).toBe(config);
        expect(isAlive(pid)).toBe(true);

        const end = await run(['uninstall', '--home', home.path]);
        expect(end.code).toBe(0);
        expect(end.stdout).toContain(home.at('.openviking/local'));
        await waitUntil('the server to end', () => !isAlive(pid));
        expect(home.has('.openviking/local/memory.db')).toBe(true);
        if (conf !== undefined) expect(home.readText('.openviking/ovcli.conf')).toBe(conf);

        // Back again: the memories and the port are still there. That of just now may be somebody else's already.
        expect(portOf(home)).toBe(port);
        const remembered = await rememberQuietPort(home);
        expect((await run(['install', ...args, '--local'])).code).toBe(0);
        expect(portOf(home)).toBe(remembered);
        const again = JSON.parse((await run(['status', '--home', home.path, '--json'])).stdout) as Status;
        expect((await run(['uninstall', '--home', home.path, '--purge', '--yes'])).code).toBe(0);
        await waitUntil('the server to end', () => !isAlive(again.localServer?.pid ?? 0));
        expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
      }, name);
    } finally {
      held.holder.close();
    }
  });

  it('works where the credentials are elsewhere; hooks and the bare launcher start it again', () =>
    withHome(async (home) => {
      const environment = { OPENVIKING_CLI_CONFIG_FILE: "~/it's conf/ovcli.json" };
      home.makeFolder('.openviking');
      const before = snapshotTree(home.path);
      // While the server is down, nobody else comes to its port.
      const port = await rememberQuietPort(home);
      const args = ['--harness', 'zcode', '--home', home.path, '--yes', '--local'];
      expect(await run(args, environment)).toMatchObject({ code: 0, stderr: '' });
      expect(portOf(home)).toBe(port);
      expect(home.has("it's conf/ovcli.json")).toBe(true);
      expect(home.has('.openviking/ovcli.conf')).toBe(false);
      const look = async () => {
        const { stdout, stderr, code } = await run(['status', '--home', home.path, '--json'], environment);
        return { ...(JSON.parse(stdout) as Status), stderr, code };
      };
      const killed = async () => {
        const pid = (await look()).localServer?.pid ?? 0;
        process.kill(pid, 'SIGKILL');
        await waitUntil('the server to be gone', () => !isAlive(pid));
      };
      await killed();
      const down = await look();
      expect(down).toMatchObject({ code: 3, server: { state: 'unreachable' } });
      // Who uses the local server is not told to use the local server.
      expect(down.stderr).toContain(`Run ${home.at('.openviking/agent-integrations/local-server/launch')}`);
      expect(down.stderr).not.toContain('--local');

      const hook = spawnSync(home.at('.openviking/agent-integrations/zcode/launch'), ['session-start'], {
        timeout: 240_000,
        env: { PATH: '/usr/bin:/bin', HOME: home.path, ...environment },
        input: JSON.stringify({ session_id: 'sess_1', cwd: home.path, source: 'startup' }),
        encoding: 'utf8',
      });
      expect(hook.status).toBe(0);
      await waitUntil('the server that the hook started', async () => (await look()).server.state === 'ready');

      await killed();
      const bare = spawn(home.at('.openviking/agent-integrations/local-server/launch'), [], {
        env: { PATH: '/usr/bin:/bin', HOME: home.path, OPENVIKING_CLI_CONFIG_FILE: '/of/somebody/else' },
        stdio: 'ignore',
        detached: true,
      });
      bare.unref();
      await waitUntil('the server of the bare launcher', async () => (await look()).server.state === 'ready');

      expect((await run(['uninstall', '--home', home.path, '--purge', '--yes'], environment)).code).toBe(0);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));

  it('a fresh installation and --purge leave the home byte for byte', () =>
    withHome(async (home) => {
      const before = snapshotTree(home.path);
      expect((await run(['--harness', 'zcode', '--home', home.path, '--yes', '--local'])).code).toBe(0);
      home.write('.openviking/spool/zc-a/records/000000000001.json', '{}');
      const refused = await run(['uninstall', '--home', home.path, '--purge']);
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.stderr).toContain('1 conversation turn has not been delivered');
      expect(home.has('.openviking/spool')).toBe(true);
      const end = await run(['uninstall', '--home', home.path, '--purge', '--yes']);
      expect(end.code).toBe(0);
      expect(end.stderr).toContain('1 conversation turn');
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));

  it('in several homes at once each gets a server of its own', async () => {
    const homes = [createTemporaryHome(), createTemporaryHome(), createTemporaryHome()];
    try {
      const before = homes.map((home) => snapshotTree(home.path));
      const each = (...args: readonly string[]) =>
        Promise.all(homes.map((home) => run([...args, '--harness', 'zcode', '--home', home.path, '--yes'])));
      for (const result of await each('install', '--local')) expect(result).toMatchObject({ code: 0, stderr: '' });
      const found = await Promise.all(
        homes.map(async (home) => {
          const { stdout } = await run(['status', '--home', home.path, '--json']);
          return JSON.parse(stdout) as Status;
        }),
      );
      expect(found.map(({ server }) => server.state)).toEqual(['ready', 'ready', 'ready']);
      expect(new Set(found.map(({ localServer }) => localServer?.port)).size).toBe(homes.length);
      expect(new Set(found.map(({ localServer }) => localServer?.pid)).size).toBe(homes.length);
      for (const result of await each('uninstall', '--purge')) expect(result).toMatchObject({ code: 0 });
      expect(homes.map((home) => snapshotTree(home.path))).toEqual(before);
    } finally {
      for (const home of homes) {
        await run(['uninstall', '--home', home.path, '--purge', '--yes']);
        home.remove();
      }
    }
  });
});
