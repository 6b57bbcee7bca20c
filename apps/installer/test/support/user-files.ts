/**
 * Files of every client as users have them, and every way of spelling them: what must be there again, to the byte, when we
 * are gone.
 */
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome, TreeSnapshot } from '@openviking/memory-core/testing';

const HANDLER = { type: 'command', command: 'echo "mine"', timeout: 7 };
const GROUPS = [{ hooks: [HANDLER] }];
const MATCHED = [{ matcher: 'Bash', hooks: [HANDLER] }];
const SERVERS = { mcpServers: { other: { command: 'x', args: ['1'] } } };

/** Client → its files and what a user may have in them. */
export const FILES: Readonly<Record<string, Readonly<Record<string, object>>>> = {
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
/** Their clients. */
export const ALL = Object.keys(FILES);

/** A kind of file: how it is spelled, which mode it has, how it lies there. */
export interface Seed {
  /** Undefined: the file is not there. */
  readonly text?: (value: object) => string;
  readonly mode?: number;
  readonly place?: (home: TemporaryHome, path: string, text: string) => void;
}

const spread = (indent: string | number) => (value: object) => JSON.stringify(value, null, indent);
/** As most users have it. */
export const lines = (value: object) => `${spread(2)(value)}\n`;
/** Adds members in front of the others, as they are spelled. */
const withMembers = (members: string) => (value: object) => spread(2)(value).replace('{', `{\n  ${members},`);

export const SEEDS: Readonly<Record<string, Seed>> = {
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
export function seedHome(home: TemporaryHome, { text, mode, place }: Seed, hasPlugins = true): void {
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

/** What differs, without what a client keeps about itself. */
export function differences(before: TreeSnapshot, home: TemporaryHome): readonly string[] {
  const isBookkeeping = (path: string): boolean => /^\.claude(\/plugins.*)?$|\.claude\.json$/.test(path);
  return diffTrees(before, snapshotTree(home.path))
    .filter(({ path }) => !isBookkeeping(path))
    .map(describeDifference);
}
