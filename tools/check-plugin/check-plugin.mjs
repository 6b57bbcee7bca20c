#!/usr/bin/env node
/**
 * Checks built plugins: `check-plugin.mjs [--client zcode|claude] [--previous <folder>] [<folder of a marketplace>]`. Without
 * a folder, those that the harnesses build.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkPlugin } from './src/check.mjs';
import { LAYOUTS } from './src/layout.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { previous: { type: 'string' }, client: { type: 'string' } },
});
const clients = /** @type {(keyof typeof LAYOUTS)[]} */ (Object.keys(LAYOUTS));
const client = clients.find((name) => name === (values.client ?? 'zcode'));
const [folder] = positionals;

if (client === undefined) {
  console.error(`--client is one of ${clients.join(', ')}.`);
  process.exitCode = 2;
} else if (folder !== undefined) await check(client, resolve(folder));
else {
  for (const name of values.client === undefined ? clients : [client]) {
    await check(name, join(ROOT, `libs/harness-${name}/dist/plugin`));
  }
}

/**
 * @param {keyof typeof LAYOUTS} name
 * @param {string} target Folder that holds the marketplace.
 */
async function check(name, target) {
  const marketplace = join(target, LAYOUTS[name].marketplace);
  if (!existsSync(marketplace)) {
    console.error(`There is no ${marketplace}. Build first: npm run build.`);
    process.exitCode = 1;
    return;
  }
  /** @type {{ plugins: { name: string, source: string }[] }} */
  const { plugins } = JSON.parse(readFileSync(marketplace, 'utf8'));
  for (const { name: plugin, source } of plugins) {
    const found = await checkPlugin(join(target, source), {
      client: name,
      marketplace,
      machinePaths: [ROOT],
      ...(values.previous === undefined ? {} : { previous: resolve(values.previous) }),
    });
    for (const { file, message, rule } of found) console.error(`${plugin}/${file}: ${message} (${rule})`);
    if (found.length > 0) process.exitCode = 1;
    else console.log(`Plugin ${plugin} keeps the rules of the marketplaces of ${name}.`);
  }
}
