/** Files with a second name, as dotfile managers make them by hard links: both names stay one file, whatever happens meanwhile. */
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const KILLER = pathToFileURL(join(import.meta.dirname, 'support/killed-at.mjs')).href;
const CONFIG = '.zcode/cli/config.json';
const KEPT = 'dotfiles/config.json';
/** Longer than one page: a kill may leave the beginning of it. */
const SEED = `{\n  "theme": "dark",\n  "notes": ${JSON.stringify('記'.repeat(3000))}\n}\n`;

const args = (home: TemporaryHome) => ['--harness', 'zcode', '--home', home.path, '--yes'];
const install = (home: TemporaryHome, env: Readonly<Record<string, string>> = {}) =>
  installer.run(['install', ...args(home), '--url', NO_SERVER], { env });
const uninstall = (home: TemporaryHome) => installer.run(['uninstall', ...args(home), '--purge']);

/** The client's file, with a second name in a folder of dotfiles. */
function seed(home: TemporaryHome): void {
  home.write(KEPT, SEED);
  mkdirSync(dirname(home.at(CONFIG)), { recursive: true });
  linkSync(home.at(KEPT), home.at(CONFIG));
}
const isOne = (home: TemporaryHome, one = CONFIG, other = KEPT): boolean =>
  statSync(home.at(one)).ino === statSync(home.at(other)).ino;
const copiesBeside = (path: string): readonly string[] =>
  readdirSync(dirname(path))
    .filter((name) => name.includes('.ov-'))
    .map((name) => join(dirname(path), name));

