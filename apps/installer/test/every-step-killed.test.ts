/**
 * All five clients in one run, killed before the steps of its journal, and between the single calls by which a step changes
 * the disk: the next run ends in "installed" or in "as before", whichever command it is.
 */
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTemporaryHome, describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';
import { createFakeClaude } from './support/fake-client.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import type { FakeClaude } from './support/fake-client.ts';
import type { InstallerProcess } from './support/installer-process.ts';

const KILLER = pathToFileURL(join(import.meta.dirname, 'support/killed-at.mjs')).href;
const ALL = 'zcode,claude,cursor,trae,trae-cn';
const SEEDS: Readonly<Record<string, string>> = {
  '.zcode/cli/config.json': '{\n\t"hooks": {"enabled": false},\n\t"mine": [1, 2]\n}',
  '.claude/settings.json': '{\n  "model": "opus"\n}\n',
  '.cursor/hooks.json': '{"version":1,"hooks":{"stop":[{"command":"mine"}]}}',
  '.trae/hooks.json': '{"version":1,"hooks":{"Stop":[]}}\r\n',
  '.trae-cn/sandbox.json': '\uFEFF{ }\n',
};
/** `OPENVIKING_KILLS=all` kills at every step and at many of the calls between; otherwise at some of them, drawn by the scenario. */
const KILLS_ALL = process.env['OPENVIKING_KILLS'] === 'all';
/** Of the steps of one run, and of its changes to the disk, every how manyth is killed. */
const STRIDES = KILLS_ALL ? { steps: 1, changes: 37 } : { steps: 4, changes: 150 };
const LIMIT_MS = 1_800_000;

let first: InstallerProcess;
let second: InstallerProcess;
let claude: FakeClaude;
let home: TemporaryHome;
let store: TemporaryHome;
const figures: string[] = [];
beforeAll(() => {
  first = buildInstaller('1.0.0');
  second = buildInstaller('1.1.0');
  claude = createFakeClaude();
  home = createTemporaryHome();
  store = createTemporaryHome();
});
afterAll(() => {
  for (const made of [first, second, claude, home, store]) made.remove();
  process.stdout.write(`killed: ${figures.join('; ')}\n`);
});

const env = () => ({ PATH: `${claude.folder}:${dirname(process.execPath)}:/usr/bin:/bin`, TMPDIR: tmpdir() });
const INSTALL = () => [
  'install',
  '--harness',
  ALL,
  '--home',
  home.path,
  '--url',
  NO_SERVER,
  '--api-key',
  'sk-abcdefghijkl',
  '--yes',
];
const UNINSTALL = () => ['uninstall', '--harness', ALL, '--home', home.path, '--purge', '--yes'];

/** Without the client's own bookkeeping, and without receipts, which hold the time. */
function state(): TreeSnapshot {
  const isKept = (path: string): boolean => !/^\.claude\.json$|^\.claude\/plugins|install\/receipts\//.test(path);
  return new Map([...snapshotTree(home.path)].filter(([path]) => isKept(path)));
}
const differences = (wanted: TreeSnapshot): readonly string[] => diffTrees(wanted, state()).map(describeDifference);

function keep(name: string): () => void {
  cpSync(home.path, store.at(name), { recursive: true, verbatimSymlinks: true });
  return () => {
    for (const entry of readdirSync(home.path)) rmSync(home.at(entry), { recursive: true });
    cpSync(store.at(name), home.path, { recursive: true, verbatimSymlinks: true });
  };
}

interface Scenario {
  readonly name: string;
  readonly program: () => InstallerProcess;
  readonly args: () => readonly string[];
  readonly isInstalledBefore: boolean;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'install', program: () => first, args: INSTALL, isInstalledBefore: false },
  { name: 'upgrade', program: () => second, args: INSTALL, isInstalledBefore: true },
  { name: 'uninstall', program: () => first, args: UNINSTALL, isInstalledBefore: true },
];

it.each(SCENARIOS)(
  '$name: killed anywhere, the next run ends it',
  async ({ name, program, args, isInstalledBefore }) => {
    for (const entry of readdirSync(home.path)) rmSync(home.at(entry), { recursive: true });
    for (const [path, text] of Object.entries(SEEDS)) home.write(path, text);
    const untouched = state();
    if (isInstalledBefore) expect((await first.run(INSTALL(), { env: env() })).code).toBe(3);
    const restart = keep(name);

    const marks = store.at(`${name}.points`);
    await program().runStopped('every', `touch:${marks}`, args(), { env: env() });
    const points = statSync(marks).size;
    restart();
    const log = store.at(`${name}.changes`);
    const counting = { ...env(), NODE_OPTIONS: `--import ${KILLER}`, CHANGES_FILE: log };
    await program().run(args(), { env: counting });
    const done = state();
    const changes = readFileSync(log, 'utf8').split('\n');
    expect([points > 20, changes.length > 150]).toEqual([true, true]);

    let kills = 0;
    const ended = async (what: string, kill: () => Promise<{ readonly signal: string | null }>): Promise<void> => {
      restart();
      expect([what, (await kill()).signal]).toEqual([what, 'SIGKILL']);
      kills += 1;
      // The same command, or the opposite one.
      const isSame = name === 'uninstall' || kills % 2 === 0;
      const next = await (isSame ? program() : first).run(isSame ? args() : UNINSTALL(), { env: env() });
      const goal = name === 'uninstall' || !isSame ? untouched : done;
      expect([what, next.code, differences(goal)]).toEqual([what, goal === untouched ? 0 : 3, []]);
    };
    for (let point = name.length % STRIDES.steps; point < points; point += STRIDES.steps) {
      await ended(`before step ${point}`, () => program().runStopped(point, 'kill', args(), { env: env() }));
    }
    // The last call of all removes an empty folder: what comes before it has been killed, and after it there is nothing.
    for (let change = 0; change < changes.length - 1; change += STRIDES.changes) {
      const killing = { ...env(), NODE_OPTIONS: `--import ${KILLER}`, KILLED_AT: String(change) };
      await ended(`before ${change} ${changes[change]}`, () => program().run(args(), { env: killing }));
    }
    figures.push(`${name} ${kills} times, among ${points} steps and ${changes.length} changes to the disk`);
  },
  LIMIT_MS,
);
