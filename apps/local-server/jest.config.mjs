import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'local-server', globalSetup: '<rootDir>/test/build-bundle.mjs' };
