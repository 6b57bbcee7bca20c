/**
 * Lets plain Node programs (demo, benchmarks) use the TypeScript of the testing doors, of the core and of ZCode. They must
 * run with `node file.mjs` on a Node that strips no types, and must not carry a second fake client of their own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const LIBS = join(import.meta.dirname, '..', 'libs');
const TESTING = join(LIBS, 'memory-core', 'testing');

/** The part of the core's testing door that works outside of jest, under the door's name. */
export const TESTING_OUTSIDE_JEST = { '@openviking/memory-core/testing': join(TESTING, 'outside-jest.ts') };

/**
 * Both doors as one module, with what works outside of jest.
 *
 * @returns {Promise<
 *   typeof import('../libs/memory-core/testing/outside-jest.ts') & typeof import('../libs/harness-zcode/testing/index.ts')
 * >}
 */
export async function loadTesting() {
  const folder = mkdtempSync(join(tmpdir(), 'openviking-testing-'));
  try {
    const file = join(folder, 'testing.mjs');
    await bundle(join(import.meta.dirname, 'testing-doors.ts'), file);
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
  await bundle(join(TESTING, 'stub-server-process.ts'), file);
  return file;
}

/**
 * @param {string} entry
 * @param {string} outfile
 */
async function bundle(entry, outfile) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.18',
    format: 'esm',
    logLevel: 'warning',
    alias: TESTING_OUTSIDE_JEST,
  });
}
