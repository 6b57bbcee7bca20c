/**
 * `npm run fault`: turns through the hooks while the server misbehaves and processes are killed; see README.md in this
 * folder. Exit code 1 when anything was lost, doubled or out of order.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { TESTING_OUTSIDE_JEST } from '../load-testing.mjs';
import { buildTestHooks } from './build-test-hooks.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'openviking-fault-machine-'));
try {
  const program = join(scratch, 'command-line.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'command-line.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    target: 'node20.18',
    format: 'esm',
    logLevel: 'warning',
    alias: TESTING_OUTSIDE_JEST,
  });
  // Of its own: two runs at once, or a build in between, must not pull the bundles from under the hooks.
  const hooks = join(scratch, 'hooks');
  await buildTestHooks(hooks);
  const { runCommandLine } = await import(pathToFileURL(program).href);
  process.exitCode = await runCommandLine(process.argv.slice(2), hooks);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
