/**
 * The promise that people let us near their files for: whatever `config.json` looks like, a second run changes nothing and
 * uninstall gives back every byte and permission.
 */
import { chmodSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readZcodeConfig } from '@openviking/harness-zcode/testing';
import { createTemporaryHome, describeDifference, diffTrees, snapshotTree } from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { diffLines } from 'diff';
import { buildInstaller, NO_SERVER } from './support/installer-process.ts';
import type { InstallerProcess } from './support/installer-process.ts';

let installer: InstallerProcess;
beforeAll(() => {
  installer = buildInstaller();
});
afterAll(() => installer.remove());

const CONFIG = '.zcode/cli/config.json';
const USER_HANDLER = { type: 'command', command: 'echo "mine"', timeout: 7 };
const FILLED = {
  zebra: 1,
  hooks: {
    enabled: true,
    events: {
      Stop: [{ hooks: [USER_HANDLER] }],
      UserPromptSubmit: [{ hooks: [USER_HANDLER] }],
      SessionStart: [{ hooks: [USER_HANDLER] }],
      PreToolUse: [{ matcher: 'Bash', hooks: [USER_HANDLER] }],
    },
  },
  mcp: { servers: { other: { type: 'stdio', command: 'x' } } },
  apple: true,
};
const spread = (indent: string | number) => JSON.stringify(FILLED, null, indent);

interface Variant {
  readonly text?: string | Uint8Array;
  readonly mode?: number;
  /** The client refuses the file as it is: the run ends with a warning. */
  readonly refusedByClient?: boolean;
  readonly addsLinesOnly?: boolean;
  readonly arrange?: (home: TemporaryHome) => void;
}

const VARIANTS: Readonly<Record<string, Variant>> = {
  'no file at all': {},
  'empty file': { text: '' },
  'white space only': { text: ' \n\t\r\n' },
  'byte order mark and nothing else': { text: '\uFEFF', refusedByClient: true },
  'empty object': { text: '{}' },
  'empty object with a space, no final newline': { text: '{ }' },
  'empty object over two lines': { text: '{\n}\n' },
  'two spaces': { text: `${spread(2)}\n`, addsLinesOnly: true },
  tabs: { text: `${spread('\t')}\n`, addsLinesOnly: true },
  'four spaces, no final newline': { text: spread(4), addsLinesOnly: true },
  CRLF: { text: `${spread(2).replaceAll('\n', '\r\n')}\r\n`, addsLinesOnly: true },
  'CRLF and tabs, no final newline': { text: spread('\t').replaceAll('\n', '\r\n'), addsLinesOnly: true },
  'one compact line': { text: JSON.stringify(FILLED) },
  'one line with spaces': { text: '{ "a": 1, "hooks": { "events": { "Stop": [] } } }\n' },
  'byte order mark': { text: `\uFEFF${spread(2)}\n`, refusedByClient: true, addsLinesOnly: true },
  'line and block comments': {
    text: '{ // top\n  /* above */\n  "a": 1, // beside\n  "hooks": { // hooks\n    "enabled": true, "events": { }\n  }\n  // end\n}\n',
    refusedByClient: true,
  },
  'a line comment and nothing else': { text: '// mine', refusedByClient: true },
  'comments and nothing else, CRLF': {
    text: '\uFEFF/* mine\r\n   still */\r\n// and this\r\n  ',
    refusedByClient: true,
  },
  'trailing commas': { text: '{\n  "a": [1, 2,],\n  "hooks": {"enabled": true,},\n}\n', refusedByClient: true },
  'mode 0644': { text: spread(2), mode: 0o644 },
  'mode 0600': { text: spread(2), mode: 0o600 },
  'hooks switched off': { text: '{\n  "hooks": {\n    "enabled": false,\n    "timeoutMs": 1000\n  }\n}\n' },
  'hooks without enabled': { text: '{\n  "hooks": {\n    "events": {}\n  }\n}\n' },
  'odd numbers': { text: '{"a":1.0,"b":1e3,"c":12345678901234567890,"d":-0,"e":1E+2}' },
  'duplicate keys': {
    text: '{\n  "a": 1,\n  "hooks": {"enabled": false},\n  "a": 2,\n  "hooks": {"enabled": true}\n}',
  },
  'escaped keys and lone surrogates': { text: '{"h\\u006foks":{"enabled":true},"\\ud800":"\\udc00","é":"\u2028"}' },
  'a group with an empty matcher': {
    text: '{"hooks":{"enabled":true,"events":{"Stop":[{"matcher":"","hooks":[{"type":"command","command":"x"}]}]}}}',
    refusedByClient: true,
  },
  'an unknown event': { text: '{"hooks":{"enabled":true,"events":{"PreCompact":[]}}}', refusedByClient: true },
  'odd indentation': { text: '{\n      "a": 1,\n  "hooks"  :  {\n"enabled" : true }\n}' },
  'link into a dotfiles repository': {
    arrange(home) {
      home.write('dotfiles/zcode.json', spread(2), 0o640);
      mkdirSync(home.at('.zcode/cli'), { recursive: true });
      symlinkSync('../../dotfiles/zcode.json', home.at(CONFIG));
    },
  },
  'dangling link': {
    arrange(home) {
      mkdirSync(home.at('.zcode/cli'), { recursive: true });
      mkdirSync(home.at('dotfiles'));
      symlinkSync('../../dotfiles/zcode.json', home.at(CONFIG));
    },
  },
  'linked folder': {
    arrange(home) {
      home.write('dotfiles/cli/config.json', spread(2));
      mkdirSync(home.at('.zcode'));
      symlinkSync('../dotfiles/cli', home.at('.zcode/cli'));
    },
  },
  'setting.json of the community build too': {
    text: spread(2),
    arrange: (home) => void home.write('.zcode/cli/setting.json', '{"hooks":{"enabled":false}}'),
  },
};

