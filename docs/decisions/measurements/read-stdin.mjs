/**
 * What it costs a process to take what the host has written to its stdin: through the stream that Node opens, and from the
 * descriptor, as the core does it.
 *
 *   node docs/decisions/measurements/read-stdin.mjs
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const RUNS = 41;
const RUNTIME = resolve(import.meta.dirname, '../../../libs/memory-core/src/runtime');
const folder = mkdtempSync(join(tmpdir(), 'ov-read-stdin-'));
const at = (/** @type {string} */ name) => join(folder, name);

const reading = (/** @type {string} */ call) => `
  import { readPayload, readStream } from '${join(RUNTIME, 'read-stdin.ts')}';
  ${call}.then((payload) => process.exit(payload?.a === 1 ? 0 : 1));`;
const programs = {
  'is empty': '',
  'reads the stream': reading('readStream(process.stdin)'),
  'reads the descriptor': reading('readPayload()'),
};
for (const [name, contents] of Object.entries(programs)) {
  const stdin = { contents, resolveDir: import.meta.dirname };
  await build({ stdin, outfile: at(`${name}.cjs`), bundle: true, minify: true, platform: 'node', format: 'cjs' });
}

/** @type {Record<string, number[]>} */
const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
for (let run = 0; run < RUNS; run += 1) {
  for (const name of Object.keys(programs)) {
    const started = performance.now();
    const child = spawn(process.execPath, [at(`${name}.cjs`)], { stdio: ['pipe', 'ignore', 'inherit'] });
    child.stdin.on('error', () => undefined);
    child.stdin.end('{"a":1}\n');
    const status = await new Promise((done) => child.once('close', done));
    if (status !== 0) throw new Error(`"${name}" failed`);
    times[name]?.push(performance.now() - started);
  }
}
rmSync(folder, { recursive: true });
for (const [name, taken] of Object.entries(times)) {
  taken.sort((a, b) => a - b);
  console.log(`${name.padEnd(22)} ${(taken[(RUNS - 1) / 2] ?? 0).toFixed(1)} ms`);
}
