/** The two declarations: what each writes where, per system, and how it is known again. */
import { describe, expect, it } from '@jest/globals';
import { parseTree } from 'jsonc-parser';
import { declarations } from '../src/harness.ts';
import { hookFileRules, TRAE_EVENTS } from '../src/config-rules.ts';
import { readableCommand } from '../src/command-line.ts';
import { readTraeHooks } from '../testing/index.ts';
import type { ConfigFile, ConfigNode, HarnessDeclaration, WiringContext } from '../vendor/memory-core/hot.ts';

const [trae, traeCn] = declarations as readonly [HarnessDeclaration, HarnessDeclaration];

const homeOn = (platform: NodeJS.Platform): string => (platform === 'win32' ? 'C:\\Users\\Zhang San' : "/home/o'neil");

function contextOf(
  platform: NodeJS.Platform,
  id: string,
  env: WiringContext['env'] = {},
  home = homeOn(platform),
): WiringContext {
  const launcher =
    platform === 'win32'
      ? `${home}\\.openviking\\agent-integrations\\${id}\\launch.cmd`
      : `${home}/.openviking/agent-integrations/${id}/launch`;
  return { home, platform, env, launcher };
}

const files = (client: HarnessDeclaration, platform: NodeJS.Platform, env: WiringContext['env'] = {}) =>
  client.wiring(contextOf(platform, client.id, env)).files;

function hookFile(client: HarnessDeclaration, platform: NodeJS.Platform): ConfigFile {
  const file = files(client, platform)[0];
  if (file === undefined) throw new Error('no hook file');
  return file;
}

/** The hook file as the operations make it. */
function textOf(file: ConfigFile): string {
  const hooks: Record<string, unknown> = {};
  let version: unknown;
  for (const operation of file.operations) {
    if (operation.kind === 'scalar') version = operation.value;
    if (operation.kind !== 'handler') continue;
    const matcher = operation.matcher === undefined ? {} : { matcher: operation.matcher };
    hooks[operation.path[1] ?? ''] = [{ ...matcher, hooks: [operation.handler] }];
  }
  return JSON.stringify({ version, hooks });
}

describe('the two editions', () => {
  it('differ in id, prefix and places, and in nothing that the client does', () => {
    expect(declarations.map(({ id, sessionPrefix }) => [id, sessionPrefix])).toEqual([
      ['trae', 'tr-'],
      ['trae-cn', 'trcn-'],
    ]);
    const same = ({ events, commitAt, settingDefaults, sessionIdFiller, host, absent }: HarnessDeclaration) => ({
      ...{ events, commitAt, settingDefaults, sessionIdFiller, host, absent },
    });
    expect(same(traeCn)).toEqual(same(trae));
    expect(trae).toMatchObject({ commitAt: 'turn-end', settingDefaults: { commitKeepRecentCount: 0 } });
  });

  it('share no file and recognise nothing of each other', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      const paths = [trae, traeCn].flatMap((client) => files(client, platform).map(({ path }) => path));
      expect(new Set(paths).size).toBe(paths.length);
    }
    const ours = hookFile(trae, 'linux').operations.find(({ kind }) => kind === 'handler');
    if (ours?.kind !== 'handler') throw new Error('no handler');
    expect(hookFile(trae, 'linux').owns(ours.handler)).toBe('current');
    expect(hookFile(traeCn, 'linux').owns(ours.handler)).toBeUndefined();
  });

  it('tell in both languages what only the user can do', () => {
    for (const { trust, name } of declarations) {
      expect(trust?.en).toContain(`${name} runs no hook before you allow it: open Settings → Hooks`);
      expect(trust?.en).toContain('sandbox.json');
      expect(trust?.zh).toContain('设置 → Hooks');
    }
  });
});

describe('places', () => {
  it.each([
    ['darwin', {}, "/home/o'neil/Library/Application Support/Trae CN/User/mcp.json"],
    ['linux', {}, "/home/o'neil/.config/Trae CN/User/mcp.json"],
    ['linux', { XDG_CONFIG_HOME: '/etc/xdg/' }, '/etc/xdg/Trae CN/User/mcp.json'],
    ['win32', {}, 'C:\\Users\\Zhang San\\AppData\\Roaming\\Trae CN\\User\\mcp.json'],
    ['win32', { APPDATA: 'D:\\Data' }, 'D:\\Data\\Trae CN\\User\\mcp.json'],
  ] as const)('of the MCP file on %s with %j', (platform, env, expected) => {
    const [, , editor, solo, unread] = files(traeCn, platform, env);
    expect(editor).toMatchObject({ path: expected, create: 'always' });
    expect(solo).toMatchObject({ path: expected.replace('Trae CN', 'TRAE SOLO CN'), create: 'if-present' });
    expect(unread?.path).toMatch(/\.trae-cn[\\/]mcp\.json$/);
    expect(unread).toMatchObject({ create: 'if-present', operations: [] });
  });

  it('of hooks and skill lie in the folder of the edition', () => {
    const { files: written, owned } = trae.wiring(contextOf('linux', 'trae'));
    expect(written[0]?.path).toBe("/home/o'neil/.trae/hooks.json");
    expect(owned.map(({ to }) => to)).toEqual(["/home/o'neil/.trae/skills/openviking-memory/SKILL.md"]);
    expect(hookFile(traeCn, 'win32').path).toBe('C:\\Users\\Zhang San\\.trae-cn\\hooks.json');
  });
});

