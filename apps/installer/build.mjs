// Bundles the program and gathers the payloads that it carries: an installation needs no network.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LICENCES_NAME, thirdPartyLicences } from '../../tools/bundle-harness/third-party-licences.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const workspace = resolve(folder, '../..');

/** Payloads by name: the package that is released under this version, and the folder that it is built into. */
const PAYLOADS = [
  { name: 'zcode', of: 'libs/harness-zcode', built: 'dist/payload' },
  { name: 'claude', of: 'libs/harness-claude', built: 'dist/payload' },
  { name: 'cursor', of: 'libs/harness-cursor', built: 'dist/payload' },
  { name: 'trae', of: 'libs/harness-trae', built: 'dist/payload' },
  { name: 'trae-cn', of: 'libs/harness-trae', built: 'dist/payload-trae-cn' },
  { name: 'local-server', of: 'apps/local-server', built: 'dist' },
];

/** Bundles `entry` to `outfile`; the tests bundle programs of their own the same way. Returns its inputs, relative to this folder. */
export async function bundle(entry, outfile) {
  const { metafile } = await build({
    absWorkingDir: folder,
    metafile: true,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.18',
    // jsonc-parser's CommonJS build hides its modules from the bundler.
    mainFields: ['module', 'main'],
    legalComments: 'eof',
    logLevel: 'warning',
    define: { INSTALLER_VERSION: JSON.stringify(versionOf(folder)) },
  });
  return Object.keys(metafile.inputs);
}

/**
 * Bundles the way through an HTTP proxy apart from the program: undici takes longer to load than most runs take in all.
 * CommonJS, because it is loaded in the middle of a call.
 */
export async function bundleProxy(outfile) {
  const core = dirname(createRequire(import.meta.url).resolve('@openviking/memory-core/full'));
  const { metafile } = await build({
    absWorkingDir: folder,
    metafile: true,
    entryPoints: [join(core, 'http/proxy-dispatch.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.18',
    legalComments: 'inline',
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}

/** Copies a built payload and writes its manifest of hashes. */
export function gather({ name, of, built }, target) {
  const source = join(workspace, of, built);
  if (!existsSync(source)) throw new Error(`${relative(workspace, source)} is missing: build ${of} first`);
  const fresh = `${target}.new`;
  rmSync(fresh, { recursive: true, force: true });
  cpSync(source, fresh, { recursive: true, filter: (path) => !/(^|[\\/])\.build-/.test(path) });
  writeManifest(fresh, name, versionOf(join(workspace, of)));
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

export function writeManifest(payload, name, version) {
  const files = {};
  const entries = readdirSync(payload, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of entries.map((entry) => join(entry.parentPath, entry.name)).sort()) {
    const key = relative(payload, path).replaceAll('\\', '/');
    if (key !== 'manifest.json') files[key] = createHash('sha256').update(readFileSync(path)).digest('hex');
  }
  writeFileSync(join(payload, 'manifest.json'), `${JSON.stringify({ name, version, files }, null, 2)}\n`);
}

function versionOf(packageFolder) {
  return JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const dist = join(folder, 'dist');
  mkdirSync(join(dist, 'payload'), { recursive: true });
  const inputs = [
    ...(await bundle('src/main.ts', join(dist, 'main.mjs'))),
    ...(await bundle('src/guided/clack-prompter.ts', join(dist, 'guided.mjs'))),
    ...(await bundleProxy(join(dist, 'proxy.cjs'))),
  ];
  writeFileSync(join(dist, LICENCES_NAME), thirdPartyLicences(folder, inputs));
  // What an earlier build left would be packed.
  const names = new Set(PAYLOADS.map(({ name }) => name));
  for (const name of readdirSync(join(dist, 'payload'))) {
    if (!names.has(name)) rmSync(join(dist, 'payload', name), { recursive: true });
  }
  for (const payload of PAYLOADS) gather(payload, join(dist, 'payload', payload.name));
}
