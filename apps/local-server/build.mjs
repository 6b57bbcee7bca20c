// One ESM bundle that runs without node_modules: Fastify, the MCP SDK and SQLite's WebAssembly build lie beside it.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const dist = join(folder, 'dist');
mkdirSync(dist, { recursive: true });
// Built aside and moved in file by file: a server started meanwhile never sees half a bundle.
const fresh = mkdtempSync(join(folder, 'dist', '.build-'));

try {
  await build({
    absWorkingDir: folder,
    entryPoints: ['src/main.ts'],
    outfile: join(fresh, 'main.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.18',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    legalComments: 'linked',
    logLevel: 'warning',
    // CommonJS inside an ES module bundle still asks for these three; node-sqlite3-wasm finds its .wasm by __dirname.
    banner: {
      js: [
        "import { createRequire as ovCreateRequire } from 'node:module';",
        "import { fileURLToPath as ovFileURLToPath } from 'node:url';",
        "import { dirname as ovDirname } from 'node:path';",
        'const require = ovCreateRequire(import.meta.url);',
        'const __filename = ovFileURLToPath(import.meta.url);',
        'const __dirname = ovDirname(__filename);',
      ].join('\n'),
    },
  });
  const sqlite = createRequire(import.meta.url).resolve('node-sqlite3-wasm');
  copyFileSync(join(dirname(sqlite), 'node-sqlite3-wasm.wasm'), join(fresh, 'node-sqlite3-wasm.wasm'));
  for (const name of ['node-sqlite3-wasm.wasm', 'main.mjs.LEGAL.txt', 'main.mjs'])
    renameSync(join(fresh, name), join(dist, name));
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
