/**
 * Set-ups in which everything of ours is there and something of the user's keeps it from working, in the clients as they
 * ship: doctor does not say "wired" of them, names the line, and changes nothing that is not its own.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { CLIENTS } from '../src/clients/catalogue.ts';
import { readProjectFiles } from '../src/doctor/snapshot/texts.ts';
import { isOpen } from '../src/doctor/snapshot/permissions.ts';
import { findingsOf } from './support/findings.ts';
import { runInProcess, shippedPayloads } from './support/in-process.ts';
import { NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { Finding } from './support/findings.ts';
import type { Payloads } from './support/in-process.ts';

let shipped: Payloads;
beforeAll(() => {
  shipped = shippedPayloads();
});
afterAll(() => shipped.remove());

type Env = Readonly<Record<string, string>>;
const PATH = { PATH: '/usr/bin:/bin' };

function run(home: TemporaryHome, args: readonly string[], env: Env = {}) {
  return runInProcess(args, { home: home.path, payloadRoot: shipped.folder, env: { ...PATH, ...env } });
}

const doctor = (home: TemporaryHome, env: Env = {}, ...more: readonly string[]) =>
  findingsOf((args) => run(home, args, env), ...more);

type Values = Record<string, never>;
/** A settings file as another program would write it again. */
function change(home: TemporaryHome, path: string, edit: (value: never) => void): void {
  const value = JSON.parse(home.readText(path)) as Values;
  edit(value as never);
  writeFileSync(home.at(path), `${JSON.stringify(value, null, 2)}\n`);
}

interface Groups {
  disableAllHooks?: boolean;
  hooks: Record<string, { matcher?: string; hooks: Record<string, unknown>[] }[]>;
}
interface Servers {
  mcpServers: Record<string, Record<string, unknown>>;
}

const CLAUDE = '.claude/settings.json';
const handler = (event: string, keys: object) => (home: TemporaryHome) =>
  change(home, CLAUDE, ({ hooks }: Groups) => Object.assign(hooks[event]?.[0]?.hooks[0] ?? {}, keys));
const matcher = (event: string, value: string) => (home: TemporaryHome) =>
  change(home, CLAUDE, ({ hooks }: Groups) => Object.assign(hooks[event]?.[0] ?? {}, { matcher: value }));
const server = (file: string) => (home: TemporaryHome) =>
  change(home, file, ({ mcpServers }: Servers) => Object.assign(mcpServers['openviking'] ?? {}, { disabled: true }));

interface Mess {
  readonly name: string;
  readonly client: string;
  readonly code: string;
  readonly file: string;
  readonly says: string;
  readonly breaks: (home: TemporaryHome) => void;
  readonly env?: (home: TemporaryHome) => Env;
  readonly isFixed?: true;
}

