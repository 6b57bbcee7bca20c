/**
 * The rules of ZCode's own configuration file, and the declaration that has to obey them. Every fact is from a run of the
 * client's public schema: what drops the whole file, and what survives.
 */
import { describe, expect, it } from '@jest/globals';
import { createScanner, parseTree } from 'jsonc-parser';
import { readZcodeConfig } from '../testing/index.ts';
import { checkZcodeConfig, ZCODE_EVENTS } from '../src/config-rules.ts';
import { declaration } from '../src/harness.ts';
import type { ConfigDocument, ConfigNode, ConfigOperation, JsonObject, JsonValue } from '../vendor/memory-core/hot.ts';

/** Comments, as the scanner of the parser numbers them. */
const COMMENTS = new Set([12, 13]);

/** A document as the installer hands it over. */
function documentOf(text: string): ConfigDocument {
  const plain = text.replace(/^\uFEFF/, ' ');
  const root = parseTree(plain, [], { allowTrailingComma: true, allowEmptyContent: true }) as ConfigNode | undefined;
  const oddities: ConfigDocument['oddities'][number][] = [];
  if (plain !== text) oddities.push({ kind: 'byte-order-mark', offset: 0 });
  const scanner = createScanner(plain, false);
  for (let token: number = scanner.scan(); token !== 17; token = scanner.scan()) {
    if (COMMENTS.has(token)) oddities.push({ kind: 'comment', offset: scanner.getTokenOffset() });
  }
  const comma = /,\s*[\]}]/.exec(plain);
  if (comma !== null) oddities.push({ kind: 'trailing-comma', offset: comma.index });
  if (root === undefined) oddities.push({ kind: 'empty', offset: 0 });
  return { ...(root === undefined ? {} : { root }), oddities };
}

const codesOf = (text: string) => checkZcodeConfig(documentOf(text)).map(({ code }) => code);
const events = (value: JsonValue) => JSON.stringify({ hooks: { enabled: true, events: value } });
const handler = (change: object) => events({ Stop: [{ hooks: [{ type: 'command', command: 'x', ...change }] }] });

describe('what drops the whole file', () => {
  it.each([
    [
      'an empty matcher',
      events({ Stop: [{ matcher: '', hooks: [{ type: 'command', command: 'x' }] }] }),
      'zcode/empty-matcher',
    ],
    [
      'a null matcher',
      events({ Stop: [{ matcher: null, hooks: [{ type: 'command', command: 'x' }] }] }),
      'zcode/empty-matcher',
    ],
    ['an unknown event', events({ PreCompact: [] }), 'zcode/unknown-event'],
    ['an unknown key in hooks', '{"hooks":{"mine":1}}', 'zcode/unknown-key'],
    [
      'an unknown key in a group',
      events({ Stop: [{ id: 1, hooks: [{ type: 'command', command: 'x' }] }] }),
      'zcode/unknown-key',
    ],
    ['a group without handlers', events({ Stop: [{ hooks: [] }] }), 'zcode/empty-group'],
    ['a handler without type', events({ Stop: [{ hooks: [{ command: 'x' }] }] }), 'zcode/handler-type'],
    ['an empty command', handler({ command: '' }), 'zcode/handler-command'],
    ['a timeout of 0', handler({ timeout: 0 }), 'zcode/handler-timeout'],
    ['a timeout that is text', handler({ timeoutMs: '5' }), 'zcode/handler-timeout'],
    ['an empty status message', handler({ statusMessage: '' }), 'zcode/bad-value'],
    ['hooks null', '{"hooks":null}', 'zcode/hooks-not-object'],
    ['events null', '{"hooks":{"events":null}}', 'zcode/events-not-object'],
    ['a byte order mark', '\uFEFF{}', 'zcode/byte-order-mark'],
    ['a comment', '{} // x', 'zcode/comment'],
    ['a trailing comma', '{"a":1,}', 'zcode/trailing-comma'],
    ['an empty file', '', 'zcode/empty'],
    ['a locale that it does not know', '{"ui":{"locale":"fr"}}', 'zcode/bad-value'],
    ['a log level that it does not know', '{"logging":{"level":"trace"}}', 'zcode/bad-value'],
  ])('%s', (_name, text, code) => {
    expect(codesOf(text)).toEqual([code]);
    // A second reading of the same facts, written apart from this one, agrees.
    expect(readZcodeConfig(text).kind).not.toBe('read');
  });

  it('the last of two keys of one name counts, as for JSON.parse', () => {
    expect(codesOf('{"hooks":null,"hooks":{}}')).toEqual([]);
    expect(codesOf('{"hooks":{},"hooks":null}')).toEqual(['zcode/hooks-not-object']);
  });

  it('is told with its place, in both languages', () => {
    const text = '{"hooks":{"events":{"Stop":[{"matcher":"","hooks":[{"type":"command","command":"x"}]}]}}}';
    const [found] = checkZcodeConfig(documentOf(text));
    expect(found).toMatchObject({ where: 'hooks.events.Stop[0].matcher', offset: text.indexOf('"matcher"') });
    expect(found?.message.en).toContain('ignores the whole file');
    expect(found?.message.zh).toMatch(/\p{Script=Han}/u);
  });
});

