/** Both languages say everything, and the help fits a terminal. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { displayWidth } from '../src/cli/display-width.ts';
import { CLIENTS } from '../src/clients/catalogue.ts';
import { renderCommandHelp, renderHelp } from '../src/cli/help.ts';
import { chooseLanguage } from '../src/cli/language.ts';
import { ENGLISH } from '../src/cli/messages-en.ts';
import { CHINESE } from '../src/cli/messages-zh.ts';
import { parseCommandLine } from '../src/cli/arguments.ts';
import { withOwnCommand } from '../src/cli/own-command.ts';
import { COMMANDS, optionOf } from '../src/cli/options.ts';
import { buildInstaller } from './support/installer-process.ts';
import type { Command } from '../src/cli/options.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

/** The source text of a message: what its author wrote, with every branch. */
const sourceOf = (message: unknown): string => (typeof message === 'function' ? message.toString() : String(message));

describe('texts', () => {
  it('exist in both languages, under the same names, with the same number of arguments', () => {
    const shape = (table: object) =>
      Object.entries(table).map(([name, message]) => [name, typeof message === 'function' ? message.length : -1]);
    expect(shape(CHINESE).sort()).toEqual(shape(ENGLISH).sort());
  });

  it.each(Object.keys(CHINESE).filter((name) => !['language'].includes(name)))(
    '%s is Chinese in the Chinese table',
    (name) => {
      const [chinese, english] = [CHINESE, ENGLISH].map((table) => sourceOf(table[name as keyof typeof CHINESE]));
      expect(chinese).toMatch(/\p{Script=Han}|OWNED|ACTIONS/u);
      expect(english).not.toMatch(/\p{Script=Han}/u);
    },
  );

  it.each([
    [['--lang', 'zh'], {}, 'zh'],
    [['--lang=zh'], { LANG: 'en_US.UTF-8' }, 'zh'],
    [['--lang', 'en'], { OPENVIKING_LANG: 'zh' }, 'en'],
    [[], { OPENVIKING_LANG: 'zh', LANG: 'en' }, 'zh'],
    [[], { LC_ALL: 'zh_CN.UTF-8', LANG: 'en' }, 'zh'],
    [[], { LC_ALL: '', LANG: 'zh_TW' }, 'zh'],
    [[], { LANG: 'de_DE' }, 'en'],
    [[], {}, 'en'],
  ])('%j with %j speaks %s', (args, env, language) => {
    expect(chooseLanguage(args, env as Record<string, string>).language).toBe(language);
  });
});

describe('help', () => {
  it.each([
    ['en', ENGLISH],
    ['zh', CHINESE],
  ] as const)(
    'is short in %s: each command once, five options, examples, and how to learn more',
    (_language, texts) => {
      const lines = renderHelp(texts, ['zcode']).split('\n');
      expect(lines.length).toBeLessThanOrEqual(32);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80);
      for (const name of Object.keys(COMMANDS)) {
        expect([name, lines.filter((line) => new RegExp(`^  ${name} `).test(line)).length]).toEqual([name, 1]);
      }
      const options = lines.flatMap((line) => /^ {2,6}(?:-\w, )?(--[\w-]+) /.exec(line)?.[1] ?? []);
      expect(options).toEqual(['--harness', '--url', '--local', '--dry-run', '--yes']);
      const examples = lines.filter((line) => line.startsWith('  openviking-install ') && !line.includes('['));
      expect(examples.length).toBeGreaterThan(3);
      for (const example of examples) {
        const [command = '', ...args] = example.trim().split(' ').slice(1);
        expect(parseCommandLine([command, ...args], ['zcode']).command).toBe(command);
      }
      expect(lines.some((line) => /openviking-install (COMMAND|命令) --help/.test(line))).toBe(true);
    },
  );

  it.each([
    ['install', 'those found', 'every client that is found', '检测到的客户端'],
    ['uninstall', 'those installed', 'every client that is installed', '已安装的客户端'],
    ['status', 'those found or installed', undefined, '检测到或已安装的客户端'],
    ['doctor', 'those found or installed', undefined, '检测到或已安装的客户端'],
  ] as const)('of %s says whom it is about, and lists nothing of other commands', (command, whom, all, chinese) => {
    const help = renderCommandHelp(ENGLISH, command, ['zcode']).replace(/\s+/g, ' ');
    expect(help).toMatch(new RegExp(`default: ${whom} `));
    expect(help.includes('--all')).toBe(all !== undefined);
    if (all !== undefined) expect(help).toContain(all);
    expect(renderCommandHelp(CHINESE, command, ['zcode']).replace(/\n */g, '')).toContain(chinese);
    expect(help.includes('--uninstall')).toBe(command === 'uninstall');
    expect(help.includes('with --fix: show')).toBe(command === 'doctor');
    expect(help.includes('there are errors')).toBe(command === 'doctor');
  });

  it.each(Object.keys(COMMANDS) as Command[])('of %s names in its usage only what it takes', (command) => {
    const [usage = ''] = renderCommandHelp(ENGLISH, command, ['zcode']).split('Options of this command');
    for (const [, option = ''] of usage.matchAll(/ \[?--([\w-]+)/g)) {
      expect(optionOf(option)?.commands ?? [command]).toContain(command);
    }
  });

  it('and version come from the shipped program', async () => {
    // Its examples can be pasted: they start it as it was started here.
    const command = `node ${join(installer.folder, 'bin/openviking-install.mjs')}`;
    const helpIn = (texts: typeof ENGLISH) => {
      const ids = CLIENTS.map(({ id }) => id);
      return { code: 0, stderr: '', stdout: withOwnCommand(renderHelp(texts, ids), command) };
    };
    expect(await installer.run(['--help'])).toMatchObject(helpIn(ENGLISH));
    expect(await installer.run(['--help', '--lang', 'zh'])).toMatchObject(helpIn(CHINESE));
    expect((await installer.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
