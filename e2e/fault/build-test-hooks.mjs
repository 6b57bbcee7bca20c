/**
 * Bundles the hooks for the fault tests: the product's sources and options, but with file operations at which a process
 * can be told to die, and with delivery that waits a fraction as long. Never into `dist/` of the harness: this must not ship.
 *
 * As a program: `node e2e/fault/build-test-hooks.mjs <folder> [a fraction as long: 25 by default]`.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { bundleHarness } from '../../tools/bundle-harness/bundle-harness.mjs';

/** The fault machine is about the core: one client stands for all. */
const HARNESS = join(import.meta.dirname, '../../libs/harness-zcode');

/** Pauses of 1 s…5 min become 40 ms…12 s, a request may take 600 ms, a worker stays for 2.4 s. */
const FRACTION = 25;

/** @param {string} folder */
export function buildTestHooks(folder, fraction = FRACTION) {
  return bundleHarness(HARNESS, folder, { crashPoints: true, timeScale: 1 / fraction });
}

const [program = '', folder, fraction] = process.argv.slice(1);
if (realpathSync(program) === import.meta.filename) {
  if (folder === undefined) throw new Error('Say where to: node e2e/fault/build-test-hooks.mjs <folder> [fraction]');
  await buildTestHooks(folder, fraction === undefined ? FRACTION : Number(fraction));
}
