/**
 * Every client beside every kind of file that a user may have: installed, installed again, upgraded, taken out. The figures
 * that it prints are counts of clients whose files were compared byte by byte.
 */
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTemporaryHome, describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';
import { createFakeClaude } from './support/fake-client.ts';
import { laterPayloads, runInProcess, shippedPayloads } from './support/in-process.ts';
import { NO_SERVER } from './support/installer-process.ts';
import { withHome } from './support/scratch.ts';
import type { FakeClaude } from './support/fake-client.ts';
import type { Payloads } from './support/in-process.ts';

let claude: FakeClaude;
let shipped: Payloads;
let later: Payloads;
beforeAll(async () => {
  claude = createFakeClaude();
  shipped = shippedPayloads();
  later = await laterPayloads('99.0.0');
});
afterAll(() => {
  claude.remove();
  shipped.remove();
  later.remove();
  const { seeds, exact, again, upgraded, partial, withoutPlugins } = figures;
  process.stdout.write(
    `matrix: ${seeds} kinds of files x ${ALL.length} clients; byte-exact after uninstall ${exact}, ` +
      `unchanged by a second run ${again}, client files unchanged by an upgrade ${upgraded}, partial writes ${partial}; ` +
      `Claude Code without plugins, byte-exact ${withoutPlugins}\n`,
  );
});

const figures = { seeds: 0, exact: 0, again: 0, upgraded: 0, partial: 0, withoutPlugins: 0 };

const HANDLER = { type: 'command', command: 'echo "mine"', timeout: 7 };
const GROUPS = [{ hooks: [HANDLER] }];
const MATCHED = [{ matcher: 'Bash', hooks: [HANDLER] }];
const SERVERS = { mcpServers: { other: { command: 'x', args: ['1'] } } };

/** Client → its files and what a user may have in them. */
const FILES: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  zcode: {
    '.zcode/cli/config.json': {
      zebra: 1,
      hooks: { enabled: false, events: { Stop: GROUPS, PreToolUse: MATCHED } },
      mcp: { servers: { other: { type: 'stdio', command: 'x' } } },
    },
  },
  claude: {
    '.claude/settings.json': { model: 'opus', hooks: { Stop: GROUPS, PreToolUse: MATCHED }, env: { A: 'b' } },
    '.claude.json': { installs: 1, ...SERVERS },
  },
  cursor: {
    '.cursor/hooks.json': {
      version: 1,
      hooks: { stop: [{ command: 'mine', timeout: 7 }], afterFileEdit: [{ command: 'x' }] },
    },
    '.cursor/mcp.json': SERVERS,
  },
  trae: {
    '.trae/hooks.json': { version: 1, hooks: { Stop: GROUPS, PreToolUse: MATCHED } },
    '.trae/sandbox.json': { filesystem: { readWrite: ['/opt/mine'], readOnly: [] } },
    '.config/Trae/User/mcp.json': SERVERS,
  },
  'trae-cn': {
    '.trae-cn/hooks.json': { version: 1, hooks: { Stop: GROUPS } },
    '.config/Trae CN/User/mcp.json': SERVERS,
  },
};
const ALL = Object.keys(FILES);

interface Seed {
  /** Undefined: the file is not there. */
  readonly text?: (value: object) => string;
  readonly mode?: number;
  readonly place?: (home: TemporaryHome, path: string, text: string) => void;
}

const spread = (indent: string | number) => (value: object) => JSON.stringify(value, null, indent);
const lines = (value: object) => `${spread(2)(value)}\n`;
/** Adds members in front of the others, as they are spelled. */
const withMembers = (members: string) => (value: object) => spread(2)(value).replace('{', `{\n  ${members},`);

