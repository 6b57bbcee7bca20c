#!/usr/bin/env node
/** The same as `nx sync` and `nx sync:check`, without starting Nx: `sync-vendor.mjs [--check] [--root <folder>]`. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { describeDrift, findDrift, mendDrift, outOfStep } from '../src/drift.mjs';
import { filesOnDisk } from '../src/files.mjs';
import { wantedFiles } from '../src/manifest.mjs';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    root: { type: 'string', default: resolve(import.meta.dirname, '../../..') },
  },
});

try {
  const files = filesOnDisk(resolve(values.root));
  const wanted = wantedFiles(files);
  const drift = values.check ? findDrift(files, wanted) : mendDrift(files, wanted);
  for (const line of describeDrift(drift)) console.log(line);
  if (values.check && drift.length > 0) {
    console.error(outOfStep(drift.length));
    process.exitCode = 1;
  } else {
    const count = wanted.reduce((sum, harness) => sum + harness.files.size, 0);
    console.log(`${wanted.length} harness${wanted.length === 1 ? '' : 'es'}, ${count} vendored files in step.`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
