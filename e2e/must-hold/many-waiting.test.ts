/** A hook costs the same whatever waits for a server that is away: the user who waits for it has nothing to do with that. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { writeZcodeConfig, ZcodeHost } from '@openviking/harness-zcode/testing';
import {
  createTemporaryHome,
  killProcessesOfHome,
  leaveWaiting,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { TemporaryHome } from '@openviking/memory-core/testing';
import { ZCODE_PAYLOAD } from './artefacts.ts';

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
  const plugin = { autoRecall: false, noAutoInject: true };
  // Nothing listens there.
  home.write('.openviking/ovcli.conf', JSON.stringify({ url: 'http://127.0.0.1:9', api_key: 'k', plugin }), 0o600);
  writeZcodeConfig(home.path, ZCODE_PAYLOAD);
});
afterEach(() => {
  killProcessesOfHome(home.path);
  home.remove();
});

/** Comes before the hook in its process and counts what it asks of the file system; each name that a folder shows is one. */
const COUNTING = `const fs = require('node:fs');
const { basename, join } = require('node:path');
const { writeFileSync } = fs;
let count = 0;
const counted = (operation) => function (...parameters) {
  const result = Reflect.apply(operation, this, parameters);
  count += Array.isArray(result) ? result.length + 1 : 1;
  return result;
};
for (const [name, operation] of Object.entries(fs)) if (/Sync$/u.test(name)) fs[name] = counted(operation);
fs.Dir.prototype.readSync = counted(fs.Dir.prototype.readSync);
process.once('exit', () => {
  if (process.argv[1].endsWith('.cjs'))
    writeFileSync(join(process.env.COUNTS, basename(process.argv[1]) + '-' + process.pid), String(count));
});`;

/** A worker may have noted that the server does not answer: until that pause is over, a prompt asks for no work at all. */
function forgetPause(): void {
  const notes = readdirSync(home.at('.openviking/state')).filter((name) => name.startsWith('delivery-'));
  for (const name of notes) rmSync(home.at('.openviking/state', name));
}

/** Operations of each hook of a turn, after one that measured what waits. */
async function operationsOfTurn(): Promise<{ readonly prompt: number; readonly stop: number }> {
  const counts = home.makeFolder('counts');
  const env = { NODE_OPTIONS: `--require ${JSON.stringify(home.write('counting.cjs', COUNTING))}`, COUNTS: counts };
  const host = new ZcodeHost({ home: home.path, cwd: home.makeFolder('project'), env });
  const session = host.startSession();
  for (const turn of [1, 2]) {
    rmSync(counts, { recursive: true });
    home.makeFolder('counts');
    await session.prompt(`Question ${turn} about the release`);
    await session.answer(`Answer ${turn} about the release`);
    killProcessesOfHome(home.path);
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
    forgetPause();
  }
  const of = (entry: string): number => {
    const names = readdirSync(counts).filter((name) => name.startsWith(entry));
    expect(names).toHaveLength(1);
    return Number(readFileSync(join(counts, names[0] ?? ''), 'utf8'));
  };
  return { prompt: of('user-prompt-submit.cjs'), stop: of('stop.cjs') };
}

it('the hooks of a turn ask as much of the file system with 300 conversations waiting as with none', async () => {
  const alone = await operationsOfTurn();
  leaveWaiting(home, { conversations: 300, harness: 'zcode', sessionPrefix: 'zc-' });
  const among = await operationsOfTurn();
  for (const floor of [alone.prompt, alone.stop]) expect(floor).toBeGreaterThan(20);
  // The state of another server, the lock of another conversation: a few may differ, not one for each that waits.
  expect(among.prompt - alone.prompt).toBeLessThan(25);
  expect(among.stop - alone.stop).toBeLessThan(25);
});