const SEEDS: Readonly<Record<string, Seed>> = {
  'no file': {},
  'an empty file': { text: () => '' },
  'white space': { text: () => ' \n\t\r\n' },
  'a byte order mark': { text: () => '\uFEFF' },
  'an empty object': { text: () => '{}' },
  'an empty object with a space': { text: () => '{ }' },
  'an empty object over two lines': { text: () => '{\n}\n' },
  'two spaces': { text: lines },
  'four spaces, no final newline': { text: spread(4) },
  tabs: { text: (value) => `${spread('\t')(value)}\n` },
  'one space': { text: spread(1) },
  CRLF: { text: (value) => lines(value).replaceAll('\n', '\r\n') },
  'CRLF, tabs, no final newline': { text: (value) => spread('\t')(value).replaceAll('\n', '\r\n') },
  'one compact line': { text: (value) => JSON.stringify(value) },
  'one compact line with a newline': { text: (value) => `${JSON.stringify(value)}\n` },
  'one line with spaces': { text: (value) => spread(1)(value).replace(/\n */g, ' ') },
  'byte order mark and content': { text: (value) => `\uFEFF${lines(value)}` },
  'byte order mark and CRLF': { text: (value) => `\uFEFF${lines(value).replaceAll('\n', '\r\n')}` },
  'line comments': { text: (value) => `// mine\n${lines(value).replaceAll(',\n', ', // beside\n')}// end\n` },
  'block comments': { text: (value) => lines(value).replaceAll(',\n', ',\n/* above */\n') },
  'comments and nothing else': { text: () => '// mine\n/* and this */\n' },
  'trailing commas': { text: (value) => lines(value).replace(/\n\}\n$/, ',\n}\n') },
  'mode 0600': { text: lines, mode: 0o600 },
  'mode 0644': { text: lines, mode: 0o644 },
  'mode 0755': { text: lines, mode: 0o755 },
  'odd numbers': { text: withMembers('"a": 1.0, "b": 1e3, "c": 12345678901234567890, "d": -0') },
  'duplicate keys': { text: withMembers('"a": 1,\n  "a": 2') },
  'escaped keys': { text: withMembers('"\\u0061": "\\ud83d\\ude00", "é": "\u2028"') },
  'odd indentation': { text: (value) => spread(2)(value).replaceAll('\n  ', '\n      ').replaceAll(': ', '  :  ') },
  'blank lines': { text: (value) => `\n\n${lines(value).replaceAll(',\n', ',\n\n')}\n\n` },
  'a link into another folder': {
    text: lines,
    place(home, path, text) {
      const target = `dotfiles/${path.replaceAll('/', '_')}`;
      home.write(target, text, 0o640);
      mkdirSync(dirname(home.at(path)), { recursive: true });
      symlinkSync(home.at(target), home.at(path));
    },
  },
  'a dangling link': {
    text: () => '',
    place(home, path) {
      home.makeFolder('dotfiles');
      mkdirSync(dirname(home.at(path)), { recursive: true });
      symlinkSync(home.at(`dotfiles/${path.replaceAll('/', '_')}`), home.at(path));
    },
  },
};

/** `hasPlugins`: a Claude Code of today refuses to start at all where its state is no strict JSON. */
function seedHome(home: TemporaryHome, { text, mode, place }: Seed, hasPlugins = true): void {
  if (text === undefined) return;
  for (const files of Object.values(FILES)) {
    for (const [path, value] of Object.entries(files)) {
      if (hasPlugins && path === '.claude.json' && !isStrict(text(value))) continue;
      if (place !== undefined) {
        place(home, path, text(value));
        continue;
      }
      home.write(path, text(value));
      chmodSync(home.at(path), mode ?? 0o640);
    }
  }
}

