/**
 * How a harness becomes bundles: said once, for what ships and for the builds with crash points that the fault tests run.
 * Ten build scripts of their own would soon build ten ways.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { LICENCES_NAME, thirdPartyLicences } from './third-party-licences.mjs';

/** Entries that no user waits for at every event, or that are too small for a code cache to pay. */
const NOT_CACHED = new Set(['uri-guard', 'statusline', 'worker', 'mcp-proxy']);

/** Entries that no event starts, so that nobody would miss them before a user does: delivery, and the model's tools. */
const REQUIRED_ENTRIES = ['worker', 'mcp-proxy'];

/** What this script bundles or starts beside the entries, in the vendored core. */
const REQUIRED_DOORS = [
  'privacy/filters.ts',
  'privacy/secrets.ts',
  'http/proxy-dispatch.ts',
  'runtime/seldom.ts',
  'runtime/start-cached.ts',
];

/** A text of the search for secrets that minifying keeps; `secrets.cjs` alone has it. */
const ONLY_IN_SECRETS = 'Private-Lines';

/** Throws an error that says what to add. Files of the core are vendored when `openviking.vendor` in the package names them, or one that is named imports them. */
function requireWhole(root, names) {
  for (const entry of REQUIRED_ENTRIES.filter((name) => !names.includes(name))) {
    throw new Error(
      `${join(root, 'src/entries')} has no ${entry}.ts: every harness needs one, see docs/adding-a-harness.md`,
    );
  }
  for (const door of REQUIRED_DOORS.filter((file) => !existsSync(join(root, 'vendor/memory-core', file)))) {
    throw new Error(
      `${join(root, 'vendor/memory-core', door)} is missing: ` +
        `add "${door.replace(/\.ts$/, '')}" to openviking.vendor in ${join(root, 'package.json')}, ` +
        'then run node tools/sync-vendor/bin/sync-vendor.mjs',
    );
  }
}

/**
 * Bundles every entry of a harness (`src/entries/*.ts`) into one self-contained CommonJS file: a hook is a whole process
 * per event, and one file is the fastest thing Node can start. `<entry>.cjs` of a larger one starts `<entry>.main.cjs` from
 * V8's code cache. `filters.cjs` and `proxy.cjs` carry the two heavy libraries and are loaded only when a filter or an HTTP
 * proxy is configured, `secrets.cjs` for a text that may hold a secret; `seldom.cjs` carries what few conversations need.
 *
 * @param {string} root Folder of the harness.
 * @param {string} outdir
 * @param {{ crashPoints?: boolean, timeScale?: number, define?: Record<string, string> }} [options] `define`: constants of
 *   this harness, as JSON. The others are what only a test build has: processes that can be told to die at a file
 *   operation, and delivery whose pauses and limits are this fraction as long. It has no code cache.
 */
export async function bundleHarness(root, outdir, { crashPoints = false, timeScale = 1, define = {} } = {}) {
  const { name: packageName, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const id = packageName.replace(/^.*harness-/, '');
  const names = readdirSync(join(root, 'src/entries')).map((file) => basename(file, '.ts'));
  requireWhole(root, names);
  const cached = crashPoints ? [] : names.filter((name) => !NOT_CACHED.has(name));
  /** @type {import('esbuild').BuildOptions} */
  const common = {
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20.18',
    format: 'cjs',
    charset: 'utf8',
    legalComments: 'inline',
    mainFields: ['module', 'main'],
    define: {
      ...define,
      PACKAGE_VERSION: JSON.stringify(version),
      CRASH_POINTS: String(crashPoints),
      TIME_SCALE: String(timeScale),
      SPLIT_BUNDLES: 'true',
    },
    logLevel: 'warning',
  };
  const entriesOf = (of, suffix) =>
    Object.fromEntries(of.map((name) => [`${name}${suffix}`, join(root, `src/entries/${name}.ts`)]));
  const { metafile: started } = await build({
    ...common,
    metafile: true,
    outdir,
    entryPoints: entriesOf(cached, '.main'),
    // As `start-cached.ts` takes it: ASCII, and a function.
    charset: 'ascii',
    banner: { js: '(function(exports,require,module,__filename,__dirname){' },
    footer: { js: '})' },
  });
  for (const name of cached) writeInAscii(join(outdir, `${name}.main.cjs`));
  const { metafile } = await build({
    ...common,
    metafile: true,
    outdir,
    entryPoints: {
      ...entriesOf(
        names.filter((name) => !cached.includes(name)),
        '',
      ),
      filters: join(root, 'vendor/memory-core/privacy/filters.ts'),
      proxy: join(root, 'vendor/memory-core/http/proxy-dispatch.ts'),
      secrets: join(root, 'vendor/memory-core/privacy/secrets.ts'),
      seldom: join(root, 'vendor/memory-core/runtime/seldom.ts'),
    },
  });
  requireSplit(outdir, [
    ...cached.map((name) => `${name}.main.cjs`),
    ...names.filter((name) => !cached.includes(name)).map((name) => `${name}.cjs`),
    ...['filters.cjs', 'proxy.cjs', 'seldom.cjs'],
  ]);
  writeFileSync(
    join(outdir, LICENCES_NAME),
    thirdPartyLicences(process.cwd(), Object.keys({ ...started.inputs, ...metafile.inputs })),
  );
  for (const name of cached) {
    await build({
      ...common,
      outfile: join(outdir, `${name}.cjs`),
      stdin: {
        contents: `import { startCached } from './vendor/memory-core/runtime/start-cached.ts';
          startCached(require('node:path').join(__dirname, '${name}.main.cjs'), '${id}-${name}-${hashOf(outdir, name)}');`,
        resolveDir: root,
        sourcefile: `${name}.js`,
      },
    });
  }
}

/** Throws where the search for secrets got into another bundle than its own: nothing would break, but every hook start later. */
function requireSplit(outdir, files) {
  const has = (file) => readFileSync(join(outdir, file), 'utf8').includes(ONLY_IN_SECRETS);
  if (!has('secrets.cjs')) {
    throw new Error(`${join(outdir, 'secrets.cjs')} lacks "${ONLY_IN_SECRETS}", by which its code is known in others`);
  }
  for (const file of files.filter(has)) {
    throw new Error(
      `${join(outdir, file)} holds the search for secrets, which belongs to secrets.cjs alone: ` +
        'load it with loadSecrets(), and import from privacy/secret-words.ts what both need',
    );
  }
}

/** Tells bundles apart by their content: the code cache of another one must not be taken for this one's. */
function hashOf(outdir, name) {
  return createHash('sha256')
    .update(readFileSync(join(outdir, `${name}.main.cjs`)))
    .digest('hex')
    .slice(0, 16);
}

/** `charset: 'ascii'` leaves regular expressions as they are written; the escapes of strings mean the same in them. */
function writeInAscii(file) {
  const code = readFileSync(file, 'utf8');
  if (/\\[^\0-\x7f]/.test(code))
    throw new Error(`${file}: a backslash stands before a character that has to be escaped`);
  const escape = (/** @type {string} */ unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, code.replace(/[^\0-\x7f]/g, escape));
}
