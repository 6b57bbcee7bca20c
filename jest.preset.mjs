// One jest configuration for every package: TypeScript through swc, ES modules, imports with their `.ts` ending.
import { join } from 'node:path';

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
