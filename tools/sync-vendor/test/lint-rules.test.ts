/** Each restriction of eslint.config.mjs is fired once here: a later block that silently replaces an earlier one fails. */
import { beforeAll, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const IMPORTS = '@typescript-eslint/no-restricted-imports';
const PROPERTIES = 'no-restricted-properties';
const SYNTAX = 'no-restricted-syntax';

/** File, code, the rule that must fire (or `allowed`). */
type Snippet = readonly [path: string, code: string, rule: string];

const write = "import { writeFileSync } from 'node:fs';\nwriteFileSync('a', 'b');\n";
const writeWhole = "import fs from 'node:fs';\nfs.writeFileSync('a', 'b');\n";
const writeStar = "import * as fs from 'node:fs';\nfs.writeFileSync('a', 'b');\n";
const writePromise = "import { writeFile } from 'node:fs/promises';\nawait writeFile('a', 'b');\n";
const writeOld = "import { writeFileSync } from 'fs';\nwriteFileSync('a', 'b');\n";
const writeLazily = "(await import('node:fs')).writeFileSync('a', 'b');\n";
const writeUnseen = "process.getBuiltinModule('node:fs').writeFileSync('a', 'b');\n";
const openToWrite = "import { openSync } from 'node:fs';\nopenSync('a', 'w');\n";
const openToRead = "import { openSync } from 'node:fs';\nopenSync('a', 'r');\n";
const read = "import { readFileSync, type Stats } from 'node:fs';\nexport const a = (_: Stats) => readFileSync('a');\n";
const readType = "import type { WriteStream } from 'node:fs';\nexport type A = WriteStream;\n";
const print = "process.stdout.write('a');\n";
const takeApart = 'export const { stderr } = process;\n';
const leave = 'process.exitCode = 1;\n';
const viaModule = "import { stdin } from 'node:process';\nexport const a = stdin;\n";
const leaveAtOnce = 'process.abort();\n';
const viaGlobal = "globalThis.process.stdout.write('a');\n";
const otherName = 'export const a = process;\n';
const requireAnything = "import { createRequire } from 'node:module';\nexport const a = createRequire('/');\n";
const nameless = 'export default 1;\n';
const environment = 'export const a = process.env;\n';
const log = "console.log('a');\n";
const importing = (specifier: string) => `import { a } from '${specifier}';\nexport const b = a;\n`;

const core = 'libs/memory-core/src/recall/x.ts';
const coreFs = 'libs/memory-core/src/fs/x.ts';
const coreSpool = 'libs/memory-core/src/spool/deep/x.ts';
const coreRuntime = 'libs/memory-core/src/runtime/x.ts';
const coreTest = 'libs/memory-core/src/recall/x.test.ts';
const coreTesting = 'libs/memory-core/testing/x.ts';
const harness = 'libs/harness-zcode/src/x.ts';
const harnessEntry = 'libs/harness-zcode/src/entries/x.ts';
const harnessTest = 'libs/harness-zcode/test/x.test.ts';
const harnessTesting = 'libs/harness-zcode/testing/x.ts';
const harnessTestBeside = 'libs/harness-zcode/src/x.test.ts';
const app = 'apps/installer/src/x.ts';

const snippets: readonly Snippet[] = [
  ...[core, coreRuntime, harness, harnessEntry].flatMap((path): Snippet[] => [
    [path, write, IMPORTS],
    [path, writeWhole, IMPORTS],
    [path, writeStar, IMPORTS],
    [path, writePromise, IMPORTS],
    [path, writeOld, IMPORTS],
    [path, writeLazily, SYNTAX],
    [path, writeUnseen, SYNTAX],
    [path, openToWrite, SYNTAX],
    [path, openToRead, 'allowed'],
    [path, read, 'allowed'],
    [path, readType, 'allowed'],
  ]),
  ...[coreFs, coreSpool, coreTest, coreTesting, harnessTest, harnessTesting, harnessTestBeside, app].flatMap(
    (path): Snippet[] => [
      [path, write, 'allowed'],
      [path, openToWrite, 'allowed'],
    ],
  ),
  ...[core, coreFs, coreSpool, harness, harnessEntry].flatMap((path): Snippet[] => [
    [path, print, PROPERTIES],
    [path, takeApart, PROPERTIES],
    [path, leave, PROPERTIES],
    [path, viaModule, IMPORTS],
    [path, leaveAtOnce, PROPERTIES],
    [path, viaGlobal, SYNTAX],
    [path, otherName, SYNTAX],
    [path, environment, 'allowed'],
  ]),
  ...[core, coreFs, coreRuntime, harness].map((path): Snippet => [path, requireAnything, IMPORTS]),
  ...[core, coreFs, coreRuntime, coreTest, harness, harnessTest, app].map((path): Snippet => [path, nameless, SYNTAX]),
  ...[coreRuntime, coreTest, coreTesting, app].flatMap((path): Snippet[] => [
    [path, print, 'allowed'],
    [path, leave, 'allowed'],
  ]),
  ...[core, coreFs, coreSpool, coreRuntime].flatMap((path): Snippet[] => [
    [path, importing('@openviking/install'), IMPORTS],
    [path, importing('@openviking/memory-core/testing'), IMPORTS],
  ]),
  ...[coreTest, coreTesting].flatMap((path): Snippet[] => [
    [path, importing('@openviking/harness-zcode/harness'), IMPORTS],
    [path, importing('@openviking/memory-core/testing'), 'allowed'],
  ]),
  ...[harness, harnessEntry, harnessTest, harnessTesting, harnessTestBeside].flatMap((path): Snippet[] => [
    [path, importing('@openviking/memory-core/hot'), IMPORTS],
    [path, importing('@openviking/memory-core/full'), IMPORTS],
    [path, importing('@openviking/harness-claude/harness'), IMPORTS],
    [path, importing('@openviking/harness-claude/testing'), IMPORTS],
    [path, importing('@openviking/install'), IMPORTS],
    [path, importing('../../memory-core/src/hot.ts'), IMPORTS],
    [path, importing('../../harness-claude/src/harness.ts'), IMPORTS],
    [path, importing('../vendor/memory-core/hot.ts'), 'allowed'],
    [path, importing('../../vendor/memory-core/contract/event.ts'), 'allowed'],
  ]),
  [harness, importing('@openviking/memory-core/testing'), IMPORTS],
  [harnessTest, importing('@openviking/memory-core/testing'), 'allowed'],
  [harnessTesting, importing('@openviking/memory-core/testing'), 'allowed'],
  [harnessTestBeside, importing('@openviking/memory-core/testing'), 'allowed'],
  [core, log, 'no-console'],
  [coreRuntime, log, 'no-console'],
  [harness, log, 'no-console'],
  [app, log, 'allowed'],
  [core, 'export const a = (b: unknown) => b == 1;\n', 'eqeqeq'],
  [core, "import { A } from './a.ts';\nexport type B = A;\n", '@typescript-eslint/consistent-type-imports'],
];

let messages: string[][];

beforeAll(() => {
  const result = spawnSync(process.execPath, [resolve(import.meta.dirname, 'lint-snippets.mjs')], {
    input: JSON.stringify(snippets.map(([path, code]) => ({ path, code }))),
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(result.stderr).not.toMatch(/Error/);
  messages = JSON.parse(result.stdout.slice(result.stdout.indexOf('[['))) as string[][];
});

it.each(snippets.map(([path, code, rule], index) => [path, code.split('\n', 1)[0], rule, index] as const))(
  '%s: %s → %s',
  (_path, _code, rule, index) => {
    const found = (messages[index] ?? []).filter((message) => !message.startsWith('@nx/'));
    if (rule === 'allowed') expect(found).toEqual([]);
    else expect(found).toContainEqual(expect.stringMatching(`^${rule}: `));
  },
);
