/** Small programs run in turn, so that what disturbs the machine disturbs all of them: their medians can be compared. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const RUNS = 41;

/**
 * Bundles each program, hands it a JSON object on stdin, and prints the median of its time in ms. A program that ends with
 * another code than 0 has not done what is measured.
 * @param {Readonly<Record<string, string>>} programs name → TypeScript source
 */
export async function interleaved(programs) {
  const folder = mkdtempSync(join(tmpdir(), 'ov-interleaved-'));
  const at = (/** @type {string} */ name) => join(folder, `${name}.cjs`);
  /** @type {Record<string, number[]>} */
  const times = {};
  try {
    for (const [name, contents] of Object.entries(programs)) {
      const stdin = { contents, resolveDir: import.meta.dirname };
      await build({ stdin, outfile: at(name), bundle: true, minify: true, platform: 'node', format: 'cjs' });
      times[name] = [];
    }
    for (let run = 0; run < RUNS; run += 1) {
      for (const [name, taken] of Object.entries(times)) {
        const started = performance.now();
        const child = spawn(process.execPath, [at(name)], { stdio: ['pipe', 'ignore', 'inherit'] });
        child.stdin.on('error', () => undefined);
        child.stdin.end('{"a":1}\n');
        const status = await new Promise((done) => child.once('close', done));
        if (status !== 0) throw new Error(`"${name}" failed`);
        taken.push(performance.now() - started);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  for (const [name, taken] of Object.entries(times)) {
    taken.sort((a, b) => a - b);
    console.log(`${name.padEnd(24)} ${(taken[(RUNS - 1) / 2] ?? 0).toFixed(1)} ms`);
  }
}
