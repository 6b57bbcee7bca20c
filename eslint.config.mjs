import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** Folders of memory-core that may write files (design: only these two touch the disk for writing). */
const WRITES = [
  'openSync',
  'writeFileSync',
  'appendFileSync',
  'mkdirSync',
  'renameSync',
  'unlinkSync',
  'rmSync',
  'linkSync',
  'writeSync',
  'chmodSync',
  'truncateSync',
];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/vendor/**', '**/coverage/**', '.nx/**'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.mjs'],
    plugins: { '@nx': nx },
    rules: {
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          allow: [],
          depConstraints: [
            { sourceTag: 'type:core', onlyDependOnLibsWithTags: ['type:core'] },
            // A harness runs on its vendored copy; only its tests reach the core, and only its testing door (below).
            { sourceTag: 'type:harness', onlyDependOnLibsWithTags: ['type:core'] },
            { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:core', 'type:harness', 'type:app'] },
            { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['type:core', 'type:harness', 'type:tool'] },
            { sourceTag: 'type:e2e', onlyDependOnLibsWithTags: ['type:core', 'type:harness', 'type:app', 'type:tool'] },
          ],
        },
      ],
    },
  },
  {
    // A harness is self-contained: its sources import its own vendored core and nothing else of ours.
    files: ['libs/harness-*/src/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['@openviking/*'], message: 'A harness imports its own vendored core (../vendor/memory-core/…).' },
          ],
        },
      ],
    },
  },
  {
    files: ['libs/harness-*/test/**/*.ts', 'libs/harness-*/src/**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@openviking/memory-core/hot', '@openviking/memory-core/full'],
              message: 'Tests of a harness may import @openviking/memory-core/testing only.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['libs/memory-core/src/**/*.ts'],
    ignores: ['libs/memory-core/src/runtime/**', '**/*.test.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['stdin', 'stdout', 'stderr', 'exit', 'exitCode'].map((property) => ({
          object: 'process',
          property,
          message: 'Only runtime/ touches stdin, stdout, stderr and exit.',
        })),
      ],
    },
  },
  {
    files: ['libs/memory-core/src/**/*.ts'],
    ignores: ['libs/memory-core/src/fs/**', 'libs/memory-core/src/spool/**', '**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'node:fs', importNames: WRITES, message: 'Only fs/ and spool/ write files.' },
            {
              name: 'node:fs/promises',
              message: 'Only fs/ and spool/ write files; reading is synchronous on the hook path.',
            },
            { name: 'fs', message: 'Write node:fs.' },
          ],
        },
      ],
    },
  },
  {
    // The jest preset lies at the root, which is no project.
    files: ['**/jest.config.mjs', '**/build.mjs'],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  {
    files: ['**/*.mjs', 'e2e/**', 'apps/**', 'tools/**', 'libs/*/testing/**', '**/*.test.ts'],
    rules: { 'no-console': 'off' },
  },
);
