/**
 * Writes what is projected from declarations in the code: the reference of the settings with its JSON Schemas, that of the
 * clients, and that of doctor's codes. With `--check` it writes nothing and exits 1 when a file is stale, so that neither can drift.
 *
 *   node tools/generate-reference/generate.mjs [--check] [--out DIR]
 */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { format, resolveConfig } from 'prettier';
import { clientsReference } from './clients-reference.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'docs/reference') },
  },
});

/** Loads TypeScript sources without a build step: one bundle, in memory. */
async function load(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** The declarations of all harnesses, in the order of their ids. */
async function declarations() {
  const modules = readdirSync(join(root, 'libs'))
    .filter((name) => name.startsWith('harness-') && existsSync(join(root, 'libs', name, 'src/harness.ts')))
    .map((name) => `./libs/${name}/src/harness.ts`);
  const lines = modules.map((path, index) => `export * as harness${index} from '${path}';`);
  const exported = Object.values(await load(lines.join('\n'))).flatMap((module) => Object.values(module).flat());
  return exported
    .filter((value) => typeof value === 'object' && value !== null && typeof value.sessionPrefix === 'string')
    .sort((one, other) => one.id.localeCompare(other.id));
}

const { settingsReference, workspaceSchema, pluginSchema } = await load(
  ['reference', 'json-schema'].map((name) => `export * from './libs/memory-core/src/settings/${name}.ts';`).join('\n'),
);
const { doctorReference } = await load("export * from './apps/installer/src/doctor/reference.ts';");
const clients = await declarations();
const json = (value) => JSON.stringify(value, null, 2);
const files = {
  'settings.md': settingsReference('en', clients),
  'settings.zh-CN.md': settingsReference('zh', clients),
  'clients.md': clientsReference('en', clients),
  'clients.zh-CN.md': clientsReference('zh', clients),
  'doctor.md': doctorReference('en'),
  'doctor.zh-CN.md': doctorReference('zh'),
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