function isStrict(text: string): boolean {
  try {
    JSON.parse(text.trim() === '' ? '{}' : text.replace(/^\uFEFF$/, '{}').replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return false;
  }
}

const run = (home: TemporaryHome, args: readonly string[], payloadRoot = shipped.folder) =>
  runInProcess(args, {
    home: home.path,
    payloadRoot,
    env: { PATH: `${claude.folder}:${dirname(process.execPath)}:/usr/bin:/bin` },
  });
const install = (home: TemporaryHome, payloadRoot?: string) =>
  run(home, ['install', '--harness', ALL.join(), '--url', NO_SERVER, '--yes'], payloadRoot);

/** What differs, without what a client keeps about itself. */
function differences(before: TreeSnapshot, home: TemporaryHome): readonly string[] {
  const isBookkeeping = (path: string): boolean => /^\.claude(\/plugins.*)?$|\.claude\.json$/.test(path);
  return diffTrees(before, snapshotTree(home.path))
    .filter(({ path }) => !isBookkeeping(path))
    .map(describeDifference);
}

/** Clients whose own files are named by none of the differences. */
function untouched(found: readonly string[]): readonly string[] {
  return ALL.filter((client) => !Object.keys(FILES[client] ?? {}).some((path) => found.join('\n').includes(path)));
}

describe.each(Object.entries(SEEDS))('%s', (_name, seed) => {
  it('is wired, left alone by a second run, untouched by an upgrade, and given back to the byte', async () => {
    const home = createTemporaryHome();
    try {
      seedHome(home, seed);
      figures.seeds += 1;
      const before = snapshotTree(home.path);
      const first = await install(home);
      expect({ code: first.code, errors: first.stderr.match(/^Error.*/m)?.[0] }).toEqual({
        code: 3,
        errors: undefined,
      });
      const installed = snapshotTree(home.path);
      for (const path of ['.zcode/cli/config.json', '.cursor/hooks.json', '.trae/hooks.json', '.trae-cn/hooks.json']) {
        expect(home.readText(path)).toContain('/agent-integrations/');
      }
      expect(home.readText('.claude/settings.json')).toContain('openviking-memory@openviking');
      figures.partial += [...installed.keys()].filter((path) => path.includes('.ov-')).length;

      await install(home);
      const second = diffTrees(installed, snapshotTree(home.path)).map(describeDifference);
      expect(second).toEqual([]);
      figures.again += untouched(second).length;

      expect((await install(home, later.folder)).code).toBe(3);
      const third = diffTrees(installed, snapshotTree(home.path))
        .map(describeDifference)
        .filter((line) => !/\.openviking|\/skills\/|\.claude\/plugins/.test(line));
      expect(third).toEqual([]);
      figures.upgraded += untouched(third).length;

      const end = await run(home, ['uninstall', '--all', '--purge', '--yes']);
      expect(end).toMatchObject({ code: 0, stderr: '' });
      const last = differences(before, home);
      expect(last).toEqual([]);
      // The client's own state, which it writes at every start: nothing of ours has ever been in it.
      expect(home.has('.claude.json') ? home.readText('.claude.json') : '').not.toContain('openviking');
      figures.exact += untouched(last).length;
    } finally {
      home.remove();
    }
  });
});

describe.each(Object.entries(SEEDS))('%s, for a Claude Code without plugins', (_name, seed) => {
  it('is wired, left alone by a second run, and given back to the byte', async () => {
    claude.behave({ hasPlugins: false, version: '1.0.90' });
    const home = createTemporaryHome();
    try {
      seedHome(home, seed, false);
      const before = snapshotTree(home.path);
      const wire = ['install', '--harness', 'claude', '--url', NO_SERVER, '--yes'];
      expect((await run(home, wire)).code).toBe(3);
      for (const path of ['.claude/settings.json', '.claude.json']) {
        expect(home.readText(path)).toContain('/agent-integrations/claude/launch');
      }
      const installed = snapshotTree(home.path);
      await run(home, wire);
      expect(diffTrees(installed, snapshotTree(home.path))).toEqual([]);
      expect((await run(home, ['uninstall', '--all', '--purge', '--yes'])).code).toBe(0);
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
      figures.withoutPlugins += 1;
    } finally {
      home.remove();
      claude.behave({});
    }
  });
});

it('covers at least thirty kinds of files and five clients', () => {
  expect([Object.keys(SEEDS).length >= 30, ALL.length]).toEqual([true, 5]);
});

describe('one file of a client broken', () => {
  it.each(
    Object.entries(FILES).flatMap(([client, files]) => Object.keys(files).map((path) => [client, path] as const)),
  )('%s: with %s cut off, no file of that client is written, and with --keep-going the others are', (client, broken) =>
    withHome(async (home) => {
      seedHome(home, { text: lines });
      home.write(broken, '{"a": [1,');
      const before = snapshotTree(home.path);
      const refused = await install(home);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`${home.at(broken)}:1:`);
      expect(diffTrees(before, snapshotTree(home.path))).toEqual([]);

      const run2 = await run(home, ['install', '--harness', ALL.join(), '--url', NO_SERVER, '--yes', '--keep-going']);
      expect(run2.code).toBe(3);
      const changed = diffTrees(before, snapshotTree(home.path)).map(describeDifference).join('\n');
      for (const path of Object.keys(FILES[client] ?? {})) expect(changed).not.toContain(`${path} `);
      expect(untouched(changed.split('\n'))).toEqual([client]);
    }),
  );
});

