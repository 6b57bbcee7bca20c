import preset from '../jest.preset.mjs';

export default {
  ...preset,
  displayName: 'e2e',
  // Nearly all of the time is spent in processes that the tests start, and in waiting for their deadlines.
  maxWorkers: 3,
  testSequencer: '<rootDir>/slow-first.mjs',
  // They need a client and have a runner of their own.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/real-clients/'],
};
