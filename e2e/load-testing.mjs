/**
 * Lets plain Node programs (demo, benchmarks) use the TypeScript of `@openviking/memory-core/testing`. They must run with
 * `node file.mjs` on a Node that strips no types, and must not carry a second fake client of their own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const TESTING = join(import.meta.dirname, '..', 'libs', 'memory-core', 'testing');

/**
 * Modules of the testing door that work outside of jest.
 *
 * @returns {Promise<typeof import('../libs/memory-core/testing/outside-jest.ts')>}
 */
export async function loadTesting() {
  const folder = mkdtempSync(join(tmpdir(), 'openviking-testing-'));
  try {
    const file = join(folder, 'testing.mjs');
    await bundle('outside-jest.ts', file);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Bundles the stub server as a program of its own into `folder`.
 *
 * @param {string} folder
 * @returns {Promise<string>} Path of the program.
 */
export async function bundleStubServer(folder) {
  const file = join(folder, 'stub-server.mjs');
  await bundle('stub-server-process.ts', file);
  return file;
}

/**
 * @param {string} entry
 * @param {string} outfile
 */
async function bundle(entry, outfile) {
  await build({
    entryPoints: [join(TESTING, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.18',
    format: 'esm',
    logLevel: 'warning',
  });
}
