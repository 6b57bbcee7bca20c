/** What a test calls quiet must be quiet: a process that is overlooked is one whose work has not been waited for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { censusAvailable, killProcessesOfHome, processesOfHome, untilHomeIsQuiet } from './process-census.ts';
import { createTemporaryHome, homeEnvironment, type TemporaryHome } from './temporary-home.ts';
import { waitUntil } from './wait-until.ts';

let home: TemporaryHome;
beforeEach(() => {
  home = createTemporaryHome();
});
afterEach(() => home.remove());
const linux = censusAvailable ? it : it.skip;

/** Starts a process in the home that starts another one and ends, and so on, `count` times; the last leaves `end`. */
function relay(count: number): void {
  const script = home.write('relay.sh', `[ "$1" = 0 ] && { : > "$2"; exit; }\nsh "$0" $(($1 - 1)) "$2" &\n`);
  const options = { env: homeEnvironment(home.path), stdio: 'ignore', detached: true } as const;
  spawn('sh', [script, String(count), home.at('end')], options).unref();
}

linux('overlooks none that was started by one that has ended meanwhile', async () => {
  relay(400);
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  expect(home.has('end')).toBe(true);
});

linux('kills all of them, also one that is started at that moment', async () => {
  relay(100_000);
  await waitUntil('the first', () => processesOfHome(home.path).length > 0);
  expect(killProcessesOfHome(home.path).length).toBeGreaterThan(0);
  expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  expect(home.has('end')).toBe(false);
});

linux(
  'returns what is still there when the time is over, with its command line, and nobody of another home',
  async () => {
    const other = createTemporaryHome();
    const sleepers = [home, other].map(({ path }) => spawn('sleep', ['600'], { env: homeEnvironment(path) }));
    try {
      await Promise.all(sleepers.map((sleeper) => once(sleeper, 'spawn')));
      const expected = [{ pid: sleepers[0]?.pid, commandLine: ['sleep', '600'] }];
      expect(await untilHomeIsQuiet(home.path, 50)).toEqual(expected);
      expect(processesOfHome(home.path)).toEqual(expected);
    } finally {
      for (const sleeper of sleepers) sleeper.kill('SIGKILL');
      other.remove();
    }
  },
);
