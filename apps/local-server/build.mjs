// One ESM bundle that runs without node_modules: Fastify, the MCP SDK and SQLite's WebAssembly build lie beside it.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LICENCES_NAME, thirdPartyLicences } from '../../tools/bundle-harness/third-party-licences.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const dist = join(folder, 'dist');
mkdirSync(dist, { recursive: true });
for (const name of readdirSync(dist)) if (name.startsWith('.build-')) rmSync(join(dist, name), { recursive: true });
// Built aside and moved in file by file: a server started meanwhile never sees half a bundle.
const fresh = mkdtempSync(join(folder, 'dist', '.build-'));

/** zod carries its messages in 50 languages; ours are read by programs. A sixth of the bundle, and of its start-up time. */
const withoutLocales = {
  name: 'without-locales',
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: 'export {};' }));
  },
};

try {
  const { metafile } = await build({
    metafile: true,
    plugins: [withoutLocales],
    absWorkingDir: folder,
    entryPoints: ['src/main.ts'],
    outfile: join(fresh, 'main.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.18',
    mainFields: ['module', 'main'],
    minify: true,
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
  writeFileSync(join(fresh, LICENCES_NAME), thirdPartyLicences(folder, Object.keys(metafile.inputs)));
  for (const name of ['node-sqlite3-wasm.wasm', 'main.mjs.LEGAL.txt', LICENCES_NAME, 'main.mjs'])
    renameSync(join(fresh, name), join(dist, name));
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
