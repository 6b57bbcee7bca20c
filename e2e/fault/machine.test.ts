/**
 * What must hold about delivery, in the small: the same programs as `npm run fault`, with fewer turns and fewer points. To
 * look into a failure: `npm run fault -- --turns 300 --seed verify --keep`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMachine } from './machine.ts';

let hooks: string;
beforeAll(() => {
  hooks = mkdtempSync(join(tmpdir(), 'openviking-test-hooks-'));
  execFileSync(process.execPath, [join(import.meta.dirname, 'build-test-hooks.mjs'), hooks], { stdio: 'inherit' });
});
afterAll(() => rmSync(hooks, { recursive: true, force: true }));

describe('300 turns with a misbehaving server and killed processes', () => {
  it('lose, double, move and alter nothing', async () => {
    const report = await runMachine({ turns: 300, seed: 'verify', hooks });
    const { lost, doubled, outOfOrder, altered, misdeeds, kills, faults } = report;
    expect({ lost, doubled, outOfOrder, altered, misdeeds }).toEqual({
      lost: [],
      doubled: [],
      outOfOrder: [],
      altered: [],
      misdeeds: [],
    });
    // A run in which nothing went wrong proves nothing.
    expect(Object.keys(faults).length).toBeGreaterThanOrEqual(5);
    expect(kills.atOperation).toBeGreaterThan(0);
    expect(kills.fromOutside).toBeGreaterThan(0);
  }, 1_800_000);
});

describe.each([[['disk-share', 'disk-busy']], [['disk-without-links']]])('a disk that is odd: %j', (disks) => {
  it('loses, doubles, moves and alters nothing', async () => {
    const kinds = ['unavailable', 'drop-after-storing', ...disks];
    const report = await runMachine({ turns: 60, seed: 'disk', hooks, kinds });
    const { lost, doubled, outOfOrder, altered, misdeeds, faults } = report;
    expect([lost, doubled, outOfOrder, altered, misdeeds]).toEqual([[], [], [], [], []]);
    expect(Object.keys(faults)).toEqual(expect.arrayContaining(disks));
  }, 1_800_000);
});