it('hooks may write where they keep their state, in the sandbox too', () => {
  for (const [client, platform, value] of [
    [trae, 'linux', "/home/o'neil/.openviking"],
    [traeCn, 'win32', 'C:\\Users\\Zhang San\\.openviking'],
  ] as const) {
    const sandbox = files(client, platform).find(({ path }) => path.endsWith('sandbox.json'));
    expect(sandbox?.operations).toEqual([{ kind: 'item', path: ['filesystem', 'readWrite'], value }]);
    expect(sandbox?.owns(value)).toBe('current');
    expect(sandbox?.owns('~/.openviking')).toBeUndefined();
  }
});

describe('the server', () => {
  function serverIn(platform: NodeJS.Platform, home: string): unknown {
    for (const { operations } of trae.wiring(contextOf(platform, 'trae', {}, home)).files)
      for (const operation of operations) if (operation.kind === 'entry') return operation.value;
    return undefined;
  }

  it('is named by keys that the client documents, and by a command without a blank, which it does not understand', () => {
    const inHome = (home: string): string => `${home}/.openviking/agent-integrations/trae/launch`;
    expect(serverIn('linux', '/home/家')).toEqual({ command: inHome('/home/家'), args: ['mcp-proxy'] });
    expect(serverIn('darwin', '/Volumes/My Disk/u')).toEqual({
      command: '/bin/sh',
      args: [inHome('/Volumes/My Disk/u'), 'mcp-proxy'],
    });
    const launcher = 'C:\\Users\\Zhang San\\.openviking\\agent-integrations\\trae\\launch.cmd';
    expect(serverIn('win32', homeOn('win32'))).toEqual({
      command: 'cmd.exe',
      args: ['/d', '/c', launcher, 'mcp-proxy'],
    });
  });

  it('travels as working directory where cmd.exe would take its path apart', () => {
    expect(serverIn('win32', 'C:\\Users\\A & B')).toEqual({
      command: 'cmd.exe',
      args: ['/d', '/c', '.\\launch.cmd', 'mcp-proxy'],
      cwd: 'C:\\Users\\A & B\\.openviking\\agent-integrations\\trae',
    });
  });
});

describe('the hook file', () => {
  it.each(declarations)('of $id is read whole by the client', (client) => {
    const reading = readTraeHooks(textOf(hookFile(client, 'linux')));
    expect(reading.ignored).toEqual([]);
    expect([...reading.events.keys()]).toEqual(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'Stop']);
    expect(reading.events.get('UserPromptSubmit')).toEqual([
      {
        handlers: [
          {
            command: `'/home/o'\\''neil/.openviking/agent-integrations/${client.id}/launch' user-prompt-submit`,
            timeoutMs: 20_000,
          },
        ],
      },
    ]);
    expect(reading.events.get('PreToolUse')?.[0]?.matcher).toBe('Read|Write|Edit|Glob|Grep|LS|RunCommand');
  });

  it('holds no quote and no path on Windows, where the sandbox splits a line at both', () => {
    const reading = readTraeHooks(textOf(hookFile(trae, 'win32')));
    const command = reading.events.get('Stop')?.[0]?.handlers[0]?.command ?? '';
    expect(command).toMatch(/^powershell\.exe( -\w+)* -EncodedCommand [A-Za-z0-9+/=]+$/);
    expect(readableCommand(command)).toBe("& 'C:/Users/Zhang San/.openviking/agent-integrations/trae/launch.cmd' stop");
  });
});

