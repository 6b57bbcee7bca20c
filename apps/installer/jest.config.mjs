import preset from '../../jest.preset.mjs';

// A build server has no terminal, or says "dumb", and Node's line editor then knows no backspace: the tests that sit down at a
// terminal of their own run in workers, which get this from here.
process.env.TERM = 'xterm-256color';

// Nearly all of the time is spent in processes that the tests start.
export default {
  ...preset,
  displayName: 'installer',
  maxWorkers: 2,
  globalSetup: '<rootDir>/test/support/build-fixture.mjs',
  globalTeardown: '<rootDir>/test/support/remove-fixture.mjs',
};
