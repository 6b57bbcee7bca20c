/**
 * Writes what is projected from the settings declaration: the reference tables and the JSON Schemas. With `--check` it
 * writes nothing and exits 1 when a file is stale, so that documentation cannot drift from the loader.
 *
 *   node tools/generate-reference/generate.mjs [--check] [--out DIR]
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { format, resolveConfig } from 'prettier';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const settings = join(root, 'libs/memory-core/src/settings');

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'docs/reference') },
  },
});

/** Loads TypeScript sources without a build step: one bundle, in memory. */
async function load() {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from './reference.ts'; export * from './json-schema.ts';",
      resolveDir: settings,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

const { settingsReference, workspaceSchema, pluginSchema } = await load();
const json = (value) => JSON.stringify(value, null, 2);
const files = {
  'settings.md': settingsReference('en'),
  'settings.zh-CN.md': settingsReference('zh'),
  'workspace-config.schema.json': json(workspaceSchema()),
  'plugin-section.schema.json': json(pluginSchema()),
};

const style = await resolveConfig(join(root, 'package.json'));
let stale = 0;
for (const [name, text] of Object.entries(files)) {
  const path = join(options.out, name);
  const wanted = await format(text, { ...style, filepath: path });
  const present = await readFile(path, 'utf8').catch(() => undefined);
  if (present === wanted) continue;
  stale += 1;
  if (options.check) {
    console.error(`stale: ${path}`);
  } else {
    await mkdir(options.out, { recursive: true });
    await writeFile(path, wanted);
    console.log(`wrote ${path}`);
  }
}
if (options.check && stale > 0) {
  console.error('Run `node tools/generate-reference/generate.mjs` and commit the result.');
  process.exitCode = 1;
}
