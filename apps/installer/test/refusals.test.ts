/** What the installer must not touch: broken files, files of another shape, and everything a user can mistype. */
import { chmodSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const CONFIG = '.zcode/cli/config.json';

/** Runs an installation that must leave no trace. */
async function refused(seed: Readonly<Record<string, string | Uint8Array>>, ...args: readonly string[]) {
  return withHome(async (home) => {
    for (const [path, text] of Object.entries(seed)) home.write(path, text);
    const before = snapshotTree(home.path);
    const run = await installer.run([
      'install',
      '--harness',
      'zcode',
      '--home',
      home.path,
      '--url',
      NO_SERVER,
      '--yes',
      ...args,
    ]);
    expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);
    expect(run.stderr).not.toMatch(/^ +at /m);
    return { ...run, path: home.at(CONFIG) };
  });
}

it('an account that no header can carry is a mistake in the command line, with what to do about it', async () => {
  const run = await refused({}, '--account', 'Zürich');
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('as the administrator of the server spells them');
});

describe('a file that cannot be edited safely is refused with its place, and nothing is written', () => {
  it.each([
    ['cut in the middle', '{\n  "a": 1,\n  "b": [1,', ':3:11'],
    ['two roots', '{}\n{}', ':2:1'],
    ['merge marks', '{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> x\n}', ':2:1'],
    ['a list', '[]', ':1:1'],
    ['a word', 'hello', ':1:1'],
    ['hooks null', '{\n "hooks": null\n}', ':2:11'],
    ['events a list', '{"hooks":{"events":[]}}', ':1:20'],
    ['an event that is an object', '{"hooks":{"events":{"Stop":{}}}}', ':1:28'],
    ['enabled an object', '{"hooks":{"enabled":{}}}', ':1:21'],
    ['servers a list', '{"mcp":{"servers":[]}}', ':1:19'],
  ])('%s', async (_name, text, place) => {
    const run = await refused({ [CONFIG]: text });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`${run.path}${place}`);
  });

  it('bytes that are not UTF-8', async () => {
    const run = await refused({ [CONFIG]: Uint8Array.of(0xff, 0xfe, 0x7b, 0, 0x7d, 0) });
    expect({ code: run.code, named: run.stderr.includes(run.path) }).toEqual({ code: 1, named: true });
  });

  it('the second of two files: the first stays as well', async () => {
    const run = await refused({ [CONFIG]: '{"a":1}', '.zcode/cli/setting.json': '{' });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('setting.json:1:2');
  });

  it('a broken ovcli.conf', async () => {
    const run = await refused({ '.openviking/ovcli.conf': '{"url": ' });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('ovcli.conf:1:');
  });

  it('a read-only file', () =>
    withHome(async (home) => {
      home.write(CONFIG, '{}', 0o444);
      const run = await installer.run(['--harness', 'zcode', '--home', home.path, '--yes']);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('read-only');
      expect(home.readText(CONFIG)).toBe('{}');
      expect(home.has('.openviking')).toBe(false);
      chmodSync(home.at(CONFIG), 0o644);
    }));

  it('a folder in the place of the file', () =>
    withHome(async (home) => {
      home.makeFolder(CONFIG);
      const run = await installer.run(['--harness', 'zcode', '--home', home.path, '--yes']);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain(home.at(CONFIG));
      expect(home.has('.openviking')).toBe(false);
    }));
});

describe('a mistaken command line ends with 2 and says what to do', () => {
  it.each([
    ['an id that does not exist', ['--harness', 'zcoed'], 'Did you mean "zcode"'],
    ['an id that is known but not built', ['--harness', 'codex'], '"codex" is known but not built yet'],
    ['an alias of one', ['--harness', 'TRAEX'], '"trae-cli" is known but not built yet'],
    ['an empty list', ['--harness', ''], '--harness is empty'],
    ['only commas', ['--harness', ' , ,'], '--harness is empty'],
    ['one of two wrong', ['--harness', 'zcode,emacs'], 'Clients in this release: zcode'],
    ['an unknown option', ['--harnes', 'zcode'], 'There is no option --harnes. Did you mean --harness?'],
    ['a key in the place of an option', ['--sk-abcdefghijklmnopqrstuvwxyz'], 'There is no option --sk-abc…'],
    ['flags that exclude each other', ['--hooks-only', '--mcp-only'], '--hooks-only and --mcp-only exclude each other'],
    ['a list of commands without one', ['--harness', 'claude', '--claude-bin', ' ,'], '--claude-bin names no command'],
    ['an option without value', ['--url'], '--url needs a value'],
    ['a flag with a value', ['--yes=1'], '--yes takes no value'],
    ['an unknown command', ['instal'], 'Did you mean "install"'],
    ['a command of later', ['workspace'], 'known but not built'],
    ['two commands', ['install', '--uninstall'], '--uninstall'],
    ['an action of spool that does not exist', ['spool', 'dorp'], 'Did you mean "drop"'],
    ['spool drop without an id', ['spool', 'drop'], 'spool drop needs the id'],
    ['spool list with an id', ['spool', 'list', 'x'], 'one argument too many'],
    ['an id that is not in the spool', ['spool', 'show', '../../etc/passwd'], 'spool list shows what there is'],
    ['spool with a client', ['spool', '--harness', 'zcode'], '--harness does not belong to spool'],
    ['an option of another command', ['status', '--purge'], '--purge does not belong to status'],
    ['a language that is none', ['--lang', 'fr'], '--lang'],
    ['a home that is none', ['--home', '/no/such/folder'], '/no/such/folder'],
    ['a URL without scheme', ['--harness', 'zcode', '--url', 'localhost:1933'], 'http:// or https://'],
    ['a URL with a space', ['--harness', 'zcode', '--url', 'http://a b'], 'space'],
    ['a URL of the API', ['--harness', 'zcode', '--url', 'http://h:1933/x/api/v1/'], 'Write: http://h:1933/x'],
    ['a URL of the MCP endpoint', ['--harness', 'zcode', '--url', 'http://h:1933/mcp'], 'Write: http://h:1933'],
    ['two keys', ['--harness', 'zcode', '--api-key', 'a', '--api-key-stdin'], 'Only one of'],
    ['a variable that is not set', ['--harness', 'zcode', '--api-key-env', 'NOT_SET'], 'not set'],
    ['local and a URL', ['--harness', 'zcode', '--local', '--url', 'http://h'], '--local'],
  ])('%s', async (_name, args, said) => {
    const run = await installer.run(args);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(said);
    expect(run.stderr).not.toMatch(/^ +at /m);
  });

  it('takes the client in any case', () =>
    withHome(async (home) => {
      const run = await installer.run(['--harness', 'ZCODE, zcode', '--home', home.path, '--dry-run']);
      expect(run.code).toBe(0);
      expect(run.stdout).toContain('Dry run');
      expect(home.has('.zcode')).toBe(false);
    }));

  it('answers with JSON when asked to', async () => {
    const run = await installer.run(['--harness', 'emacs', '--json']);
    expect(JSON.parse(run.stdout)).toMatchObject({ exitCode: 2, error: { code: 'harness/unknown' } });
  });

  it('answers in Chinese when asked to', async () => {
    const run = await installer.run(['--harness', 'emacs', '--lang', 'zh']);
    expect(run.stderr).toContain('没有名为“emacs”的客户端');
  });
});
