import preset from '../jest.preset.mjs';

export default {
  ...preset,
  displayName: 'e2e',
  // They need a client and have a runner of their own.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/real-clients/'],
};