const MESSES: readonly Mess[] = [
  {
    name: 'async on the prompt hook',
    client: 'claude',
    code: 'claude/hook-in-background',
    file: CLAUDE,
    says: '"async": true',
    breaks: handler('UserPromptSubmit', { async: true }),
  },
  {
    name: 'asyncRewake on the hook of a turn end',
    client: 'claude',
    code: 'claude/hook-in-background',
    file: CLAUDE,
    says: 'hooks.Stop',
    breaks: handler('Stop', { asyncRewake: true }),
  },
  {
    name: 'a condition on a hook',
    client: 'claude',
    code: 'claude/hook-conditional',
    file: CLAUDE,
    says: '"if": "Bash(git *)"',
    breaks: handler('Stop', { if: 'Bash(git *)' }),
  },
  {
    name: 'a matcher where there was none',
    client: 'claude',
    code: 'claude/matcher-narrowed',
    file: CLAUDE,
    says: '"matcher": "startup"',
    breaks: matcher('SessionStart', 'startup'),
  },
  {
    name: 'a matcher with fewer tools',
    client: 'claude',
    code: 'claude/matcher-narrowed',
    file: CLAUDE,
    says: '"matcher": "Bash"',
    breaks: matcher('PreToolUse', 'Bash'),
  },
  {
    name: 'the switch of all hooks',
    client: 'claude',
    code: 'claude/hooks-disabled',
    file: CLAUDE,
    says: 'disableAllHooks is true',
    breaks: (home) => change(home, CLAUDE, (value: Groups) => (value.disableAllHooks = true)),
  },
  {
    name: 'the server switched off in Claude Code',
    client: 'claude',
    code: 'claude/server-disabled',
    file: '.claude.json',
    says: '"disabled": true',
    breaks: server('.claude.json'),
  },
  {
    name: 'the server switched off in Cursor',
    client: 'cursor',
    code: 'cursor/server-disabled',
    file: '.cursor/mcp.json',
    says: '"disabled": true',
    breaks: server('.cursor/mcp.json'),
  },
  {
    name: 'the server switched off in TRAE',
    client: 'trae',
    code: 'trae/server-disabled',
    file: '.config/Trae/User/mcp.json',
    says: '"disabled": true',
    breaks: server('.config/Trae/User/mcp.json'),
  },
  {
    name: 'hooks that were never allowed in TRAE',
    client: 'trae',
    code: 'trae/hooks-not-allowed',
    file: '',
    says: 'since the installation',
    breaks: (home) =>
      change(home, '.openviking/install/receipts/trae.json', (receipt: { installedAt: string }) => {
        receipt.installedAt = new Date(Date.now() - 50 * 3_600_000).toISOString();
      }),
  },
  {
    name: 'the sandbox of TRAE closed again',
    client: 'trae',
    code: 'trae/sandbox-closed',
    file: '.trae/sandbox.json',
    says: 'store nothing',
    breaks: (home) =>
      change(home, '.trae/sandbox.json', (value: { filesystem: { readWrite: string[] } }) => {
        value.filesystem.readWrite = [];
      }),
    isFixed: true,
  },
  {
    name: 'a variable that names another folder for Claude Code',
    client: 'claude',
    code: 'claude/other-folder',
    file: 'work/settings.json',
    says: 'CLAUDE_CONFIG_DIR makes Claude Code look here now',
    breaks: () => undefined,
    env: (home) => ({ CLAUDE_CONFIG_DIR: home.at('work') }),
  },
  {
    name: 'the folder of Cursor as a link to a disk that is not there',
    client: 'cursor',
    code: 'cursor/link-broken',
    file: '.cursor/hooks.json',
    says: 'dotfiles/cursor, and nothing is there',
    breaks: (home) => {
      renameSync(home.at('.cursor'), home.at('gone'));
      symlinkSync(home.at('dotfiles/cursor'), home.at('.cursor'));
    },
  },
  {
    name: 'a folder in the place of a launcher',
    client: 'cursor',
    code: 'launcher/missing',
    file: '.openviking/agent-integrations/cursor/launch',
    says: 'no file stands in the place',
    breaks: (home) => {
      const launcher = home.at('.openviking/agent-integrations/cursor/launch');
      rmSync(launcher);
      mkdirSync(launcher);
    },
  },
  {
    name: 'a folder in the place of a receipt',
    client: 'cursor',
    code: 'install/broken-receipt',
    file: '.openviking/install/receipts/cursor.json',
    says: 'cannot be read',
    breaks: (home) => {
      const receipt = home.at('.openviking/install/receipts/cursor.json');
      rmSync(receipt);
      mkdirSync(receipt);
    },
  },
];

describe.each(MESSES.map((mess) => [mess.name, mess] as const))('%s', (_name, mess: Mess) => {
  it(`is ${mess.code}, once, and nothing else is made of it`, () =>
    withHome(async (home) => {
      const only = ['--harness', mess.client];
      await run(home, [...only, '--url', NO_SERVER, '--yes']);
      const usual = await doctor(home, {}, ...only);
      expect(usual.map(({ code }) => code)).toContain(`${mess.client}/wired`);
      mess.breaks(home);
      const env = mess.env?.(home) ?? {};
      const findings = await doctor(home, env, ...only);
      const found = findings.filter(({ code }) => code === mess.code);
      expect(found.length).toBe(1);
      const place = mess.file === '' ? undefined : home.at(mess.file);
      expect(found[0]?.file).toBe(place);
      expect(found[0]?.message).toContain(mess.says);
      expect(found[0]?.fix ?? '').not.toBe('');
      if (mess.code.startsWith(`${mess.client}/`) && !mess.code.endsWith('/hooks-not-allowed')) {
        expect(findings.map(({ code }) => code)).not.toContain(`${mess.client}/wired`);
      }
      // What was in order before still is, and nothing is told twice in other words.
      const told = (list: readonly Finding[]) =>
        list.filter(({ severity }) => severity === 'warn' || severity === 'error').map(({ code }) => code);
      const more = told(findings).filter((code) => code !== mess.code && !told(usual).includes(code));
      expect(more).toEqual([]);

      const broken = snapshotTree(home.path);
      await run(home, ['doctor', '--fix', '--yes', ...only], env);
      if (mess.isFixed === true) {
        expect((await doctor(home, env, ...only)).map(({ code }) => code)).not.toContain(mess.code);
      } else if (found.every(({ fixable }) => !fixable)) {
        expect(diffTrees(broken, snapshotTree(home.path))).toEqual([]);
      }
    }));
});