describe('owns', () => {
  const { owns } = hookFile(trae, 'linux');
  const earlier = (script: string) =>
    `OPENVIKING_INTEGRATION_ID='openviking-memory' OPENVIKING_HOOK_SOURCE='trae' '/usr/bin/node' '/home/u/.openviking/agent-integrations/trae/scripts/${script}.mjs' # openviking-memory`;

  it('knows its own launcher in every form', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      const homes = [homeOn(platform), platform === 'win32' ? 'C:\\A & B' : '/home/a b'];
      for (const file of homes.flatMap((home) => trae.wiring(contextOf(platform, 'trae', {}, home)).files)) {
        for (const operation of file.operations) {
          if (operation.kind === 'handler') expect(file.owns(operation.handler)).toBe('current');
          if (operation.kind === 'entry') expect(file.owns(operation.value, 'openviking')).toBe('current');
        }
      }
    }
  });

  it.each(['session-start', 'trae-hook', 'trae-auto-recall'])('knows a line of the shell installer: %s', (script) => {
    expect(owns({ type: 'command', command: earlier(script), timeout: 60 })).toBe('earlier');
  });

  it('knows the shell installer’s servers, and leaves others alone', () => {
    const proxy = '/home/u/.openviking/agent-integrations/trae/servers/mcp-proxy.mjs';
    expect(owns({ command: '/usr/bin/node', args: [proxy] }, 'openviking')).toBe('earlier');
    expect(owns({ url: 'http://127.0.0.1:1933/mcp' }, 'ov-mcp-server')).toBe('earlier');
    expect(owns({ url: 'https://memory.example.com/mcp' }, 'ov-mcp-server')).toBeUndefined();
    expect(owns({ url: 'http://127.0.0.1:1933/mcp' }, 'mine')).toBeUndefined();
    expect(owns({ type: 'command', command: 'node /home/u/own-hook.mjs' })).toBeUndefined();
    expect(owns('a text')).toBeUndefined();
    expect(
      owns({ command: '/home/u/.openviking/agent-integrations/trae-cn/launch', args: ['mcp-proxy'] }),
    ).toBeUndefined();
  });
});

describe('what the client passes over in its hook file', () => {
  const codes = (text: string) => {
    const root = parseTree(text) as ConfigNode | undefined;
    return hookFileRules({ id: 'trae' })({ ...(root === undefined ? {} : { root }), oddities: [] }).map(
      ({ code }) => code,
    );
  };
  const withHooks = (hooks: unknown, version: unknown = 1) => JSON.stringify({ version, hooks });
  const group = (handler: object) => withHooks({ Stop: [{ hooks: [handler] }] });

  it.each([
    ['another version', withHooks({}, 2), 'trae/version'],
    ['hooks that are a list', withHooks([]), 'trae/hooks-not-object'],
    ['a name from another client', withHooks({ beforeSubmitPrompt: [] }), 'trae/unknown-event'],
    ['an event that it does not have', withHooks({ SessionEnd: [] }), 'trae/unknown-event'],
    ['an event without a list', withHooks({ Stop: {} }), 'trae/bad-value'],
    ['a handler without a group', withHooks({ Stop: [{ command: 'x' }] }), 'trae/bad-group'],
    ['a handler of another kind', group({ type: 'http', command: 'x' }), 'trae/handler-type'],
    ['a handler without a command', group({ type: 'command', command: ' ' }), 'trae/handler-command'],
    ['a handler without time', group({ type: 'command', command: 'x', timeout: 0 }), 'trae/handler-timeout'],
  ])('%s', (_name, text, code) => {
    expect(codes(text)).toEqual([code]);
    // A second reading of the same facts, written apart from this one, agrees.
    expect(readTraeHooks(text).ignored).not.toEqual([]);
  });

  it('nothing in a file with every event, a loop limit and an empty matcher', () => {
    const one = [{ matcher: '', loop_limit: 5, hooks: [{ type: 'command', command: 'x', timeout: 9 }] }];
    const text = withHooks(Object.fromEntries(TRAE_EVENTS.map((event) => [event, one])));
    expect(codes(text)).toEqual([]);
    expect(readTraeHooks(text).ignored).toEqual([]);
    expect(codes('{}')).toEqual([]);
    expect(codes('')).toEqual([]);
  });

  it('nothing where version and type are left out, as the client allows', () => {
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: 'x' }] }] } });
    expect(codes(text)).toEqual([]);
    const { ignored, events } = readTraeHooks(text);
    expect(ignored).toEqual([]);
    expect(events.get('Stop')).toEqual([{ handlers: [{ command: 'x', timeoutMs: 30_000 }] }]);
  });

  it('is told with its place, in both languages', () => {
    const root = parseTree('{"version":1,"hooks":{"stop":[]}}') as ConfigNode;
    expect(hookFileRules({ id: 'trae-cn' })({ root, oddities: [] })).toEqual([
      {
        code: 'trae-cn/unknown-event',
        offset: 22,
        where: 'hooks.stop',
        message: { en: expect.stringContaining('"stop"'), zh: expect.stringContaining('stop') },
        fix: { en: expect.any(String), zh: expect.any(String) },
      },
    ]);
  });
});
