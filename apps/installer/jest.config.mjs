import preset from '../../jest.preset.mjs';

// Nearly all of the time is spent in processes that the tests start.
export default { ...preset, displayName: 'installer', maxWorkers: 2 };