describe('a settings file with a second name', () => {
  it('stays one file through install, upgrade of nothing, and uninstall; no copy is left', () =>
    withHome(async (home) => {
      seed(home);
      const before = snapshotTree(home.path);
      await install(home);
      expect(isOne(home)).toBe(true);
      expect(home.readText(KEPT)).toContain('mcp-proxy');
      expect(copiesBeside(home.at(CONFIG))).toEqual([]);
      await install(home);
      await uninstall(home);
      expect(isOne(home)).toBe(true);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));

  it('is told with the number of its names, in the plan, in the report and in those of uninstall; others are not', () =>
    withHome(async (home) => {
      seed(home);
      const told = async (run: Promise<{ readonly stdout: string }>): Promise<string | undefined> =>
        /Note: [^:]*\(hard links\)[^:]*:/.exec((await run).stdout.replace(/\s+/g, ' '))?.[0];
      const said = `Note: ${home.at(CONFIG)} has 2 names (hard links) and is written in place:`;
      const plan = ['install', ...args(home), '--url', NO_SERVER, '--dry-run'];
      expect(await told(installer.run(plan))).toBe(said);
      expect(await told(install(home))).toBe(said);
      expect(await told(install(home))).toBeUndefined();
      writeFileSync(home.at(CONFIG), '{}');
      expect(await told(installer.run(['doctor', ...args(home), '--fix', '--dry-run']))).toBe(said);
      expect(await told(installer.run(['doctor', ...args(home), '--fix']))).toBe(said);
      expect(await told(installer.run(['uninstall', ...args(home), '--dry-run']))).toBe(said);
      const { stdout } = await installer.run(['uninstall', ...args(home), '--json']);
      expect(JSON.parse(stdout)).toMatchObject({ notes: [{}, { code: 'file/several-names', file: home.at(CONFIG) }] });
    }));

  it('is not taken for a folder, whose names are those of the folders in it', () =>
    withHome(async (home) => {
      await install(home);
      chmodSync(home.at('.openviking'), 0o777);
      const repair = await installer.run(['doctor', '--fix', '--yes', '--home', home.path]);
      expect(statSync(home.at('.openviking')).mode & 0o022).toBe(0);
      expect(repair.stdout).toContain('.openviking');
      expect(repair.stdout + repair.stderr).not.toMatch(/hard link|\(1 files\)/);
    }));

  it('behind a symbolic link too', () =>
    withHome(async (home) => {
      home.write(KEPT, SEED);
      linkSync(home.at(KEPT), home.at('dotfiles/second.json'));
      mkdirSync(dirname(home.at(CONFIG)), { recursive: true });
      symlinkSync(home.at(KEPT), home.at(CONFIG));
      const before = snapshotTree(home.path);
      await install(home);
      expect(isOne(home, KEPT, 'dotfiles/second.json')).toBe(true);
      expect(home.readText('dotfiles/second.json')).toContain('mcp-proxy');
      await uninstall(home);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));

  it('the file with the key likewise', () =>
    withHome(async (home) => {
      mkdirSync(home.at('.zcode'));
      home.write('dotfiles/ovcli.conf', '{"url": "http://127.0.0.1:9"}\n', 0o600);
      mkdirSync(home.at('.openviking'));
      linkSync(home.at('dotfiles/ovcli.conf'), home.at('.openviking/ovcli.conf'));
      await installer.run(['install', ...args(home), '--api-key', 'sk-0123456789abcdef']);
      expect(isOne(home, '.openviking/ovcli.conf', 'dotfiles/ovcli.conf')).toBe(true);
      expect(home.readText('dotfiles/ovcli.conf')).toContain('sk-0123456789abcdef');
      expect(copiesBeside(home.at('.openviking/ovcli.conf'))).toEqual([]);
      expect(copiesBeside(home.at('dotfiles/ovcli.conf'))).toEqual([]);
    }));

  it('two clients whose files it is: refused, nothing changed', () =>
    withHome(async (home) => {
      home.write('.trae/hooks.json', '{}');
      mkdirSync(home.at('.trae-cn'));
      linkSync(home.at('.trae/hooks.json'), home.at('.trae-cn/hooks.json'));
      const before = snapshotTree(home.path);
      const run = await installer.run([
        'install',
        '--harness',
        'trae,trae-cn',
        '--home',
        home.path,
        '--url',
        NO_SERVER,
      ]);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('are one file by a link');
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));
});

/** The changes to the disk around the writing in place of a run on such a home: the index of the cut, and of the last one after it. */
async function changesOf(): Promise<{ readonly cut: number; readonly lines: readonly string[] }> {
  return withHome(async (home) => {
    seed(home);
    const log = home.at('changes');
    await install(home, { NODE_OPTIONS: `--import ${KILLER}`, CHANGES_FILE: log });
    const lines = readFileSync(log, 'utf8').split('\n');
    return { cut: lines.findIndex((line) => line.startsWith('ftruncateSync')), lines };
  });
}

describe('stopped while such a file is written', () => {
  it('by a kill before or in the middle of any call: a whole copy is there, and the next run ends it', async () => {
    const { cut } = await changesOf();
    expect(cut).toBeGreaterThan(0);
    let torn = 0;
    const kills: readonly (readonly [number, string])[] = [
      ...[-6, -4, -2, 0, 1, 2, 3, 4, 5, 6].map((step) => [cut + step, 'whole'] as const),
      [cut + 1, 'half'],
    ];
    for (const [at, how] of kills) {
      await withHome(async (home) => {
        seed(home);
        const killing = { NODE_OPTIONS: `--import ${KILLER}`, KILLED_AT: String(at), KILLED_HOW: how };
        expect([at, (await install(home, killing)).signal]).toEqual([at, 'SIGKILL']);
        const found = [home.at(CONFIG), ...copiesBeside(home.at(CONFIG))].map((path) => readFileSync(path, 'utf8'));
        expect(found.some((text) => text === SEED || text.includes('mcp-proxy'))).toBe(true);
        if (!found[0]?.endsWith('}\n')) torn += 1;
        const isNextInstall = at % 2 === 0;
        const next = await (isNextInstall ? install(home) : uninstall(home));
        expect([at, next.stderr.includes('could not be put back')]).toEqual([at, false]);
        expect([at, isOne(home), copiesBeside(home.at(CONFIG))]).toEqual([at, true, []]);
        if (isNextInstall) expect(home.readText(KEPT)).toContain('mcp-proxy');
        await uninstall(home);
        expect([at, home.readText(KEPT)]).toEqual([at, SEED]);
      });
    }
    // Once right after the cut, once in the middle of the writing.
    expect(torn).toBe(2);
  });

  it('by a full disk: put back, one file still, no copy left', async () => {
    const { cut } = await changesOf();
    for (const at of [cut - 8, cut - 4, cut, cut + 1]) {
      await withHome(async (home) => {
        seed(home);
        const failing = { NODE_OPTIONS: `--import ${KILLER}`, KILLED_AT: String(at), KILLED_HOW: 'full' };
        const run = await install(home, failing);
        expect([at, run.code]).toEqual([at, 1]);
        expect([at, home.readText(KEPT), isOne(home), copiesBeside(home.at(CONFIG))]).toEqual([at, SEED, true, []]);
      });
    }
  });

  it('by a disk that fails for good: the first error is told, with the whole copy beside the torn file', async () => {
    const { cut } = await changesOf();
    await withHome(async (home) => {
      seed(home);
      const run = await install(home, {
        NODE_OPTIONS: `--import ${KILLER}`,
        KILLED_AT: String(cut + 1),
        KILLED_HOW: 'broken',
      });
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('EIO');
      expect(run.stderr).not.toContain('ENOSPC');
      const copy = /\((\/\S+\.ov-before-[0-9a-f]{8})\)/.exec(run.stderr)?.[1] ?? '';
      expect(existsSync(copy) ? readFileSync(copy, 'utf8') : undefined).toBe(SEED);
    });
  });

  it('and edited by hand before the next run: the edit stays, and the whole copy is named', async () => {
    const { cut } = await changesOf();
    await withHome(async (home) => {
      seed(home);
      await install(home, { NODE_OPTIONS: `--import ${KILLER}`, KILLED_AT: String(cut + 1), KILLED_HOW: 'half' });
      const mine = '{"theme": "by hand"}\n';
      writeFileSync(home.at(CONFIG), mine);
      const run = await install(home);
      expect(run.code).toBe(1);
      expect(home.readText(CONFIG)).toBe(mine);
      const copy = /\((\/\S+\.ov-before-[0-9a-f]{8})\)/.exec(run.stderr)?.[1] ?? '';
      expect(existsSync(copy) ? readFileSync(copy, 'utf8') : undefined).toBe(SEED);
      expect((await install(home)).code).toBe(3);
      expect(home.readText(CONFIG)).toContain('"by hand"');
    });
  });
});