describe('what looks alike and is no trouble', () => {
  it.each([
    ['a matcher where the client passes over it', matcher('UserPromptSubmit', 'nothing')],
    ['a matcher for everything', matcher('SessionStart', '*')],
    ['async that is false', handler('UserPromptSubmit', { async: false })],
    [
      'more tools than ours',
      (home: TemporaryHome) =>
        change(home, CLAUDE, ({ hooks }: Groups) => {
          const group = hooks['PreToolUse']?.[0];
          if (group !== undefined) group.matcher = `${group.matcher ?? ''}|Bash|WebFetch`;
        }),
    ],
  ] as const)('%s: still wired', (_name, breaks) =>
    withHome(async (home) => {
      await run(home, ['--harness', 'claude', '--url', NO_SERVER, '--yes']);
      breaks(home);
      expect((await doctor(home, {}, '--harness', 'claude')).map(({ code }) => code)).toContain('claude/wired');
    }),
  );

  it('a key that ends in a line break of Windows, and a byte order mark in our own file', () =>
    withHome(async (home) => {
      const key = 'sk-test-VerySecret-0123456789';
      await run(home, ['--harness', 'cursor', '--url', NO_SERVER, '--yes']);
      home.write('.openviking/ovcli.conf', `\uFEFF{"url": "${NO_SERVER}",\r\n "api_key": "${key}\\r\\n"}\r\n`, 0o600);
      const findings = await doctor(home);
      expect(JSON.stringify(findings)).not.toContain(key);
      expect(findings.filter(({ code }) => code.startsWith('settings/') || code.startsWith('connection/'))).toEqual([]);
    }));
});

it('a project that switches all hooks off is read as the client declares its files', () =>
  withHome(async (home) => {
    home.makeFolder('project/.git');
    home.makeFolder('project/src');
    home.write('project/.claude/settings.local.json', '{\n  // here not\n  "disableAllHooks": true\n}');
    home.write('project/.claude/settings.json', '{"disableAllHooks": false}');
    home.write('project/.cursor/hooks.json', '{"disableAllHooks": true}');
    const machine = { home: home.path } as Parameters<typeof readProjectFiles>[0];
    const files = readProjectFiles(machine, home.at('project/src'), CLIENTS);
    expect(files.map(({ path, switchedOff }) => [path, switchedOff])).toEqual([
      [home.at('project/.claude/settings.json'), []],
      [home.at('project/.claude/settings.local.json'), [{ client: 'claude', key: 'disableAllHooks', line: 3 }]],
      [home.at('project/.cursor/hooks.json'), []],
    ]);
    expect(readProjectFiles(machine, home.at('project/src'), [])).toEqual([]);
  }));

it.each([
  ['700', false],
  ['755', false],
  ['777', true],
  ['702', true],
  ['770', true],
])('permissions %s of a file whose group others are in: open %p', (mode, expected) => {
  expect(isOpen({ mode: Number.parseInt(mode, 8), uid: 1000, gid: 20 })).toBe(expected);
});

it('a group that is the user’s own may write', () => {
  expect(isOpen({ mode: 0o775, uid: 1000, gid: 1000 })).toBe(false);
  expect(isOpen({ mode: 0o777, uid: 1000, gid: 1000 })).toBe(true);
});

describe('on a narrow terminal without colours', () => {
  it.each([
    ['en', []],
    ['zh', ['--lang', 'zh']],
  ] as const)('%s: no escape sequence, and each finding has its code and its next step', (_language, language) =>
    withHome(async (home) => {
      await run(home, ['--harness', 'claude', '--url', NO_SERVER, '--yes']);
      handler('Stop', { async: true })(home);
      const env = { NO_COLOR: '1', COLUMNS: '40' };
      const { stdout, stderr, code } = await run(home, ['doctor', ...language], env);
      expect(code).toBe(3);
      expect(stdout + stderr).not.toContain('\u001b');
      expect(stdout.replace(/\s+/g, '')).toContain('[claude/hook-in-background]');
      expect(stdout).toContain('->');
    }),
  );
});
