#!/usr/bin/env node
/**
 * Checks built plugins: `check-plugin.mjs [--previous <folder>] [<folder with marketplace.json>]`. Without a folder, the
 * one that the ZCode harness builds.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkPlugin } from './src/check.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({ allowPositionals: true, options: { previous: { type: 'string' } } });
const target = resolve(positionals[0] ?? join(ROOT, 'libs/harness-zcode/dist/plugin'));
const marketplace = join(target, 'marketplace.json');

if (!existsSync(marketplace)) {
  console.error(`There is no ${marketplace}. Build first: npm run build.`);
  process.exitCode = 1;
} else {
  /** @type {{ plugins: { name: string, source: string }[] }} */
  const { plugins } = JSON.parse(readFileSync(marketplace, 'utf8'));
  for (const { name, source } of plugins) {
    const found = await checkPlugin(join(target, source), {
      marketplace,
      machinePaths: [ROOT],
      ...(values.previous === undefined ? {} : { previous: resolve(values.previous) }),
    });
    for (const { file, message, rule } of found) console.error(`${name}/${file}: ${message} (${rule})`);
    if (found.length > 0) process.exitCode = 1;
    else console.log(`Plugin ${name} keeps the rules of the client's marketplaces.`);
  }
}
