/**
 * A registration of our plugin ends in "installed" or "as before", whatever stops it: killed or failing at every point of
 * the run, a client's command that fails, Ctrl+C, and a command that goes on when the installer is gone.
 */
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startToken } from '@openviking/memory-core/full';
import { describeDifference, diffTrees, snapshotTree, waitUntil } from '@openviking/memory-core/testing';
import type { TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';
import { createFakeClaude } from './support/fake-client.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { tellsOf } from './support/program-that-tells.ts';
import { differences, isRegistered, SEED, SETTINGS } from './support/registered-plugin.ts';
import { withHome } from './support/scratch.ts';
import type { Journal, RunningCommand } from '../src/apply/journal.ts';
import type { FakeClaude } from './support/fake-client.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
let upgraded: InstallerProcess;
let claude: FakeClaude;
beforeAll(() => {
  installer = buildInstaller('1.0.0');
  upgraded = buildInstaller('1.1.0');
});
beforeEach(() => {
  claude = createFakeClaude();
});
afterEach(() => claude.remove());
afterAll(() => {
  installer.remove();
  upgraded.remove();
});

const withClaude = () => ({ env: { PATH: `${claude.folder}:${dirname(process.execPath)}:/usr/bin:/bin` } });
const installation = (home: TemporaryHome) => [
  'install',
  '--harness',
  'claude',
  '--home',
  home.path,
  '--url',
  NO_SERVER,
  '--yes',
];
const removal = (home: TemporaryHome) => ['uninstall', '--harness', 'claude', '--home', home.path, '--purge', '--yes'];
const install = (home: TemporaryHome) => installer.run(installation(home), withClaude());
const uninstall = (home: TemporaryHome) => installer.run(removal(home), withClaude());
const killAt = (point: number, args: readonly string[]) => installer.runStopped(point, 'kill', args, withClaude());

/** How many points the run comes through that nothing stops; one test stops at each of them. */
async function pointsOf(program: InstallerProcess, args: readonly string[], home: TemporaryHome): Promise<number> {
  const marks = `${claude.folder}/points`;
  await program.runStopped('every', `touch:${marks}`, args, withClaude());
  expect(home.has('.openviking/install/journal.json')).toBe(false);
  return statSync(marks).size;
}

/** The client's command that is running, as the journal names it. */
function runningCommand(home: TemporaryHome): RunningCommand | undefined {
  if (!home.has('.openviking/install/journal.json')) return undefined;
  return (JSON.parse(home.readText('.openviking/install/journal.json')) as Journal).running;
}

/** Keeps what a home holds, so that one expensive run can be the start of many. Returns what puts it back. */
function keep(home: TemporaryHome): () => void {
  const kept = join(claude.folder, `kept-${randomUUID()}`);
  cpSync(home.path, kept, { recursive: true, verbatimSymlinks: true });
  return () => {
    for (const name of readdirSync(home.path)) rmSync(home.at(name), { recursive: true });
    cpSync(kept, home.path, { recursive: true, verbatimSymlinks: true });
  };
}

const RECEIPTS = '.openviking/install/receipts/';

/**
 * What an installation leaves: its files and the client's receipt, without when and by which build of the tests that was
 * written. The receipt of the connection is salted anew each time.
 */
function installedState(home: TemporaryHome): { readonly tree: TreeSnapshot; readonly receipt: object } {
  const receipt = JSON.parse(home.readText(`${RECEIPTS}claude.json`)) as { readonly folders: readonly string[] };
  return {
    tree: new Map([...snapshotTree(home.path)].filter(([name]) => !name.startsWith(RECEIPTS))),
    // The names that were found include our own folder, where the run before has not come to its end.
    receipt: {
      ...receipt,
      folders: [...receipt.folders].sort(),
      installedAt: '',
      installer: '',
      command: '',
      foundInRoot: [],
    },
  };
}

const EVERY_POINT_MS = 1_800_000;

describe('at every point', () => {
  it(
    'killed while installing: the next run goes back or finishes, whichever command it is',
    () =>
      withHome(async (home) => {
        home.write(SETTINGS, SEED);
        const before = snapshotTree(home.path);
        const restart = keep(home);
        const points = await pointsOf(installer, installation(home), home);
        expect(points).toBeGreaterThan(15);
        const whole = installedState(home);
        for (let point = 0; point < points; point += 1) {
          restart();
          expect({ point, signal: (await killAt(point, installation(home))).signal }).toEqual({
            point,
            signal: 'SIGKILL',
          });
          const again = keep(home);
          expect({ point, code: (await uninstall(home)).code }).toEqual({ point, code: 0 });
          expect({ point, left: differences(before, home) }).toEqual({ point, left: [] });
          expect(home.readText(SETTINGS)).toBe(SEED);

          again();
          expect({ point, code: (await install(home)).code }).toEqual({ point, code: 3 });
          const { tree, receipt } = installedState(home);
          expect({ point, left: diffTrees(whole.tree, tree).map(describeDifference) }).toEqual({ point, left: [] });
          expect({ point, receipt }).toEqual({ point, receipt: whole.receipt });
          expect({ point, isRegistered: isRegistered(home) }).toEqual({ point, isRegistered: true });
        }
      }),
    EVERY_POINT_MS,
  );

  it(
    'killed while removing: the next run ends it',
    () =>
      withHome(async (home) => {
        home.write(SETTINGS, SEED);
        const before = snapshotTree(home.path);
        await install(home);
        const restart = keep(home);
        const points = await pointsOf(installer, removal(home), home);
        expect(points).toBeGreaterThan(8);
        for (let point = 0; point < points; point += 1) {
          restart();
          expect({ point, signal: (await killAt(point, removal(home))).signal }).toEqual({ point, signal: 'SIGKILL' });
          await uninstall(home);
          expect({ point, left: differences(before, home) }).toEqual({ point, left: [] });
        }
      }),
    EVERY_POINT_MS,
  );

  it(
    'failing in an upgrade: the old version is registered again',
    () =>
      withHome(async (home) => {
        home.write(SETTINGS, SEED);
        await install(home);
        const restart = keep(home);
        const points = await pointsOf(upgraded, installation(home), home);
        expect(points).toBeGreaterThan(10);
        restart();
        const text = home.readText(SETTINGS);
        // The last point is behind the moment from which the run counts as done.
        for (let point = 0; point < points - 1; point += 1) {
          const run = await upgraded.runStopped(point, 'throw', installation(home), withClaude());
          expect({ point, code: run.code }).toEqual({ point, code: 1 });
          expect(run.stderr).toContain('stopped by the test');
          expect({ point, text: home.readText(SETTINGS) }).toEqual({ point, text });
          expect({ point, isRegistered: isRegistered(home) }).toEqual({ point, isRegistered: true });
        }
      }),
    EVERY_POINT_MS,
  );
});

describe('interrupted', () => {
  it.each(['plugin marketplace add', 'plugin install'])('by a failing "%s": says why, and all is as before', (failAt) =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      claude.behave({ failAt });
      const run = await install(home);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain(`${failAt} fails here, with a reason`);
      expect(differences(before, home)).toEqual([]);
      expect(isRegistered(home)).toBe(false);
    }),
  );

  /** Starts an installation and waits until a command of the client runs that changes something. `goOn` lets that end. */
  async function startSlowly(home: TemporaryHome) {
    const gate = `${claude.folder}/go-on`;
    claude.behave({ waitsFor: gate });
    let pid = 0;
    const ended = installer.run(installation(home), { ...withClaude(), started: (id) => (pid = id) });
    const log = `${claude.program}.log`;
    await waitUntil('the command', () => existsSync(log) && readFileSync(log, 'utf8').includes('marketplace add'));
    const command = await waitUntil('the note of it', () => runningCommand(home));
    claude.behave({});
    return { pid, ended, command, goOn: () => writeFileSync(gate, '') };
  }

  it('by Ctrl+C while a command of the client runs: that command ends, and all is as before', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      const { pid, ended, command } = await startSlowly(home);
      process.kill(pid, 'SIGINT');
      expect((await ended).code).toBe(130);
      await waitUntil('its end', () => startToken(command.pid) !== command.token);
      expect(differences(before, home)).toEqual([]);
    }));

  it('killed while a command of the client runs: the next run waits for that command before it goes back', () =>
    withHome(async (home) => {
      home.write(SETTINGS, SEED);
      const before = snapshotTree(home.path);
      const { pid, ended, command, goOn } = await startSlowly(home);
      process.kill(pid, 'SIGKILL');
      await ended;
      const { env, told, remove } = tellsOf(`/${command.pid}/stat`);
      try {
        const removing = installer.run(removal(home), { env: { ...withClaude().env, ...env } });
        // One that waits looks at the command again and again.
        for (let look = 0; look < 3; look += 1) await told();
        expect(startToken(command.pid)).toBe(command.token);
        goOn();
        await removing;
      } finally {
        remove();
      }
      // It could write no more when the run went back.
      expect(startToken(command.pid)).not.toBe(command.token);
      expect(differences(before, home)).toEqual([]);
      expect(isRegistered(home)).toBe(false);
    }));
});
