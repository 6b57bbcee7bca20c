/** What a terminal of 80 columns shows of installation, removal and help: both languages, recorded as text. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { displayWidth } from '../src/cli/display-width.ts';
import { COMMANDS, OPTIONS } from '../src/cli/options.ts';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import { sitDown } from './support/terminal-session.ts';
import type { Command, OptionDeclaration } from '../src/cli/options.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

/** Lines that are too wide and hold more than a path or an address. */
const tooWide = (text: string): readonly string[] =>
  text.split('\n').filter((line) => displayWidth(line) > 80 && / .* |\p{Script=Han}{2}/u.test(line.trim()));

describe.each(['en', 'zh'])('in %s', (language) => {
  const at = { args: ['--lang', language], script: [] };
  const clients = ['--harness', 'zcode,cursor,trae-cn'];

  it('an installation, the same again, its removal, and another one', () =>
    withHome(async (home) => {
      const run = (...args: readonly string[]) =>
        sitDown(installer, home, { ...at, args: [...at.args, ...args, ...clients, '--yes'] });
      for (const [name, args] of [
        ['installed', ['install', '--url', NO_SERVER, '--api-key', 'sk-shown-0123456789']],
        ['nothing to do', ['install']],
        ['removed', ['uninstall']],
        ['nothing to remove', ['uninstall']],
      ] as const) {
        const { code, screen, err } = await run(...args);
        expect({ code, screen, err }).toMatchSnapshot(name);
        expect(tooWide(screen)).toEqual([]);
      }
    }));

  it('a removal that asks', () =>
    withHome(async (home) => {
      const args = [...at.args, '--harness', 'trae'];
      await sitDown(installer, home, { args: ['install', ...args, '--url', NO_SERVER, '--yes'], script: [] });
      const seen = await sitDown(installer, home, { args: ['uninstall', ...args], script: [['[Y/n]', 'n\r']] });
      expect(seen.code).toBe(0);
      expect(seen.screen).toMatchSnapshot();
      expect(home.has('.trae/hooks.json')).toBe(true);
    }));

  it('--help', () =>
    withHome(async (home) => {
      const { screen } = await sitDown(installer, home, { ...at, args: [...at.args, '--help'] });
      expect(screen).toMatchSnapshot();
      for (const line of screen.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    }));

  it.each(Object.keys(COMMANDS))(
    '%s --help says what it does, its own options, an example and how it ends',
    (command) =>
      withHome(async (home) => {
        const { code, screen } = await sitDown(installer, home, { ...at, args: [...at.args, command, '--help'] });
        expect(code).toBe(0);
        expect(screen).toMatchSnapshot();
        for (const line of screen.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(80);
        for (const [name, { commands }] of Object.entries<OptionDeclaration>(OPTIONS)) {
          const isShown = screen.split('\n').some((line) => new RegExp(`^ {2,6}(?:-\\w, )?--${name} `).test(line));
          expect([name, isShown]).toEqual([name, commands?.includes(command as Command) ?? true]);
        }
      }),
  );
});