describe('what survives', () => {
  it.each([
    ['an unknown key in a handler', handler({ managedBy: 'x' })],
    ['unknown keys at the top', '{"$schema":"x","mine":{"hooks":null}}'],
    ['a matcher for everything', events({ Stop: [{ matcher: '*', hooks: [{ type: 'process', command: 'x' }] }] })],
    ['an event with an empty list', events({ Stop: [] })],
    ['an MCP entry that is wrong', '{"mcp":{"servers":{"a":{"command":1}}}}'],
    ['every event of the client', events(Object.fromEntries(ZCODE_EVENTS.map((name) => [name, []])))],
  ])('%s', (_name, text) => {
    expect(codesOf(text)).toEqual([]);
    expect(readZcodeConfig(text).kind).toBe('read');
  });

  it('servers as a list lose all servers, but not the file', () => {
    expect(codesOf('{"mcp":{"servers":[]}}')).toEqual(['zcode/servers-list']);
    expect(readZcodeConfig('{"mcp":{"servers":[]}}').kind).toBe('read');
  });
});

describe('the declaration', () => {
  const launcher = "/home/it's 家/.openviking/agent-integrations/zcode/launch";
  const wiring = (change: Partial<Parameters<typeof declaration.wiring>[0]> = {}) =>
    declaration.wiring({ home: "/home/it's 家", platform: 'linux', env: {}, launcher, ...change });
  const handlers = (operations: readonly ConfigOperation[]) =>
    operations.flatMap((operation) =>
      operation.kind === 'handler' ? [[operation.path.at(-1), operation.handler] as const] : [],
    );
  const server = (operations: readonly ConfigOperation[]) =>
    operations.flatMap((operation) => (operation.kind === 'entry' ? [operation.value] : []))[0];

  it('always merges config.json, and setting.json only where it is there already', () => {
    expect(wiring().files.map(({ path, create }) => [path, create])).toEqual([
      ["/home/it's 家/.zcode/cli/config.json", 'always'],
      ["/home/it's 家/.zcode/cli/setting.json", 'if-present'],
    ]);
    expect(wiring({ env: { ZCODE_CLI_SETTINGS_FILE: '/x/s.json' } }).files[1]?.path).toBe('/x/s.json');
    expect(wiring({ platform: 'win32', home: 'C:\\Users\\a b' }).files[0]?.path).toBe(
      'C:\\Users\\a b\\.zcode\\cli\\config.json',
    );
  });

  it.each([
    [undefined, 'command'],
    ['0.16.5', 'command'],
    ['0.16.9-beta.1', 'command'],
    ['0.16.9', 'process'],
    ['0.17.0', 'process'],
    ['1.0.0', 'process'],
  ])('a runtime %s gets handlers of type %s', (clientVersion, type) => {
    const { files } = wiring(clientVersion === undefined ? {} : { clientVersion });
    const all = handlers(files[0]?.operations ?? []);
    expect(all.map(([event]) => event)).toEqual(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'Stop']);
    for (const [, value] of all) expect(value).toMatchObject({ type, managedBy: 'openviking-memory' });
  });

  it('states timeouts in the unit of each form', () => {
    const seconds = handlers(wiring().files[0]?.operations ?? []).map(([, value]) => value['timeout']);
    expect(seconds).toEqual([30, 20, 5, 30]);
    const operations = wiring({ clientVersion: '0.16.9' }).files[0]?.operations ?? [];
    expect(handlers(operations).map(([, value]) => value['timeoutMs'])).toEqual([30000, 20000, 5000, 30000]);
  });

  it('keeps paths off the command line of Windows servers, and away from quoting in process handlers', () => {
    const windows =
      wiring({ platform: 'win32', launcher: 'C:\\a & b\\launch.cmd', clientVersion: '0.17.0' }).files[0]?.operations ??
      [];
    expect(handlers(windows)[3]?.[1]).toMatchObject({ type: 'command', command: '"C:\\a & b\\launch.cmd" stop' });
    expect(server(windows)).toMatchObject({
      command: 'cmd.exe',
      args: ['/d', '/c', '.\\launch.cmd', 'mcp-proxy'],
      cwd: 'C:\\a & b',
    });
    const process = wiring({ clientVersion: '0.17.0' }).files[0]?.operations ?? [];
    expect(handlers(process)[3]?.[1]).toMatchObject({ command: launcher, args: ['stop'] });
  });

  it('writes nothing that the client refuses', () => {
    for (const clientVersion of [undefined, '0.17.0']) {
      const { files } = wiring(clientVersion === undefined ? {} : { clientVersion });
      const written: Record<string, JsonValue> = {};
      for (const operation of files[0]?.operations ?? []) {
        if (operation.kind !== 'handler') continue;
        const { matcher } = operation;
        written[operation.path.at(-1) ?? ''] = [
          { ...(matcher === undefined ? {} : { matcher }), hooks: [operation.handler] },
        ];
      }
      expect(codesOf(events(written))).toEqual([]);
      expect(readZcodeConfig(events(written)).kind).toBe('read');
    }
  });

  describe('recognises', () => {
    const owns = (value: JsonObject, name?: string) => wiring().files[0]?.owns(value, name);
    it.each([
      [
        'its handler',
        { type: 'command', command: "'/h/.openviking/agent-integrations/zcode/launch' stop" },
        undefined,
        'current',
      ],
      [
        'its process handler',
        { command: '/h/.openviking/agent-integrations/zcode/launch', args: ['stop'] },
        undefined,
        'current',
      ],
      [
        'its handler on Windows',
        { command: '"C:\\h\\.openviking\\agent-integrations\\zcode\\launch.cmd" stop' },
        undefined,
        'current',
      ],
      [
        'its server on Windows',
        { command: 'cmd.exe', args: ['/d'], cwd: 'C:\\h\\.openviking\\agent-integrations\\zcode' },
        'openviking',
        'current',
      ],
      ['its mark alone', { command: 'x', managedBy: 'openviking-memory' }, undefined, 'current'],
      [
        'a line of the shell installer',
        { command: "OPENVIKING_INTEGRATION_ID='openviking-memory' '/n' '/h/x.mjs' # openviking-memory" },
        undefined,
        'earlier',
      ],
      [
        'its script',
        { command: "node '/h/.openviking/agent-integrations/zcode/scripts/zcode-hook.mjs'" },
        undefined,
        'earlier',
      ],
      [
        'its proxy',
        { command: '/n', args: ['/h/.openviking/agent-integrations/zcode/servers/mcp-proxy.mjs'] },
        'openviking',
        'earlier',
      ],
      ['its local server entry', { url: 'http://localhost:1933/mcp' }, 'ov-mcp-server', 'earlier'],
      ['its cloud entry', { url: 'https://api.example.com/openviking/mcp' }, 'ov-mcp-server', 'earlier'],
    ])('%s', (_what, value, name, owner) => {
      expect(owns(value, name)).toBe(owner);
    });

    it.each([
      ['a handler of the user', { type: 'command', command: 'echo openviking' }, undefined],
      ["another client's launcher", { command: '/h/.openviking/agent-integrations/cursor/launch' }, undefined],
      ['a server of the same name elsewhere', { url: 'https://mine/mcp' }, 'openviking'],
      ['ov-mcp-server on another port', { url: 'http://127.0.0.1:1934/mcp' }, 'ov-mcp-server'],
      ['the old URL under another name', { url: 'http://127.0.0.1:1933/mcp' }, 'mine'],
      [
        'a launcher that only begins like ours',
        { command: '/h/.openviking/agent-integrations/zcode/launch-mine' },
        undefined,
      ],
    ])('not %s', (_what, value, name) => {
      expect(owns(value, name)).toBeUndefined();
    });
  });
});
