// One jest configuration for every package: TypeScript through swc, ES modules, imports with their `.ts` ending.
import { join } from 'node:path';

// Git sets these for its hooks, and they say where the repository is: a test that makes one of its own must not meet ours.
for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];
// Nor is it the matter of a test which rights whoever runs it gives to new files. Workers and what they start inherit it.
process.umask(0o022);

export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' }, experimental: { keepImportAttributes: true } },
        module: { type: 'es6' },
      },
    ],
  },
  // Workspace packages are symlinks to TypeScript sources: they must be transformed although they are reached through node_modules.
  transformIgnorePatterns: ['/node_modules/(?!@openviking/)'],
  moduleNameMapper: {
    '^fast-check$': join(import.meta.dirname, 'jest.fast-check.mjs'),
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  testMatch: ['<rootDir>/**/*.test.ts'],
  // Only to end what hangs: nothing is measured by it, and a build server may be slow.
  testTimeout: 300_000,
  globalTeardown: join(import.meta.dirname, 'jest.teardown.mjs'),
};
