/** Clients of one run are one transaction: a refused one stops the others, unless the user wants them to go on. */
import { cpSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { declaration } from '@openviking/harness-zcode/harness';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { runInProcess } from './support/in-process.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
  cpSync(`${installer.folder}/dist/payload/zcode`, `${installer.folder}/dist/payload/second`, { recursive: true });
});
afterAll(() => installer.remove());

/** A second client with a file of its own and the rules of the first. */
const second: HarnessDeclaration = {
  ...declaration,
  id: 'second',
  name: 'Second',
  detection: [{ kind: 'path', path: '~/.second' }],
  wiring: (context) => {
    const { files } = declaration.wiring(context);
    const [file] = files;
    if (file === undefined) throw new Error('no file');
    const owns: typeof file.owns = (value) =>
      JSON.stringify(value).includes('agent-integrations/second/launch') ? 'current' : undefined;
    return { files: [{ ...file, path: `${context.home}/.second/config.json`, owns }], owned: [] };
  },
};

let nodeVersion = process.versions.node;
afterEach(() => {
  nodeVersion = process.versions.node;
});

const run = (home: TemporaryHome, ...args: readonly string[]) =>
  runInProcess(args, {
    home: home.path,
    payloadRoot: `${installer.folder}/dist/payload`,
    env: { PATH: '/usr/bin:/bin' },
    clients: [declaration, second],
    nodeVersion,
  });

describe('two clients', () => {
  it('are found, installed, and taken out one after the other without a trace', () =>
    withHome(async (home) => {
      home.makeFolder('.zcode');
      home.write('.second/config.json', '{"a":1}');
      const before = snapshotTree(home.path);
      expect((await run(home, '--yes', '--url', NO_SERVER)).stdout).toMatch(/ZCode: installed[^]*Second: installed/);
      expect(home.readText('.second/config.json')).toContain('agent-integrations/second/launch');
      const first = await run(home, 'uninstall', '--harness', 'zcode', '--purge', '--yes');
      expect(first.stdout).toContain('still installed: second');
      expect(home.has('.openviking/ovcli.conf')).toBe(true);
      expect(home.has('.zcode/cli')).toBe(false);
      await run(home, 'uninstall', '--harness', 'second', '--purge', '--yes');
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    }));

  it('one with a broken file: neither is installed', () =>
    withHome(async (home) => {
      home.write('.second/config.json', '{"a":');
      const before = snapshotTree(home.path);
      const result = await run(home, '--harness', 'zcode,second', '--yes');
      expect(result.code).toBe(1);
      expect(result.stderr).toContain('.second/config.json:1:6');
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    }));

  it('one with a broken file and --keep-going: the other is installed, the run ends with 3', () =>
    withHome(async (home) => {
      home.write('.second/config.json', '{"a":');
      const dry = await run(home, '--harness', 'zcode,second', '--keep-going', '--dry-run');
      expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('Second is left out') });
      const result = await run(home, '--harness', 'zcode,second', '--yes', '--keep-going');
      expect(result.code).toBe(3);
      expect(result.stderr).toContain('Second is left out');
      expect(home.readText('.second/config.json')).toBe('{"a":');
      expect(home.has('.zcode/cli/config.json')).toBe(true);
    }));

  it('one whose file broke since: neither is taken out; with --keep-going the other is, the run ends with 3', () =>
    withHome(async (home) => {
      await run(home, '--harness', 'zcode,second', '--yes', '--url', NO_SERVER);
      const whole = home.readText('.second/config.json');
      home.write('.second/config.json', '{"a":');
      const before = snapshotTree(home.path);
      const refused = await run(home, 'uninstall', '--purge', '--yes');
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('Nothing of this client was changed. Correct the file');
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);

      const gone = await run(home, 'uninstall', '--purge', '--yes', '--keep-going');
      expect(gone.code).toBe(3);
      expect(gone.stdout).toMatch(/ZCode: removed[^]*still installed: second/);
      expect(gone.stderr).toContain('Second is not removed, and nothing of it is changed.');
      // What the other one works with: neither named as left behind nor offered to be deleted.
      expect(gone.stdout).not.toMatch(/These stay|uninstall --purge/);
      expect(home.has('.zcode/cli')).toBe(false);
      expect(home.readText('.second/config.json')).toBe('{"a":');
      expect(home.has('.openviking/ovcli.conf')).toBe(true);
      expect((await run(home, 'uninstall', '--harness', 'second', '--yes', '--keep-going')).code).toBe(1);

      home.write('.second/config.json', whole);
      await run(home, 'uninstall', '--purge', '--yes');
      expect(home.has('.openviking')).toBe(false);
    }));

  it('none found: usage, with the list', () =>
    withHome(async (home) => {
      const result = await run(home, '--yes');
      expect(result.code).toBe(2);
      expect(result.stderr).toContain('zcode, second');
    }));
});

describe('an interpreter that is too old for the hooks', () => {
  it.each(['18.20.4', '20.17.0', '21.7.3', '22.2.0'])('%s: nothing is written', async (version) => {
    nodeVersion = version;
    await withHome(async (home) => {
      const refused = await run(home, '--harness', 'zcode', '--yes');
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`is Node.js ${version}; the hooks need 20.18 or later`);
      expect(home.has('.openviking')).toBe(false);
    });
  });
});
