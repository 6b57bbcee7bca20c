/** Advice names the command that this user has. */
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ownCommand, withOwnCommand } from '../src/cli/own-command.ts';
import { buildInstaller } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

describe('the command that starts the program again', () => {
  it.each([
    [
      '/home/me/.npm/_npx/1a2b/node_modules/.bin/openviking-install',
      { npm_command: 'exec' },
      'npx @openviking/install',
    ],
    ['/repo/node_modules/.bin/openviking-install', { npm_command: 'exec' }, 'npx openviking-install'],
    ['/usr/local/bin/openviking-install', {}, 'openviking-install'],
    [undefined, {}, 'openviking-install'],
    ['/opt/ov/bin/openviking-install.mjs', {}, 'node /opt/ov/bin/openviking-install.mjs'],
    ["/it's me/bin/openviking-install.mjs", {}, 'node "/it\'s me/bin/openviking-install.mjs"'],
  ])('%s with %j: %s', (script, env, command) => {
    expect(ownCommand(script, env)).toBe(command);
  });

  it('stands where a text says one, and nowhere else', () => {
    const command = 'npx @openviking/install';
    expect(withOwnCommand('Run openviking-install doctor, or openviking-install --help.', command)).toBe(
      'Run npx @openviking/install doctor, or npx @openviking/install --help.',
    );
    const others =
      '# >>> added by openviking-install >>>\n/usr/bin/openviking-install.mjs doctor\nopenviking-install again';
    expect(withOwnCommand(others, command)).toBe(others);
  });
});

describe('the built program', () => {
  it('started as a file advises the file, also in JSON; by a link on PATH it advises its name', () =>
    withHome(async (home) => {
      const file = join(installer.folder, 'bin/openviking-install.mjs');
      const wrong = await installer.run(['--no-such', '--home', home.path]);
      expect(wrong.code).toBe(2);
      expect(wrong.stderr).toContain(`node ${file} --help`);
      const json = await installer.run(['--no-such', '--json', '--home', home.path]);
      expect(JSON.parse(json.stdout)).toMatchObject({
        error: { next: expect.stringContaining(`node ${file} --help`) },
      });
      const link = home.at('openviking-install');
      chmodSync(file, 0o755);
      symlinkSync(file, link);
      const { spawnSync } = await import('node:child_process');
      const linked = spawnSync(process.execPath, [link, '--no-such'], { encoding: 'utf8', env: { HOME: home.path } });
      expect(linked.stderr).toMatch(/^openviking-install --help/m);
    }));
});
