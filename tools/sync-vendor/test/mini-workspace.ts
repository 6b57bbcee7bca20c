/** A whole little workspace in a temporary folder: a core with two doors and a harness, so that nothing here depends on the real tree. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface MiniWorkspace {
  readonly root: string;
  write(path: string, text: string): void;
  read(path: string): string;
  remove(): void;
}

export const VENDOR = 'libs/harness-one/vendor/memory-core';

/** Core: `hot` reaches a type, a value and a text file's worth of oddities; `full` reaches more; `island` nothing. */
export function miniWorkspace(): MiniWorkspace {
  const root = mkdtempSync(join(tmpdir(), 'ov-sync-vendor-'));
  const workspace: MiniWorkspace = {
    root,
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  const files: Record<string, string> = {
    'libs/memory-core/package.json': JSON.stringify({
      name: '@openviking/memory-core',
      version: '1.2.3',
      devDependencies: { zod: '^4.0.0', undici: '^7.0.0' },
    }),
    'libs/memory-core/src/hot.ts': [
      "export type * from './contract/event.ts';",
      "export { recall } from './recall/recall.ts';",
      "export const later = () => import('./recall/later.ts');",
      "export type Far = import('./contract/far.ts').Far;",
    ].join('\n'),
    'libs/memory-core/src/full.ts': "export { send } from './http/send.ts';\n",
    'libs/memory-core/src/contract/event.ts':
      "import type { Nested } from './nested.ts';\nexport type Event = Nested;\n",
    'libs/memory-core/src/contract/nested.ts':
      "import type { Event } from './event.ts';\nexport type Nested = Event[];\n",
    'libs/memory-core/src/contract/far.ts': 'export type Far = 1;\n',
    'libs/memory-core/src/recall/recall.ts':
      "import * as z from 'zod/mini';\nimport { join } from 'node:path';\nexport const recall = () => z.string().parse(join('a'));\n",
    'libs/memory-core/src/recall/recall.test.ts': "import { recall } from './recall.ts';\nrecall();\n",
    'libs/memory-core/src/recall/later.ts': 'export const later = 1;\n',
    'libs/memory-core/src/http/send.ts': "import { request } from 'undici';\nexport const send = request;\n",
    'libs/memory-core/src/privacy/island.ts': 'export const island = 1;\n',
    'libs/harness-one/package.json': JSON.stringify({
      name: '@openviking/harness-one',
      openviking: { vendor: ['hot', 'privacy/island.ts'] },
      devDependencies: { zod: '^4.0.0' },
    }),
    'libs/harness-one/src/harness.ts': 'export const one = 1;\n',
    'libs/unrelated/package.json': '{}',
  };
  for (const [path, text] of Object.entries(files)) workspace.write(path, text);
  return workspace;
}
