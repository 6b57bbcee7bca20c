/** Advice names the command that this user has. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lastingCommand, ownCommand, withOwnCommand } from '../src/cli/own-command.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

describe('the command that starts the program again', () => {
  let folder: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'openviking-own-command-')));
    for (const made of [
      'bin',
      "it's me/.bin",
      'other',
      '.npm/_npx/1a2b/node_modules/.bin',
      'clone/node_modules/.bin',
    ]) {
      mkdirSync(join(folder, made), { recursive: true });
    }
    for (const program of [
      'program.mjs',
      "it's me/program.mjs",
      '.npm/_npx/1a2b/program.mjs',
      'other/openviking-install',
    ]) {
      writeFileSync(join(folder, program), '', { mode: 0o755 });
    }
    symlinkSync('../program.mjs', join(folder, 'bin/openviking-install'));
    symlinkSync('../program.mjs', join(folder, "it's me/.bin/openviking-install"));
    symlinkSync('../../program.mjs', join(folder, '.npm/_npx/1a2b/node_modules/.bin/openviking-install'));
    symlinkSync('../../../program.mjs', join(folder, 'clone/node_modules/.bin/openviking-install'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const commandsFor = (
    script: string | undefined,
    env: Readonly<Record<string, string>>,
    platform = process.platform,
  ) => {
    const start = { script: script?.replace('@', folder), env, platform, home: folder };
    return [ownCommand(start), lastingCommand(start)].map((command) => command.replace(folder, '@'));
  };
  const path = (...folders: string[]) => ({ PATH: folders.map((name) => join(folder, name)).join(delimiter) });

  it('is its name where PATH has it', () => {
    const name = ['openviking-install', 'openviking-install'];
    expect(commandsFor('@/bin/openviking-install', path('nowhere', 'bin'))).toEqual(name);
    // By whichever link, and also where Node.js was given the file itself.
    expect(commandsFor('@/clone/node_modules/.bin/openviking-install', path('bin'))).toEqual(name);
    expect(commandsFor('@/program.mjs', path('bin'))).toEqual(name);
    expect(commandsFor(undefined, {})).toEqual(name);
  });

  it.each([
    ['no PATH', '@/bin/openviking-install', {}, '@/bin/openviking-install'],
    ['a folder that is not in PATH', '@/bin/openviking-install', ['nowhere'], '@/bin/openviking-install'],
    ['another program of that name in front', '@/bin/openviking-install', ['other', 'bin'], '@/bin/openviking-install'],
    ['a PATH that npm has made', '@/bin/openviking-install', ['clone/node_modules/.bin'], '@/bin/openviking-install'],
    ['a file', '@/program.mjs', ['nowhere'], 'node @/program.mjs'],
    [
      'a path with blanks and quotes',
      "@/it's me/.bin/openviking-install",
      [],
      "'@/it'\\''s me/.bin/openviking-install'",
    ],
  ])('is the path as it can be pasted with %s', (_name, script, folders, command) => {
    const env = Array.isArray(folders) ? path(...folders) : {};
    expect(commandsFor(script, env)).toEqual([command, command]);
  });

  it('is npx where that runs it, and where npm has fetched nothing, only in the folder', () => {
    const env = { npm_command: 'exec', ...path('clone/node_modules/.bin') };
    const fetched = ['npx @openviking/install', 'npx @openviking/install'];
    expect(commandsFor('@/.npm/_npx/1a2b/node_modules/.bin/openviking-install', env)).toEqual(fetched);
    const link = '@/clone/node_modules/.bin/openviking-install';
    expect(commandsFor(link, env)).toEqual(['npx openviking-install', link]);
  });

  it.each([
    '.cache/pnpm/dlx/1a2b/node_modules/.pnpm/install/bin',
    'tmp/xfs-1a2b/dlx-4711/node_modules/install/bin',
    'tmp/bunx-1000-@openviking/install@latest/node_modules/install/bin',
  ])('is npx where another program has fetched it for one run, into %s', (place) => {
    const fetched = ['npx @openviking/install', 'npx @openviking/install'];
    expect(commandsFor(`@/${place}/openviking-install.mjs`, {})).toEqual(fetched);
    expect(commandsFor('C:\\pnpm-cache\\dlx\\1a2b\\openviking-install.mjs', {}, 'win32')).toEqual(fetched);
  });

  it('is quoted for the shells of Windows there', () => {
    const commands = (script: string) => commandsFor(script, {}, 'win32')[0];
    expect(commands('C:\\ov\\openviking-install.mjs')).toBe('node C:\\ov\\openviking-install.mjs');
    expect(commands('C:\\a b\\openviking-install.mjs')).toBe('node "C:\\a b\\openviking-install.mjs"');
  });

  it('stands where a text says one, and nowhere else', () => {
    const command = 'npx @openviking/install';
    expect(withOwnCommand('Run openviking-install doctor, or openviking-install --help.', command)).toBe(
      'Run npx @openviking/install doctor, or npx @openviking/install --help.',
    );
    const others =
      '# >>> added by openviking-install >>>\n/usr/bin/openviking-install.mjs doctor\nopenviking-install again';
    expect(withOwnCommand(others, command)).toBe(others);
    expect(withOwnCommand('Run /opt/.bin/openviking-install status', command)).toContain(
      '/opt/.bin/openviking-install',
    );
  });
});

describe('the built program', () => {
  it('started as a file advises the file, also in JSON; by a link it advises its name where PATH has that, else the link', () =>
    withHome(async (home) => {
      const file = join(installer.folder, 'bin/openviking-install.mjs');
      const wrong = await installer.run(['--no-such', '--home', home.path]);
      expect(wrong.code).toBe(2);
      expect(wrong.stderr).toContain(`node ${file} --help`);
      const json = await installer.run(['--no-such', '--json', '--home', home.path]);
      expect(JSON.parse(json.stdout)).toMatchObject({
        error: { next: expect.stringContaining(`node ${file} --help`) },
      });
      const link = home.at('my bin/openviking-install');
      mkdirSync(home.at('my bin'));
      chmodSync(file, 0o755);
      symlinkSync(file, link);
      const linked = (env: Readonly<Record<string, string>>) =>
        spawnSync(process.execPath, [link, '--no-such'], { encoding: 'utf8', env: { HOME: home.path, ...env } }).stderr;
      expect(linked({ PATH: home.at('my bin') })).toMatch(/^openviking-install --help/m);
      expect(linked({ PATH: '/usr/bin:/bin' })).toContain(`\n'${link}' --help`);
    }));

  it('writes down what starts it, for hooks; the help says it, too', () =>
    withHome(async (home) => {
      const file = join(installer.folder, 'bin/openviking-install.mjs');
      const more = ['--home', home.path, '--url', NO_SERVER, '--yes'];
      await installer.run(['install', '--harness', 'zcode', ...more]);
      expect(JSON.parse(readFileSync(home.at('.openviking/install/receipts/zcode.json'), 'utf8'))).toMatchObject({
        command: `node ${file}`,
      });
      const { stdout } = await installer.run(['--help']);
      expect(stdout).toContain(`\n  node ${file} install --harness zcode --local\n`);
    }));
});