describe('taken out one by one', () => {
  const ORDERS = [
    ['zcode', 'claude', 'cursor', 'trae', 'trae-cn'],
    ['trae-cn', 'trae', 'cursor', 'claude', 'zcode'],
    ['cursor', 'trae-cn', 'zcode', 'trae', 'claude'],
    ['claude', 'trae', 'zcode', 'trae-cn', 'cursor'],
    ['trae', 'zcode', 'claude', 'cursor', 'trae-cn'],
  ];
  const SEED_NAMES = ['no file', 'tabs'];

  it.each(ORDERS.flatMap((order) => SEED_NAMES.map((name) => [order.join(' '), name] as const)))(
    '%s, on a home with %s: each leaves the others wired, and the last leaves nothing',
    (order, name) =>
      withHome(async (home) => {
        seedHome(home, SEEDS[name] ?? {});
        const before = snapshotTree(home.path);
        await install(home);
        const installed = snapshotTree(home.path);
        const gone: string[] = [];
        for (const client of order.split(' ')) {
          const end = await run(home, ['uninstall', '--harness', client, '--purge', '--yes']);
          expect(end.code).toBe(0);
          gone.push(client);
          const now = snapshotTree(home.path);
          for (const [id, files] of Object.entries(FILES)) {
            for (const path of Object.keys(files).filter((file) => file !== '.claude.json')) {
              const wanted = gone.includes(id) ? before : installed;
              expect([path, now.get(path)]).toEqual([path, wanted.get(path)]);
            }
          }
        }
        expect(differences(before, home)).toEqual([]);
      }),
  );

  it.each([['zcode,cursor'], ['claude,trae'], ['trae,trae-cn'], ['cursor,claude,zcode'], ['trae-cn']])(
    '%s taken out together: the others stay as they were, and can be installed again',
    (subset) =>
      withHome(async (home) => {
        seedHome(home, { text: lines });
        const before = snapshotTree(home.path);
        await install(home);
        const installed = snapshotTree(home.path);
        await run(home, ['uninstall', '--harness', subset, '--yes']);
        const now = snapshotTree(home.path);
        for (const [id, files] of Object.entries(FILES)) {
          for (const path of Object.keys(files)) {
            const wanted = subset.split(',').includes(id) ? before : installed;
            expect([path, now.get(path)]).toEqual([path, wanted.get(path)]);
          }
        }
        await install(home);
        expect(untouched(diffTrees(installed, snapshotTree(home.path)).map(describeDifference))).toEqual(ALL);
        await run(home, ['uninstall', '--all', '--purge', '--yes']);
        expect(differences(before, home)).toEqual([]);
      }),
  );
});
