/**
 * Bundles every entry into one self-contained CommonJS file: a hook is a whole process per event, and one file is the
 * fastest thing Node can start. `filters.cjs` and `proxy.cjs` carry the two heavy libraries and are loaded only when a
 * filter or an HTTP proxy is configured.
 */
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packagePlugin } from './package-plugin.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const payload = join(root, 'dist', 'payload');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

rmSync(join(root, 'dist'), { recursive: true, force: true });
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
  outdir: payload,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20.18',
  format: 'cjs',
  charset: 'utf8',
  legalComments: 'inline',
  mainFields: ['module', 'main'],
  define: { PACKAGE_VERSION: JSON.stringify(version), CRASH_POINTS: 'false' },
  logLevel: 'warning',
});
for (const folder of ['skills', 'commands'])
  cpSync(join(root, 'assets', folder), join(payload, folder), { recursive: true });
packagePlugin();
