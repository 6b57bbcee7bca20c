/** What stands where a file should be: a pipe would hang the run, and a device would be replaced by a file. */
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const isRoot = process.getuid?.() === 0;
const install = (home: TemporaryHome) =>
  installer.run(['install', '--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);

const FILES = [
  '.zcode/cli/config.json',
  '.zcode/cli/setting.json',
  '.zcode/skills/openviking-memory/SKILL.md',
  '.zcode/commands/openviking.md',
  '.openviking/ovcli.conf',
];

/** A device of our own where the tester may make one: a defect as root would replace the machine's own. */
function linkToDevice(home: TemporaryHome, path: string): string {
  const device = isRoot ? home.at('null') : '/dev/null';
  if (isRoot) execFileSync('mknod', [device, 'c', '1', '3']);
  symlinkSync(device, path);
  return device;
}

const KINDS: Readonly<Record<string, { put(home: TemporaryHome, path: string): unknown; word: string }>> = {
  'a named pipe': { put: (_home, path) => execFileSync('mkfifo', [path]), word: 'is a named pipe, not a file' },
  'a folder': { put: (_home, path) => mkdirSync(path), word: 'is a folder, not a file' },
  'a device behind a link': { put: linkToDevice, word: 'is a device, not a file' },
};

describe('a folder of the client that is a link', () => {
  it.each([
    ['to a folder that is not there', [['.zcode', 'away/zcode']]],
    [
      'to a link to a folder that is not there',
      [
        ['.zcode', 'middle'],
        ['middle', 'away/deep/zcode'],
      ],
    ],
    ['in which a folder is a link to nowhere', [['.zcode/cli', '../away/cli']]],
  ])('%s is refused with its name, and stays', (_name, links) =>
    withHome(async (home) => {
      for (const [link = '', target = ''] of links) {
        mkdirSync(dirname(home.at(link)), { recursive: true });
        symlinkSync(target, home.at(link));
      }
      const [[first = ''] = []] = links;
      const run = await install(home);
      expect(run).toMatchObject({ code: 1, stdout: '' });
      expect(run.stderr).toContain(`${home.at(first)} is a link to `);
      expect(run.stderr).toContain('Mount or fetch');
      expect(lstatSync(home.at(first)).isSymbolicLink()).toBe(true);
      expect([home.has('away'), home.has('.openviking')]).toEqual([false, false]);
    }),
  );

  it('to itself is refused as what it is', () =>
    withHome(async (home) => {
      symlinkSync('other', home.at('.zcode'));
      symlinkSync('.zcode', home.at('other'));
      const run = await install(home);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('leads back to itself');
    }));

  it('to a folder that is there is followed, and stays', () =>
    withHome(async (home) => {
      home.makeFolder('dotfiles/zcode');
      symlinkSync('dotfiles/zcode', home.at('.zcode'));
      expect((await install(home)).code).toBe(3);
      expect(home.has('dotfiles/zcode/cli/config.json')).toBe(true);
      await installer.run(['uninstall', '--all', '--home', home.path, '--yes', '--purge']);
      expect([home.has('dotfiles/zcode/cli'), lstatSync(home.at('.zcode')).isSymbolicLink()]).toEqual([false, true]);
    }));
});

describe.each(Object.keys(KINDS))('%s', (name) => {
  const kind = KINDS[name];
  it.each(FILES)('in the place of %s is refused, and nothing is written', (file) =>
    withHome(async (home) => {
      const path = home.at(file);
      mkdirSync(home.at('.zcode/cli'), { recursive: true });
      mkdirSync(dirname(path), { recursive: true });
      kind?.put(home, path);
      const before = lstatSync(path);
      const run = await install(home);
      expect(run).toMatchObject({ code: 1, stdout: '' });
      expect(run.stderr).toContain(`${path} ${kind?.word}`);
      expect(lstatSync(path)).toMatchObject({ ino: before.ino, mode: before.mode, mtimeMs: before.mtimeMs });
      expect(home.has('.openviking/install')).toBe(false);
      expect(home.has('.openviking/agent-integrations')).toBe(false);
    }),
  );
});

describe('also refused', () => {
  it('a socket', () =>
    withHome(async (home) => {
      mkdirSync(home.at('.zcode/cli'), { recursive: true });
      const path = home.at(FILES[0] ?? '');
      const server = createServer().listen(path);
      await once(server, 'listening');
      try {
        const run = await install(home);
        expect(run.code).toBe(1);
        expect(run.stderr).toContain('is a socket, not a file');
        expect(lstatSync(path).isSocket()).toBe(true);
      } finally {
        server.close();
      }
    }));

  it('a file that is too large to be a configuration', () =>
    withHome(async (home) => {
      const path = home.write(FILES[0] ?? '', '{}');
      truncateSync(path, 16 * 1024 * 1024 + 1);
      const run = await install(home);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain(`${path} is larger than 16 MB`);
    }));

  it('in the place of a file that is only looked at: a pipe is passed over', () =>
    withHome(async (home) => {
      mkdirSync(home.at('.zcode/cli/plugins'), { recursive: true });
      execFileSync('mkfifo', [home.at('.zcode/cli/plugins/installed_plugins.json')]);
      expect((await install(home)).code).toBe(3);
    }));

  it('a pipe that took the place after the installation', () =>
    withHome(async (home) => {
      await install(home);
      const path = home.at('.zcode/cli/config.json');
      execFileSync('rm', [path]);
      execFileSync('mkfifo', [path]);
      const run = await installer.run(['uninstall', '--home', home.path, '--yes']);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('is a named pipe');
      expect(lstatSync(path).isFIFO()).toBe(true);
    }));
});

describe('permissions out of the ordinary', () => {
  it.each(['4755', '2755', '1644'])('%s stay through installation and removal', (octal) =>
    withHome(async (home) => {
      const mode = parseInt(octal, 8);
      const path = home.write('.zcode/cli/config.json', '{"a":1}');
      chmodSync(path, mode);
      expect((await install(home)).code).toBe(3);
      expect(statSync(path).mode & 0o7777).toBe(mode);
      expect(home.readText('.zcode/cli/config.json')).toContain('openviking');
      expect((await installer.run(['uninstall', '--home', home.path, '--yes'])).code).toBe(0);
      expect(statSync(path).mode & 0o7777).toBe(mode);
      expect(home.readText('.zcode/cli/config.json')).toBe('{"a":1}');
    }),
  );
});
