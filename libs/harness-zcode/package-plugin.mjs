/**
 * Assembles the same payload that the installer uses as a plugin for ZCode's marketplaces, with a marketplace entry.
 * Name, description and version are written once (manifest source, package.json) and copied from there, because a client
 * that finds manifest and entry apart shows one and installs the other.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LICENCES_NAME } from '../../tools/bundle-harness/third-party-licences.mjs';

const PACKAGE_ROOT = import.meta.dirname;

/** What hooks, MCP server and the processes they start need; all in one folder, because they look beside themselves. */
export const RUNTIME_FILES = [
  'session-start.cjs',
  'session-start.main.cjs',
  'user-prompt-submit.cjs',
  'user-prompt-submit.main.cjs',
  'uri-guard.cjs',
  'stop.cjs',
  'stop.main.cjs',
  'worker.cjs',
  'mcp-proxy.cjs',
  'filters.cjs',
  'proxy.cjs',
  'secrets.cjs',
  'seldom.cjs',
];

/** Members of the manifest that its marketplace entry repeats. */
const SHARED_MEMBERS = ['description', 'description_i18n', 'version', 'author', 'category', 'keywords'];

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Writes `<target>/<plugin name>/` and `<target>/marketplace.json`. A file of the payload that is missing is an error:
 * a plugin whose hook points nowhere fails at each prompt.
 *
 * @param {{ root?: string, payload?: string, target?: string }} [places] Package root, built payload, output folder.
 * @returns {{ plugin: string, marketplace: string }} What was written.
 */
export function packagePlugin(places = {}) {
  const root = places.root ?? PACKAGE_ROOT;
  const payload = places.payload ?? join(root, 'dist', 'payload');
  const target = places.target ?? join(root, 'dist', 'plugin');
  const { version } = readJson(join(root, 'package.json'));
  const source = readJson(join(root, 'assets', 'plugin', '.zcode-plugin', 'plugin.json'));
  const { name, ...rest } = source;
  const manifest = { name, version, ...rest };

  const missing = RUNTIME_FILES.filter((file) => !existsSync(join(payload, file)));
  if (missing.length > 0) {
    throw new Error(`Not built: ${missing.join(', ')} in ${payload}. Run the build of this package first.`);
  }

  const plugin = join(target, name);
  rmSync(plugin, { recursive: true, force: true });
  mkdirSync(join(plugin, 'runtime'), { recursive: true });
  cpSync(join(root, 'assets', 'plugin'), plugin, { recursive: true });
  for (const folder of ['skills', 'commands']) {
    cpSync(join(root, 'assets', folder), join(plugin, folder), { recursive: true });
  }
  for (const file of [...RUNTIME_FILES, LICENCES_NAME]) cpSync(join(payload, file), join(plugin, 'runtime', file));
  // Minified bundles share code in chunks only if the bundler is told to: a chunk left behind would break the plugin.
  const extra = readdirSync(payload).filter((file) => file.endsWith('.cjs') && !RUNTIME_FILES.includes(file));
  if (extra.length > 0) throw new Error(`The payload holds ${extra.join(', ')}, which the plugin does not list.`);
  writeJson(join(plugin, '.zcode-plugin', 'plugin.json'), manifest);

  const marketplace = join(target, 'marketplace.json');
  writeJson(marketplace, {
    name: 'openviking',
    description: manifest.description,
    description_i18n: manifest.description_i18n,
    owner: manifest.author,
    plugins: [
      {
        name,
        source: `./${name}`,
        ...Object.fromEntries(SHARED_MEMBERS.map((member) => [member, manifest[member]])),
      },
    ],
  });
  return { plugin, marketplace };
}

// Also a command, `package-plugin.mjs [--payload <folder>] [--target <folder>]`, for trying the packaging on its own.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { payload: { type: 'string' }, target: { type: 'string' } } });
  try {
    const written = packagePlugin(values);
    console.log(`${written.plugin}\n${written.marketplace}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
