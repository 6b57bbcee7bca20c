#!/usr/bin/env node
/** Fails when a changed package has no changeset: `check-changesets.mjs [<ref>] [--root <folder>]`, ref `origin/main`. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { uncoveredPackages } from '../src/changesets.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { root: { type: 'string', default: resolve(import.meta.dirname, '../../..') } },
});
const ref = positionals[0] ?? 'origin/main';
const uncovered = await uncoveredPackages(resolve(values.root), ref);
if (uncovered === undefined) {
  console.log(`There is no ${ref} with a commit in common: nothing to compare with.`);
  // Somebody who names a ref wants an answer about it.
  if (positionals.length > 0) process.exitCode = 1;
} else if (uncovered.length > 0) {
  for (const name of uncovered) console.error(`${name} changed since ${ref}, and no changeset says what that means.`);
  console.error('Run `npm run changeset`.');
  process.exitCode = 1;
} else {
  console.log(`Every package changed since ${ref} has a changeset.`);
}
