/**
 * The directions of imports and the places of effects, as rules. In a flat configuration the last block that sets a
 * rule wins whole, it does not add to the earlier ones: each set of restrictions is therefore put together by
 * `restrict()` and set once per kind of file. tools/sync-vendor/test/lint-rules.test.ts lints a snippet against each.
 */
import nx from '@nx/eslint-plugin';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const OWN_CORE = 'A harness imports its own vendored core: ../vendor/memory-core/….';

/** The names of node:fs that read; with an allow list, a way of writing that nobody thought of is refused too. */
const READING = [
  'accessSync',
  'closeSync',
  'constants',
  'existsSync',
  'fstatSync',
  'lstatSync',
  'openSync',
  'opendirSync',
  'readFileSync',
  'readSync',
  'readdirSync',
  'readlinkSync',
  'realpathSync',
  'statSync',
];
const ONLY_FS_WRITES = 'Only fs/ and spool/ of memory-core write files.';
const ONLY_RUNTIME = 'Only runtime/ of memory-core touches stdin, stdout, stderr and exit.';

const restrictions = {
  /** The core knows nothing of the packages that use it. */
  ours: {
    patterns: [{ regex: '^@openviking/', message: 'memory-core imports nothing of ours.' }],
  },
  oursButOwnTesting: {
    patterns: [{ regex: '^@openviking/(?!memory-core/)', message: 'memory-core imports nothing of ours.' }],
  },
  /** A harness is self-contained: its vendored core and nothing else of ours, by name or by path. */
  foreign: {
    patterns: [
      { regex: '^@openviking/', message: OWN_CORE },
      { regex: String.raw`(^|/)\.\./(memory-core|harness-[^/]+)(/|$)`, message: OWN_CORE },
    ],
  },
  foreignButTesting: {
    patterns: [
      {
        regex: '^@openviking/(?!memory-core/testing$)',
        message: 'Of ours, tests and fakes of a harness import @openviking/memory-core/testing only.',
      },
      { regex: String.raw`(^|/)\.\./(memory-core|harness-[^/]+)(/|$)`, message: OWN_CORE },
    ],
  },
  writing: {
    paths: [
      { name: 'node:fs', allowImportNames: READING, message: ONLY_FS_WRITES, allowTypeImports: true },
      { name: 'node:fs/promises', message: `${ONLY_FS_WRITES} Reading is synchronous on the hook path.` },
      { name: 'fs', message: 'Write node:fs.' },
      { name: 'fs/promises', message: 'Write node:fs.' },
    ],
    syntax: [
      {
        selector: 'CallExpression[callee.name="openSync"]:not([arguments.1.value="r"])',
        message: `${ONLY_FS_WRITES} Elsewhere openSync is called with 'r'.`,
      },
      { selector: String.raw`ImportExpression[source.value=/^(node:)?fs(\u002F|$)/]`, message: ONLY_FS_WRITES },
      {
        selector: String.raw`CallExpression[callee.property.name="getBuiltinModule"][arguments.0.value=/^(node:)?fs(\u002F|$)/]`,
        message: ONLY_FS_WRITES,
      },
    ],
  },
  streams: {
    paths: ['node:process', 'process'].map((name) => ({ name, message: `${ONLY_RUNTIME} The rest is a global.` })),
    properties: ['stdin', 'stdout', 'stderr', 'exit', 'exitCode', 'abort', 'reallyExit'].map((property) => ({
      object: 'process',
      property,
      message: ONLY_RUNTIME,
    })),
    syntax: [
      {
        selector: 'MemberExpression[object.name=/^(globalThis|global)$/][property.name="process"]',
        message: `${ONLY_RUNTIME} Write process, so that this can be seen.`,
      },
      {
        selector: 'VariableDeclarator[init.name="process"][id.type="Identifier"]',
        message: `${ONLY_RUNTIME} Write process, so that this can be seen.`,
      },
    ],
  },
  /** What is loaded by a name that no rule of imports sees. */
  loading: {
    paths: ['node:module', 'module'].map((name) => ({
      name,
      importNames: ['createRequire'],
      message: 'Import it, so that it is seen what is loaded.',
    })),
  },
  named: {
    syntax: [{ selector: 'ExportDefaultDeclaration', message: 'Exports have names.' }],
  },
};

/** Rules for a set of restrictions; a rule that none of them uses is switched off, whatever an earlier block said. */
function restrict(...sets) {
  const all = (key) => sets.flatMap((set) => set[key] ?? []);
  const rule = (...options) => (options.length > 0 ? ['error', ...options] : 'off');
  return {
    '@typescript-eslint/no-restricted-imports': rule({ paths: all('paths'), patterns: all('patterns') }),
    'no-restricted-properties': rule(...all('properties')),
    'no-restricted-syntax': rule(...all('syntax')),
  };
}

const { ours, oursButOwnTesting, foreign, foreignButTesting, writing, streams, loading, named } = restrictions;

export default defineConfig(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/vendor/**', '**/coverage/**', '.nx/**'] },
  tseslint.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  {
    files: ['**/*.ts', '**/*.mjs'],
    plugins: { '@nx': nx },
    rules: {
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // Without a cached project graph this rule only warns: run it through Nx (`npm run verify` does).
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          allow: [],
          depConstraints: [
            { sourceTag: 'type:core', onlyDependOnLibsWithTags: ['type:core'] },
            // Tests of a harness reach the core; `foreign` and `foreignButTesting` say which part of it.
            { sourceTag: 'type:harness', onlyDependOnLibsWithTags: ['type:core'] },
            { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:core', 'type:harness', 'type:app'] },
            { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['type:core', 'type:harness', 'type:tool'] },
            { sourceTag: 'type:e2e', onlyDependOnLibsWithTags: ['type:core', 'type:harness', 'type:app', 'type:tool'] },
          ],
        },
      ],
    },
  },
  { files: ['libs/memory-core/src/**/*.ts'], rules: restrict(ours, writing, streams, loading, named) },
  { files: ['libs/memory-core/src/{fs,spool}/**/*.ts'], rules: restrict(ours, streams, loading, named) },
  { files: ['libs/memory-core/src/runtime/**/*.ts'], rules: restrict(ours, writing, loading, named) },
  {
    files: ['libs/memory-core/src/**/*.test.ts', 'libs/memory-core/testing/**/*.ts'],
    rules: restrict(oursButOwnTesting, named),
  },
  { files: ['libs/harness-*/src/**/*.ts'], rules: restrict(foreign, writing, streams, loading, named) },
  {
    files: ['libs/harness-*/{test,testing}/**/*.ts', 'libs/harness-*/src/**/*.test.ts'],
    rules: restrict(foreignButTesting, named),
  },
  { files: ['apps/*/{src,test}/**/*.ts', 'e2e/**/*.ts', 'tools/**/*.ts'], rules: restrict(named) },
  {
    // These import what belongs to no project: what the tests have at the root, the bundler in tools/bundle-harness.
    files: [
      '**/jest.config.mjs',
      '**/build.mjs',
      '**/package-plugin.mjs',
      'apps/installer/test/support/remove-fixture.mjs',
      'e2e/fault/build-test-hooks.mjs',
    ],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  {
    files: ['**/*.mjs', 'e2e/**', 'apps/**', 'tools/**', 'libs/*/testing/**', '**/*.test.ts'],
    rules: { 'no-console': 'off' },
  },
);
