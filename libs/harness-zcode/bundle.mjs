/** How the entries become bundles: said once, for what ships and for the build with crash points that the fault tests run. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));

/**
 * Bundles every entry into one self-contained CommonJS file: a hook is a whole process per event, and one file is the
 * fastest thing Node can start. `filters.cjs` and `proxy.cjs` carry the two heavy libraries and are loaded only when a
 * filter or an HTTP proxy is configured.
 *
 * @param {string} outdir
 * @param {{ crashPoints?: boolean, timeScale?: number }} [test] What only a test build has: processes that can be told to
 *   die at a file operation, and delivery whose pauses and limits are this fraction as long.
 */
export async function bundleHooks(outdir, { crashPoints = false, timeScale = 1 } = {}) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  await build({
    entryPoints: {
      'session-start': join(root, 'src/entries/session-start.ts'),
      'user-prompt-submit': join(root, 'src/entries/user-prompt-submit.ts'),
      'uri-guard': join(root, 'src/entries/uri-guard.ts'),
      stop: join(root, 'src/entries/stop.ts'),
      worker: join(root, 'src/entries/worker.ts'),
      'mcp-proxy': join(root, 'src/entries/mcp-proxy.ts'),
      filters: join(root, 'vendor/memory-core/privacy/filters.ts'),
      proxy: join(root, 'vendor/memory-core/http/proxy-dispatch.ts'),
    },
    outdir,
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
  });
}
