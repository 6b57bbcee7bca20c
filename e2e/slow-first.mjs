/**
 * The order of the test files: those that take longest first, so that at the end no processor waits for the other. Where jest
 * remembers no times, as on a build server, it goes by the size of the file, and the longest here are small files.
 */
import Sequencer from '@jest/test-sequencer';

const SLOW = [
  'fault/machine',
  'fault/crash-points',
  'must-hold/conformance',
  'must-hold/delivery',
  'must-hold/installer',
];

export default class SlowFirst extends Sequencer {
  /** @param {Parameters<import('@jest/test-sequencer').default['sort']>[0]} tests */
  sort(tests) {
    const place = (/** @type {string} */ path) => {
      const found = SLOW.findIndex((name) => path.endsWith(`${name}.test.ts`));
      return found === -1 ? SLOW.length : found;
    };
    const usual = super.sort(tests);
    return [...usual].sort((one, other) => place(one.path) - place(other.path));
  }
}
