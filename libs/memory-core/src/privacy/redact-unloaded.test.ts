/** In the bundles the code for secrets lies in a file of its own; where that is missing, nothing may pass for clean. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { redactDeep, redactSecrets, UNSEARCHED } from './redact.ts';

// Here is no bundle beside this file: loading one fails as it does in an installation that lost it.
const bundle = globalThis as { SPLIT_BUNDLES?: boolean };
beforeEach(() => {
  bundle.SPLIT_BUNDLES = true;
});
afterEach(() => {
  delete bundle.SPLIT_BUNDLES;
});

describe('without the code that finds secrets', () => {
  it('leaves out each text that may hold one', () => {
    expect(redactSecrets('DB_PASSWORD=hunter2')).toBe(UNSEARCHED);
    expect(redactDeep({ command: 'DB_PASSWORD=hunter2 node x.js' })).toEqual({ unsearched: UNSEARCHED });
    expect(redactDeep('DB_PASSWORD=hunter2')).toBe(UNSEARCHED);
    expect(redactDeep(['--token', 'hunter2'])).toEqual([UNSEARCHED]);
    expect(redactDeep({ password: 1234 })).toEqual({ unsearched: UNSEARCHED });
  });

  it('keeps what shows no trace of one', () => {
    expect(redactSecrets('It is pnpm.')).toBe('It is pnpm.');
    expect(redactDeep({ command: 'npm test' })).toEqual({ command: 'npm test' });
  });
});
