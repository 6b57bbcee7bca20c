/** The command line of the tool as a function, so that it can be run without a process of its own. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { describeDrift, findDrift, mendDrift, outOfStep } from './drift.mjs';
import { filesOnDisk } from './files.mjs';
import { wantedFiles } from './manifest.mjs';

/**
 * `[--check] [--root <folder>]`.
 *
 * @param {string[]} args
 * @param {(line: string) => void} print
 * @returns {number} Exit code: 0 in step, 1 out of step or impossible.
 */
export function syncVendorCommand(args, print) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        check: { type: 'boolean', default: false },
        root: { type: 'string', default: resolve(import.meta.dirname, '../../..') },
      },
    });
    const files = filesOnDisk(resolve(values.root));
    const wanted = wantedFiles(files);
    const drift = values.check ? findDrift(files, wanted) : mendDrift(files, wanted);
    for (const line of describeDrift(drift)) print(line);
    if (values.check && drift.length > 0) {
      print(outOfStep(drift.length));
      return 1;
    }
    const count = wanted.reduce((sum, harness) => sum + harness.files.size, 0);
    print(`${wanted.length} harness${wanted.length === 1 ? '' : 'es'}, ${count} vendored files in step.`);
    return 0;
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    return 1;
  }
}
