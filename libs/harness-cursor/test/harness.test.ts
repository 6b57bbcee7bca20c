/**
 * The declaration: what is written where on each system, that the client takes it as it is written, and whose an entry is.
 */
import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { createTemporaryHome, ODD_NAMES } from '@openviking/memory-core/testing';
import { declaration } from '../src/harness.ts';
import { CURSOR_WIRING, readHooksFile } from '../testing/index.ts';
import type { ConfigOperation, JsonObject, JsonValue, WiringContext } from '../vendor/memory-core/hot.ts';

const LAUNCHER = '/home/u/.openviking/agent-integrations/cursor/launch';
const POSIX: WiringContext = { home: '/home/u', platform: 'linux', env: {}, launcher: LAUNCHER };
const WINDOWS: WiringContext = {
  home: String.raw`C:\Users\u`,
  platform: 'win32',
  env: {},
  launcher: String.raw`C:\Users\u\.openviking\agent-integrations\cursor\launch.cmd`,
};

/** The file that the operations make out of nothing. */
function written(operations: readonly ConfigOperation[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const operation of operations) {
    const [last = '', ...above] = [...operation.path].reverse();
    let at = root;
    for (const key of above.reverse()) at = (at[key] ??= {}) as Record<string, unknown>;
    if (operation.kind === 'flat-handler') ((at[last] ??= []) as unknown[]).push(operation.handler);
    else if (operation.kind === 'handler' || operation.kind === 'block') throw new Error('the client knows none');
    else at[last] = operation.value;
  }
  return root;
}

const filesOf = (context: WiringContext) => {
  const [hooks, servers] = declaration.wiring(context).files;
  if (hooks === undefined || servers === undefined) throw new Error('two files');
  return { hooks, servers };
};
const commandsOf = (context: WiringContext): string[] =>
  filesOf(context).hooks.operations.flatMap((operation) =>
    operation.kind === 'flat-handler' ? [String(operation.handler['command'])] : [],
  );

describe('what is written', () => {
  it.each(['editor', 'agent'] as const)('is a hooks.json that the %s reads whole', (program) => {
    const file = JSON.stringify(written(filesOf(POSIX).hooks.operations));
    const reading = readHooksFile(file, program);
    if (reading.kind === 'dropped') throw new Error(reading.reason);
    const read = Object.fromEntries(
      [...reading.hooks].map(([event, hooks]) => [
        event,
        hooks.map(({ command, matcher, timeoutMs }) => ({ command, matcher: matcher?.source, timeoutMs })),
      ]),
    );
    const expected = Object.entries(CURSOR_WIRING).map(([event, { entry, matcher, timeout }]) => [
      event,
      [{ command: `'${LAUNCHER}' ${entry}`, matcher, timeoutMs: timeout * 1000 }],
    ]);
    expect(read).toEqual(Object.fromEntries(expected));
  });

  it('never makes a broken hook stop the user', () => {
    expect(
      JSON.stringify(
        filesOf(POSIX).hooks.operations.map((operation) => ('handler' in operation ? operation.handler : {})),
      ),
    ).not.toContain('failClosed');
  });

  it('starts the MCP server without a shell', () => {
    for (const context of [POSIX, WINDOWS]) {
      expect(written(filesOf(context).servers.operations)).toEqual({
        mcpServers: { openviking: { type: 'stdio', command: context.launcher, args: ['mcp-proxy'] } },
      });
    }
  });

  it('lies in the user’s own folder, or where the environment says', () => {
    const paths = (context: WiringContext) => {
      const { files, owned } = declaration.wiring(context);
      return [...files.map(({ path }) => path), ...owned.map(({ to }) => to)];
    };
    expect(paths(POSIX)).toEqual([
      '/home/u/.cursor/hooks.json',
      '/home/u/.cursor/mcp.json',
      '/home/u/.cursor/skills/openviking-memory/SKILL.md',
    ]);
    expect(paths(WINDOWS)[0]).toBe(String.raw`C:\Users\u\.cursor\hooks.json`);
    expect(paths({ ...POSIX, env: { CURSOR_CONFIG_DIR: '/config/' } })[0]).toBe('/config/hooks.json');
    expect(paths({ ...POSIX, env: { CURSOR_CONFIG_DIR: ' ' } })[0]).toBe('/home/u/.cursor/hooks.json');
  });

  it('calls the launcher on Windows: PowerShell would print a quoted path and count that as a success', () => {
    expect(commandsOf(WINDOWS)[0]).toBe(
      String.raw`& 'C:\Users\u\.openviking\agent-integrations\cursor\launch.cmd' session-start`,
    );
    const odd = String.raw`C:\Users\O'Neil $x\launch.cmd`;
    expect(commandsOf({ ...WINDOWS, launcher: odd })[0]).toBe(
      String.raw`& 'C:\Users\O''Neil $x\launch.cmd' session-start`,
    );
  });

  it.each(Object.entries(ODD_NAMES))(
    'is a command line that the shell takes apart as it was meant: %s',
    (_what, name) => {
      const home = createTemporaryHome(name);
      try {
        const launcher = home.write('launch', '#!/bin/sh\nprintf "%s|" "$0" "$@"\n');
        chmodSync(launcher, 0o755);
        for (const command of commandsOf({ ...POSIX, launcher })) {
          const { stdout } = spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' });
          const entry = /[a-z-]+$/.exec(command)?.[0] ?? '';
          expect(stdout).toBe(`${launcher}|${entry}|`);
        }
      } finally {
        home.remove();
      }
    },
  );
});

