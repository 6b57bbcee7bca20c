/**
 * What it costs to have a new file and its name on disk: the content flushed before it gets its name, or both at once.
 *
 *   node docs/decisions/measurements/flush-together.mjs [folder]
 */
import { closeSync, linkSync, mkdirSync, mkdtempSync, openSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROUNDS = 200;
const root = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'flush-together-'));

/** @param {string} path @param {string} flags */
async function flush(path, flags) {
  const handle = await open(path, flags);
  await handle.sync();
  await handle.close();
}

const ways = {
  'content, then name': async (/** @type {string} */ folder, /** @type {string} */ name) => {
    writeFileSync(`${name}.tmp`, 'x'.repeat(800));
    await flush(`${name}.tmp`, 'r+');
    linkSync(`${name}.tmp`, name);
    unlinkSync(`${name}.tmp`);
    await flush(folder, 'r');
  },
  'content and name together': async (/** @type {string} */ folder, /** @type {string} */ name) => {
    writeFileSync(`${name}.tmp`, 'x'.repeat(800));
    linkSync(`${name}.tmp`, name);
    unlinkSync(`${name}.tmp`);
    await Promise.all([flush(name, 'r+'), flush(folder, 'r')]);
  },
};

/** @type {Record<string, number[]>} */
const times = {};
for (let round = -5; round < ROUNDS; round += 1) {
  for (const [way, write] of Object.entries(ways)) {
    const folder = join(root, `${way} ${round}`);
    mkdirSync(folder);
    closeSync(openSync(join(folder, 'first'), 'w'));
    const started = performance.now();
    await write(folder, join(folder, 'record'));
    if (round >= 0) (times[way] ??= []).push(performance.now() - started);
  }
}
rmSync(root, { recursive: true });
for (const [way, taken] of Object.entries(times)) {
  taken.sort((a, b) => a - b);
  console.log(`${way.padEnd(28)} median ${(taken[taken.length >> 1] ?? 0).toFixed(2)} ms`);
}
