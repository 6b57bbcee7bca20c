/** What the installer is told to write, for builds with plugins and without, in homes with awkward names. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTemporaryHome, ODD_NAMES } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { declaration } from '../src/harness.ts';
import { readClientHooks, writeClaudePlugin } from '../testing/index.ts';
import type { ConfigFile, ConfigOperation, JsonObject, OwnedFile, WiringContext } from '../vendor/memory-core/hot.ts';

const HOME = "/home/it's 家";
const LAUNCHER = `${HOME}/.openviking/agent-integrations/claude/launch`;
const MARKETPLACE = `${HOME}/.openviking/agent-integrations/claude/marketplace`;
const ENTRIES = [
  'session-start',
  'user-prompt-submit',
  'uri-guard',
  'stop',
  'pre-compact',
  'session-end',
  'subagent-start',
  'subagent-stop',
];

const wiring = (change: Partial<WiringContext> = {}) =>
  declaration.wiring({ home: HOME, platform: 'linux', env: {}, launcher: LAUNCHER, ...change });
const asPlugin = (change: Partial<WiringContext> = {}) => wiring({ pluginCommands: ['claude'], ...change });

function fileAt(files: readonly ConfigFile[], end: string): ConfigFile {
  const file = files.find(({ path }) => path.endsWith(end));
  if (file === undefined) throw new Error(`no ${end}`);
  return file;
}

function written(owned: readonly OwnedFile[], end: string): JsonObject {
  const file = owned.find(({ to }) => to.endsWith(end));
  if (file === undefined || !('content' in file)) throw new Error(`no ${end}`);
  return JSON.parse(file.content) as JsonObject;
}

const places = (operations: readonly ConfigOperation[] = []) => operations.map(({ path }) => path.join('.'));

describe('for a build with plugins', () => {
  it('registers a marketplace that lies where no upgrade moves it', () => {
    const { registration } = asPlugin({ clientVersion: '2.1.332', pluginCommands: ['claude', '/opt/other claude'] });
    expect(registration).toMatchObject({
      plugin: 'openviking-memory',
      marketplace: 'openviking',
      folder: MARKETPLACE,
      commands: ['claude', '/opt/other claude'],
      add: [
        ['plugin', 'marketplace', 'add', MARKETPLACE],
        ['plugin', 'install', 'openviking-memory@openviking'],
      ],
      remove: [
        ['plugin', 'uninstall', 'openviking-memory@openviking'],
        ['plugin', 'marketplace', 'remove', 'openviking'],
      ],
      rewrites: [`${HOME}/.claude/settings.json`],
      leavesBehind: [
        `${HOME}/.claude/plugins/cache/openviking`,
        `${HOME}/.claude/plugins/data/openviking-memory-openviking`,
      ],
    });
    expect(registration?.replaces?.flat()).toContain('claude-code-memory-plugin@openviking-plugins-local');
  });

  it('writes every file of the plugin, and all of them inside the marketplace', () => {
    const { owned } = asPlugin();
    for (const { to, kind } of owned) {
      expect(to.startsWith(`${MARKETPLACE}/`)).toBe(true);
      expect(kind).toBe('plugin');
    }
    const [version] = [written(owned, 'plugin.json')['version']];
    const packageJson = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as JsonObject;
    expect(version).toBe(packageJson['version']);
    const [listed] = written(owned, 'marketplace.json')['plugins'] as readonly JsonObject[];
    expect(listed).toMatchObject({ name: 'openviking-memory', source: './plugins/openviking-memory', version });
    expect(owned.some(({ to }) => to.endsWith('plugins/openviking-memory/commands/ov.md'))).toBe(true);
    // What is copied is part of the payload.
    for (const file of owned) {
      if ('from' in file) expect(existsSync(join(import.meta.dirname, '../assets', file.from))).toBe(true);
    }
  });

  it('has one handler per event, whose line names the launcher and nothing that moves', () => {
    const hooks = written(asPlugin().owned, 'hooks.json')['hooks'] as Record<string, readonly JsonObject[]>;
    const handlers = Object.values(hooks).flatMap((groups) =>
      groups.flatMap((group) => group['hooks'] as readonly JsonObject[]),
    );
    expect(handlers.map((handler) => handler['command'])).toEqual(
      ENTRIES.map((entry) => `'/home/it'\\''s 家/.openviking/agent-integrations/claude/launch' ${entry}`),
    );
    for (const handler of handlers) expect(Object.keys(handler)).toEqual(['type', 'command', 'timeout']);
    expect(hooks['PreToolUse']?.[0]?.['matcher']).toBe('Read|Glob|Grep|Edit|MultiEdit|Write|NotebookEdit|Bash');
    expect(hooks['Stop']?.[0]).not.toHaveProperty('matcher');
  });

  it('writes nothing into the client’s own files, and takes out what older forms left there', () => {
    const { files } = asPlugin();
    for (const file of files) expect([file.create, file.operations]).toEqual(['if-present', []]);
    expect(places(fileAt(files, 'settings.json').withdrawn)).toEqual([
      ...declaration.events.map(({ nativeName }) => `hooks.${nativeName}`),
      'statusLine',
    ]);
    expect(places(fileAt(files, '.claude.json').withdrawn)).toEqual(['mcpServers.openviking']);
  });

  it.each([
    ['hooks', ['hooks.json'], ['.mcp.json', 'SKILL.md', 'ov.md']],
    ['mcp', ['.mcp.json'], ['hooks.json', 'SKILL.md', 'ov.md']],
  ] as const)('with only %s has nothing else in it', (only, has, lacks) => {
    const names = asPlugin({ only }).owned.map(({ to }) => to);
    for (const end of has) expect(names.some((name) => name.endsWith(end))).toBe(true);
    for (const end of lacks) expect(names.some((name) => name.endsWith(end))).toBe(false);
    expect(names.some((name) => name.endsWith('plugin.json'))).toBe(true);
  });

  it('starts the server without a shell, on Windows by its interpreter', () => {
    const server = (change: Partial<WiringContext>) =>
      (written(asPlugin(change).owned, '.mcp.json')['mcpServers'] as JsonObject)['openviking'];
    expect(server({})).toEqual({ type: 'stdio', command: LAUNCHER, args: ['mcp-proxy'] });
    const launcher = 'C:\\Users\\a b\\.openviking\\agent-integrations\\claude\\launch.cmd';
    const windows = { platform: 'win32', home: 'C:\\Users\\a b', launcher } as const;
    expect(server(windows)).toEqual({ type: 'stdio', command: 'cmd.exe', args: ['/d', '/c', launcher, 'mcp-proxy'] });
    const { owned, registration } = asPlugin(windows);
    expect(registration?.folder).toBe('C:\\Users\\a b\\.openviking\\agent-integrations\\claude\\marketplace');
    expect(owned.every(({ to }) => !to.includes('/'))).toBe(true);
    expect(JSON.stringify(written(owned, 'hooks.json'))).toContain(
      "'C:/Users/a b/.openviking/agent-integrations/claude/launch.cmd' stop",
    );
  });
});

describe('for a build without plugins', () => {
  it.each([
    [{}],
    [{ pluginCommands: [] }],
    // It answers `plugin --help` with success, and with the help of the whole program.
    [{ pluginCommands: ['claude'], clientVersion: '1.0.128' }],
    [{ pluginCommands: ['claude'], clientVersion: '2.0.11' }],
  ])('merges hooks and server into its files: %j', (change) => {
    const { files, owned, registration } = wiring(change);
    expect(registration).toBeUndefined();
    const settings = fileAt(files, 'settings.json');
    expect(settings).toMatchObject({ create: 'always', path: `${HOME}/.claude/settings.json` });
    expect(places(settings.operations)).toEqual(declaration.events.map(({ nativeName }) => `hooks.${nativeName}`));
    const [server] = fileAt(files, '.claude.json').operations;
    expect(server).toMatchObject({
      path: ['mcpServers', 'openviking'],
      value: { type: 'stdio', command: LAUNCHER, args: ['mcp-proxy'] },
    });
    expect(owned.map(({ to }) => to)).toEqual([
      `${HOME}/.claude/skills/openviking-memory/SKILL.md`,
      `${HOME}/.claude/commands/ov.md`,
    ]);
  });

  it.each(['2.0.12', '2.1.332', '3.0.0', '2.0.12-beta.1'])('is not what version %s is', (clientVersion) => {
    expect(asPlugin({ clientVersion }).registration).toBeDefined();
  });

  it('does only what is asked for, and withdraws the rest', () => {
    const hooks = wiring({ only: 'hooks' });
    expect(fileAt(hooks.files, '.claude.json')).toMatchObject({ create: 'if-present', operations: [] });
    expect(places(fileAt(hooks.files, '.claude.json').withdrawn)).toEqual(['mcpServers.openviking']);
    const mcp = wiring({ only: 'mcp' });
    expect(fileAt(mcp.files, 'settings.json')).toMatchObject({ create: 'if-present', operations: [] });
    expect(fileAt(mcp.files, 'settings.json').withdrawn?.length).toBeGreaterThan(declaration.events.length);
    for (const { owned } of [hooks, mcp]) expect(owned).toEqual([]);
  });
});

describe('the status line', () => {
  it.each([wiring, asPlugin])('is written where it is wanted, and withdrawn where it is not', (wire) => {
    const wanted = fileAt(wire({ statusLine: true }).files, 'settings.json');
    expect(wanted.create).toBe('always');
    expect(wanted.operations.at(-1)).toMatchObject({
      kind: 'entry',
      path: ['statusLine'],
      value: {
        type: 'command',
        command: `'/home/it'\\''s 家/.openviking/agent-integrations/claude/launch' statusline`,
      },
    });
    expect(places(wanted.withdrawn)).not.toContain('statusLine');
    for (const statusLine of [false, undefined]) {
      const file = fileAt(wire(statusLine === undefined ? {} : { statusLine }).files, 'settings.json');
      expect(places(file.operations)).not.toContain('statusLine');
      expect(places(file.withdrawn)).toContain('statusLine');
    }
  });
});

it('follows CLAUDE_CONFIG_DIR with everything, the state file included', () => {
  const { files, owned } = wiring({ env: { CLAUDE_CONFIG_DIR: '/srv/claude/' } });
  expect(files.map(({ path }) => path)).toEqual(['/srv/claude/settings.json', '/srv/claude/.claude.json']);
  expect(owned.every(({ to }) => to.startsWith('/srv/claude/'))).toBe(true);
  const { registration } = asPlugin({ env: { CLAUDE_CONFIG_DIR: '/srv/claude' } });
  expect(registration?.rewrites).toEqual(['/srv/claude/settings.json']);
  expect(registration?.leavesBehind[0]).toBe('/srv/claude/plugins/cache/openviking');
  expect(wiring({ env: { CLAUDE_CONFIG_DIR: ' ' } }).files[0]?.path).toBe(`${HOME}/.claude/settings.json`);
});

it('reads the version of the client', () => {
  const [probe] = declaration.versionProbes ?? [];
  const pattern = probe?.kind === 'command' ? new RegExp(probe.pattern) : /never/;
  expect(pattern.exec('2.1.332 (Claude Code)\n')?.[1]).toBe('2.1.332');
  expect(pattern.exec('2.2.0-beta.1 (Claude Code)\n')?.[1]).toBe('2.2.0-beta.1');
});

describe('recognises', () => {
  const owns = (value: JsonObject, name?: string) => wiring().files[0]?.owns(value, name);
  it.each([
    [
      'its handler',
      { type: 'command', command: "'/h/.openviking/agent-integrations/claude/launch' stop" },
      undefined,
      'current',
    ],
    [
      'its handler on Windows',
      { command: "'C:/h/.openviking/agent-integrations/claude/launch.cmd' stop" },
      undefined,
      'current',
    ],
    [
      'its server',
      { command: '/h/.openviking/agent-integrations/claude/launch', args: ['mcp-proxy'] },
      'openviking',
      'current',
    ],
    [
      'its server on Windows',
      {
        command: 'cmd.exe',
        args: ['/d', '/c', 'C:\\h\\.openviking\\agent-integrations\\claude\\launch.cmd', 'mcp-proxy'],
      },
      'openviking',
      'current',
    ],
    [
      'its status line',
      { command: "'/h/.openviking/agent-integrations/claude/launch' statusline" },
      'statusLine',
      'current',
    ],
    [
      'a hook of the old plugin',
      { command: 'node "/h/x/claude-code-memory-plugin/scripts/auto-recall.mjs"' },
      undefined,
      'earlier',
    ],
    [
      'a line of the shell installer',
      { command: "OPENVIKING_INTEGRATION_ID='openviking-memory' '/n' '/h/x.mjs' # openviking-memory" },
      undefined,
      'earlier',
    ],
    [
      'the old proxy',
      { command: '/n', args: ['/h/.openviking/memory-plugin-marketplace/plugins/x/servers/mcp-proxy.mjs'] },
      'openviking',
      'earlier',
    ],
    [
      'the old status line',
      { command: 'node /h/.openviking/openviking-memory/scripts/statusline.mjs' },
      'statusLine',
      'earlier',
    ],
    ['an old server entry', { type: 'http', url: 'http://127.0.0.1:1933/mcp' }, 'openviking', 'earlier'],
  ] as const)('%s', (_what, value, name, owner) => {
    expect(owns(value, name)).toBe(owner);
  });

  it.each([
    ['a handler of the user', { type: 'command', command: 'echo openviking-memory' }, undefined],
    ["another client's launcher", { command: '/h/.openviking/agent-integrations/cursor/launch' }, undefined],
    ['a server of the same name elsewhere', { type: 'http', url: 'https://mine/mcp' }, 'openviking'],
    ['the old URL under another name', { url: 'http://127.0.0.1:1933/mcp' }, 'mine'],
    ['a status line of the user', { type: 'command', command: 'node ~/scripts/statusline.mjs' }, 'statusLine'],
    [
      'a launcher that only begins like ours',
      { command: '/h/.openviking/agent-integrations/claude/launch-mine' },
      undefined,
    ],
    ['other settings', { theme: 'dark' }, 'env'],
  ] as const)('not %s', (_what, value, name) => {
    expect(owns(value, name)).toBeUndefined();
  });
});

describe('in a home with an awkward name', () => {
  let home: TemporaryHome | undefined;
  afterEach(() => home?.remove());

  it.each(Object.entries(ODD_NAMES))('starts the launcher of that very home: %s', (_what, name) => {
    home = createTemporaryHome(name);
    writeClaudePlugin({ home: home.path, payloadDir: join(import.meta.dirname, '../assets') });
    const launcher = home.write(
      '.openviking/agent-integrations/claude/launch',
      '#!/bin/sh\nprintf "%s|%s" "$0" "$*"\n',
    );
    chmodSync(launcher, 0o755);
    const { handlers, complaints } = readClientHooks(home.at('.claude'));
    expect(complaints).toEqual([]);
    const lines = [...handlers.values()].flat().map(({ command }) => command);
    expect(lines).toHaveLength(ENTRIES.length);
    const told = lines.map((line) => execFileSync('/bin/sh', ['-c', line], { cwd: dirname(launcher) }).toString());
    expect(told.sort()).toEqual(ENTRIES.map((entry) => `${launcher}|${entry}`).sort());
  });
});
