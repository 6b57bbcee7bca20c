import preset from '../../jest.preset.mjs';

// Nearly all of the time is spent in processes that the tests start.
export default {
  ...preset,
  displayName: 'installer',
  maxWorkers: 2,
  globalSetup: '<rootDir>/test/support/build-fixture.mjs',
  globalTeardown: '<rootDir>/test/support/remove-fixture.mjs',
};
