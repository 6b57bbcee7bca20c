/** How the entries become bundles: said once, for what ships and for the build with crash points that the fault tests run. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));

/** Tells bundles apart: by client, entry and content. */
function stampOf(outdir, name) {
  const hash = createHash('sha256').update(readFileSync(join(outdir, `${name}.main.cjs`)));
  return `zcode-${name}-${hash.digest('hex').slice(0, 16)}`;
}

/** Entries so large that compiling them anew each time counts: `<entry>.cjs` starts `<entry>.main.cjs` from a code cache. */
const CACHED = ['session-start', 'user-prompt-submit', 'stop'];

/**
 * Bundles every entry into one self-contained CommonJS file: a hook is a whole process per event, and one file is the
 * fastest thing Node can start. `filters.cjs` and `proxy.cjs` carry the two heavy libraries and are loaded only when a
 * filter or an HTTP proxy is configured.
 *
 * @param {string} outdir
 * @param {{ crashPoints?: boolean, timeScale?: number }} [test] What only a test build has: processes that can be told to
 *   die at a file operation, and delivery whose pauses and limits are this fraction as long. It has no code cache.
 */
export async function bundleHooks(outdir, { crashPoints = false, timeScale = 1 } = {}) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entry = (name) => join(root, `src/entries/${name}.ts`);
  const cached = crashPoints ? [] : CACHED;
  /** @type {import('esbuild').BuildOptions} */
  const common = {
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20.18',
    format: 'cjs',
    charset: 'utf8',
    legalComments: 'inline',
    mainFields: ['module', 'main'],
    define: {
      PACKAGE_VERSION: JSON.stringify(version),
      CRASH_POINTS: String(crashPoints),
      TIME_SCALE: String(timeScale),
    },
    logLevel: 'warning',
  };
  await build({
    ...common,
    outdir,
    entryPoints: {
      ...Object.fromEntries(CACHED.map((name) => [cached.includes(name) ? `${name}.main` : name, entry(name)])),
      'uri-guard': entry('uri-guard'),
      worker: entry('worker'),
      'mcp-proxy': entry('mcp-proxy'),
      filters: join(root, 'vendor/memory-core/privacy/filters.ts'),
      proxy: join(root, 'vendor/memory-core/http/proxy-dispatch.ts'),
    },
  });
  for (const name of cached) {
    await build({
      ...common,
      outfile: join(outdir, `${name}.cjs`),
      stdin: {
        contents: `import { startCached } from './vendor/memory-core/runtime/start-cached.ts';
          startCached(require('node:path').join(__dirname, '${name}.main.cjs'), '${stampOf(outdir, name)}');`,
        resolveDir: root,
        sourcefile: `${name}.js`,
      },
    });
  }
}