describe.each(Object.entries(VARIANTS))('%s', (_name, variant) => {
  it('is wired, left alone by a second run, and given back to the byte', async () => {
    const home = createTemporaryHome();
    try {
      if (variant.text !== undefined) {
        home.write(CONFIG, variant.text);
        chmodSync(home.at(CONFIG), variant.mode ?? 0o640);
      }
      variant.arrange?.(home);
      const before = snapshotTree(home.path);
      const args = ['--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes'];

      const first = await installer.run(['install', ...args]);
      expect({ code: first.code, err: first.stderr.includes('Error') }).toEqual({ code: 3, err: false });
      const text = home.readText(CONFIG);
      const reading = readZcodeConfig(text);
      if (variant.refusedByClient === true) {
        expect(first.stderr).toContain(`${home.at(CONFIG)}:`);
        expect(reading.kind).not.toBe('read');
      } else {
        expect(first.stderr).not.toContain(`${home.at(CONFIG)}:`);
        expect(reading.kind).toBe('read');
      }
      if (variant.addsLinesOnly === true && typeof variant.text === 'string') {
        expect(diffLines(variant.text, text).filter(({ removed }) => removed)).toEqual([]);
      }
      if (before.get(CONFIG)?.kind === 'link') expect(lstatSync(home.at(CONFIG)).isSymbolicLink()).toBe(true);

      const installed = snapshotTree(home.path);
      const second = await installer.run(['install', ...args]);
      expect(second.code).toBe(3);
      expect(diffTrees(installed, snapshotTree(home.path)).map(describeDifference)).toEqual([]);

      const end = await installer.run(['uninstall', '--harness', 'zcode', '--home', home.path, '--purge', '--yes']);
      expect(end).toMatchObject({ code: 0, stderr: '' });
      expect(diffTrees(before, snapshotTree(home.path)).map(describeDifference)).toEqual([]);
    } finally {
      home.remove();
    }
  });

  it('gives back everything but a later change of the user', async () => {
    const home = createTemporaryHome();
    try {
      if (variant.text !== undefined) home.write(CONFIG, variant.text);
      variant.arrange?.(home);
      const existed = home.has(CONFIG);
      const original = existed ? home.readText(CONFIG) : undefined;
      await installer.run(['install', '--harness', 'zcode', '--home', home.path, '--url', NO_SERVER, '--yes']);
      // A change that any parser forgives, at the very end.
      writeFileSync(home.at(CONFIG), `${readFileSync(home.at(CONFIG), 'utf8')}\n\n`);
      const end = await installer.run(['uninstall', '--harness', 'zcode', '--home', home.path, '--yes']);
      expect(end.code).toBe(0);
      if (original === undefined || !original.includes('{')) {
        // The file held no value of the user's: gone where we made it, an empty object after its comments where it was there.
        const bare = (text: string) => text.replace(/[\uFEFF\s]+/g, '');
        expect(home.has(CONFIG) ? bare(home.readText(CONFIG)) : '{}').toBe(`${bare(original ?? '')}{}`);
      } else {
        expect(home.readText(CONFIG)).toBe(`${original}\n\n`);
      }
      expect(home.has('.openviking/agent-integrations')).toBe(false);
    } finally {
      home.remove();
    }
  });
});
