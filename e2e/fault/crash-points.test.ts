/** What must hold when processes die at the worst moment, in the small; all points: `npm run fault -- --every-crash-point`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tryEveryCrashPoint } from './crash-points.ts';
import { runStorm } from './storm.ts';

let hooks: string;
beforeAll(() => {
  hooks = mkdtempSync(join(tmpdir(), 'openviking-test-hooks-'));
  // What is done in which order must not depend on the machine: a request may take 3 s, and a worker stays for 12 s.
  const args = [join(import.meta.dirname, 'build-test-hooks.mjs'), hooks, '5'];
  execFileSync(process.execPath, args, { stdio: 'inherit' });
});
afterAll(() => rmSync(hooks, { recursive: true, force: true }));

describe('a kill before a file operation', () => {
  it('leaves both turns of a two-turn run whole, once and in order', async () => {
    const report = await tryEveryCrashPoint({ hooks, every: 5 });
    expect(report.problems).toEqual([]);
    expect(report.rows.map(({ entry }) => entry)).toEqual(
      expect.arrayContaining(['session-start', 'user-prompt-submit', 'stop', 'worker']),
    );
  }, 1_800_000);
});

describe('50 turn ends at the same moment, some of them twice', () => {
  it('keep every turn once and in order', async () => {
    const report = await runStorm(hooks);
    expect(report.problems).toEqual([]);
    expect(report.said).toBe(100);
  }, 1_800_000);
});