describe('whose an entry is', () => {
  const { owns } = filesOf(POSIX).hooks;
  const earlier =
    "OPENVIKING_INTEGRATION_ID='openviking-memory' OPENVIKING_INTEGRATION_VERSION='0.2.1' OPENVIKING_HOOK_SOURCE='cursor' '/usr/bin/node' '/home/u/.openviking/agent-integrations/cursor/scripts/auto-recall.mjs' # openviking-memory";

  it('knows its own, on every system', () => {
    for (const context of [POSIX, WINDOWS]) {
      for (const command of commandsOf(context)) expect(owns({ command, timeout: 90 })).toBe('current');
      const entry = written(filesOf(context).servers.operations)['mcpServers'] as Record<string, JsonObject>;
      expect(owns(entry['openviking'] as JsonValue, 'openviking')).toBe('current');
    }
  });

  it.each<[string, JsonObject, string | undefined]>([
    ['a hook of the shell installer', { command: earlier }, undefined],
    [
      'its proxy',
      { command: '/usr/bin/node', args: ['/home/u/.openviking/agent-integrations/cursor/servers/mcp-proxy.mjs'] },
      'openviking',
    ],
    [
      'its proxy on Windows',
      { command: 'node', args: [String.raw`C:\Users\u\.openviking\agent-integrations\cursor\servers\mcp-proxy.mjs`] },
      'openviking',
    ],
    ['the older server entry', { url: 'http://127.0.0.1:1933/mcp' }, 'ov-mcp-server'],
  ])('knows %s', (_what, value, name) => {
    expect(owns(value, name)).toBe('earlier');
  });

  it.each<[string, JsonValue, string | undefined]>([
    ['a hook of the user', { command: './hooks/audit.sh' }, undefined],
    [
      'a hook that wraps ours for another client',
      { command: "'/home/u/.openviking/agent-integrations/zcode/launch' stop" },
      undefined,
    ],
    [
      'a program with a similar name',
      { command: "'/home/u/.openviking/agent-integrations/cursor/launcher2' stop" },
      undefined,
    ],
    ['a server of that name elsewhere', { url: 'https://memory.example.com/mcp' }, 'ov-mcp-server'],
    ['text', 'openviking', undefined],
    ['nothing', null, undefined],
  ])('leaves %s', (_what, value, name) => {
    expect(owns(value, name)).toBeUndefined();
  });
});

describe('what is declared', () => {
  it('names one entry per event, and the turn’s end before the subagent’s', () => {
    const { events } = declaration;
    expect(new Set(events.map(({ entry }) => entry)).size).toBe(events.length);
    expect(events.find(({ kind }) => kind === 'turn-end')?.entry).toBe('stop');
  });

  it('gives a reason and a source for everything that the client cannot do', () => {
    for (const { reason, source } of declaration.absent) {
      expect(reason).toMatch(/\.$/);
      expect(source).toMatch(/^https:/);
    }
  });
});
