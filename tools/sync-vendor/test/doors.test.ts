import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { filesOnDisk } from '../src/files.mjs';
import { checkDoors, undiciGlobals } from '../src/doors.mjs';
import { miniWorkspace, type MiniWorkspace } from './mini-workspace.ts';

let workspace: MiniWorkspace;
beforeEach(() => {
  workspace = miniWorkspace();
});
afterEach(() => workspace.remove());

const offences = () => checkDoors(filesOnDisk(workspace.root));
const RECALL = 'libs/memory-core/src/recall/recall.ts';

it('holds in this workspace', () => {
  expect(checkDoors(filesOnDisk(resolve(import.meta.dirname, '../../..')))).toEqual([]);
});

describe('the hot door', () => {
  it('is clean with zod/mini, node builtins and type-only imports of anything', () => {
    workspace.write(RECALL, "import type { Dispatcher } from 'undici';\nexport const recall = (d: Dispatcher) => d;\n");
    workspace.write(
      'libs/memory-core/src/contract/event.ts',
      "import type { Z } from 'zod';\nexport type Event = Z;\n",
    );
    workspace.write(
      'libs/harness-one/package.json',
      JSON.stringify({ openviking: { vendor: ['hot'] }, devDependencies: { zod: '^4.0.0', undici: '^7.0.0' } }),
    );
    expect(offences()).toEqual([]);
  });

  it.each([
    ['undici', "import { request } from 'undici';\nexport const recall = request;\n"],
    ['zod', "import { z } from 'zod';\nexport const recall = z;\n"],
    ['re2js', "export const recall = () => import('re2js');\n"],
    ['undici', "import { type Dispatcher } from 'undici';\nexport const recall = (d: Dispatcher) => d;\n"],
    ['execa', "export { execa as recall } from 'execa';\n"],
    [
      'zod',
      "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nexport const recall = require('zod');\n",
    ],
  ])('refuses %s, three files deep', (name, text) => {
    workspace.write('libs/memory-core/src/recall/deep.ts', text);
    workspace.write(RECALL, "export { recall } from './deep.ts';\n");
    expect(offences()).toContainEqual(
      expect.stringMatching(`^libs/memory-core/src/recall/deep.ts: imports ${name}, and the hot door reaches it`),
    );
  });

  it('does not mind what only the full door reaches', () => {
    expect(workspace.read('libs/memory-core/src/http/send.ts')).toContain("'undici'");
    expect(offences()).toEqual([]);
  });

  it('refuses the global fetch behind it, with file and line', () => {
    workspace.write(RECALL, '\nexport const recall = () => fetch("http://127.0.0.1");\n');
    expect(offences()).toContainEqual(
      expect.stringMatching(`^${RECALL}:2: uses the global fetch, and the hot door reaches it`),
    );
  });
});

describe('undiciGlobals', () => {
  const names = (text: string) => undiciGlobals('x.ts', text).map(({ name }) => name);

  it.each([
    ['a call', 'await fetch(url)', ['fetch']],
    ['a reference', 'const go = fetch', ['fetch']],
    ['a shorthand property', 'run({ fetch })', ['fetch']],
    ['through globalThis', 'globalThis.fetch(url)', ['fetch']],
    ['through globalThis although a local has the name', 'const fetch = 1; globalThis.fetch(fetch)', ['fetch']],
    ['by its key in globalThis', "globalThis['fetch'](url)", ['fetch']],
    ['taken from globalThis', 'const { fetch } = globalThis; fetch(url)', ['fetch']],
    ['taken from globalThis under another name', 'const { fetch: go } = globalThis; go(url)', ['fetch']],
    ['a construction', 'new Headers()', ['Headers']],
    ['typeof at run time', 'typeof WebSocket', ['WebSocket']],
    ['a base class', 'class Mine extends Response {}', ['Response']],
    ['a default value', 'function go(run = fetch) {}', ['fetch']],
  ])('finds %s', (_, text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it.each([
    ['a member', 'client.fetch(url)'],
    ['a key', 'const a = { fetch: 1 }'],
    ['a method', 'class A { fetch() {} }'],
    ['a type', 'let a: Response | Headers'],
    ['a type of a value', 'let a: typeof fetch'],
    ['a local function', 'function fetch() {} fetch()'],
    ['an import of that name', "import { fetch } from './mine.ts'; fetch()"],
    ['a parameter', 'const go = (fetch: () => void) => fetch()'],
    ['a renamed binding', 'const { fetch: go } = client; go()'],
    ['a binding', 'const { fetch } = client; fetch()'],
    ['a key of something else', "client['fetch'](url)"],
    ['a local type used as a value elsewhere', 'interface Request { a: 1 } let a: Request'],
    ['a comment or text', '// fetch\nconst a = "fetch"'],
  ])('leaves %s alone', (_, text) => {
    expect(names(text)).toEqual([]);
  });
});

describe('memory-core', () => {
  it.each([
    ['src/recall/recall.ts', "import '@openviking/install';\n"],
    ['src/recall/recall.ts', "import '@openviking/memory-core/full';\n"],
    ['src/log/unreached.ts', "import type { A } from '../../testing/home.ts';\nexport type B = A;\n"],
    ['src/recall/recall.test.ts', "import '../../../harness-one/src/harness.ts';\n"],
    ['testing/home.ts', "import '@openviking/harness-one/harness';\n"],
  ])('imports nothing of ours from outside: %s', (path, text) => {
    workspace.write('libs/memory-core/testing/home.ts', 'export type A = 1;\n');
    workspace.write(`libs/memory-core/${path}`, text);
    const specifier = /'(.*?)'/.exec(text)?.[1];
    // Only a file that no door reaches is left to this rule alone: a package is also undeclared, a path outside has no copy.
    workspace.write('libs/memory-core/src/hot.ts', 'export const a = 1;\n');
    expect(offences()).toEqual([expect.stringContaining(`libs/memory-core/${path}: imports ${specifier}.`)]);
  });

  it('lets tests and the testing door use the package', () => {
    workspace.write('libs/memory-core/testing/home.ts', "export { recall } from '../src/recall/recall.ts';\n");
    workspace.write('libs/memory-core/src/recall/recall.test.ts', "import '../../testing/home.ts';\n");
    expect(offences()).toEqual([]);
  });
});

describe('packages of the vendored files', () => {
  const harness = (devDependencies: Record<string, string>, doors = ['hot', 'full']) =>
    workspace.write(
      'libs/harness-one/package.json',
      JSON.stringify({ openviking: { vendor: doors }, devDependencies }),
    );

  it('must be declared by the harness, in the range of the core', () => {
    harness({ zod: '^3.0.0' });
    expect(offences()).toEqual([
      'libs/harness-one/package.json: has undici not at all; its vendored core needs ^7.0.0.',
      'libs/harness-one/package.json: has zod ^3.0.0; its vendored core needs ^4.0.0.',
    ]);
    harness({ zod: '^4.0.0', undici: '^7.0.0' });
    expect(offences()).toEqual([]);
  });

  it('must be declared by the core', () => {
    harness({ zod: '^4.0.0', 'left-pad': '1' }, ['privacy/island']);
    workspace.write('libs/memory-core/src/privacy/island.ts', "export { a } from 'left-pad/a';\n");
    expect(offences()).toEqual(['libs/memory-core/package.json: does not list left-pad, which its sources import.']);
  });
});
