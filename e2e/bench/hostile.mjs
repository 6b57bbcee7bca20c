/**
 * What a hook costs in a repository that means harm, as a ratio to the same hook in one that does not, run in turn:
 *
 *   npm run bench -- hostile [--runs N] [--json]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { bundleStubServer, loadTesting } from '../load-testing.mjs';

const PAYLOAD = join(import.meta.dirname, '..', '..', 'libs', 'harness-zcode', 'dist', 'payload');
const BUDGET = 1.2;

const { values } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '40' }, json: { type: 'boolean', default: false } },
});
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) {
  console.error('Usage: npm run bench -- hostile [--runs N] [--json]');
  process.exit(2);
}

const testing = await loadTesting();
const { HOSTILE_KINDS, makeHostile } = await loadHostile();
const home = testing.createTemporaryHome();
const rows = [];
const { url, stop } = await startStub();
try {
  home.write('.openviking/ovcli.conf', JSON.stringify({ url, api_key: 'bench' }), 0o600);
  const outside = home.write('outside.json', JSON.stringify({ version: 1, url: 'http://127.0.0.1:9' }));
  const plain = home.makeFolder('plain');
  home.makeFolder('plain/.git');
  for (const kind of HOSTILE_KINDS) {
    const hostile = home.makeFolder(`hostile-${kind}`);
    makeHostile(hostile, kind, 'http://127.0.0.1:9', outside);
    for (const [entry, detail] of [
      ['user-prompt-submit', { event: 'UserPromptSubmit', prompt: 'Which package manager is used here?' }],
      ['stop', { event: 'Stop', answer: 'It is pnpm, as before.', toolCallCount: 0 }],
    ]) {
      const times = { plain: [], hostile: [] };
      // Two rounds more than asked for: the first ones fill the file cache.
      for (let round = -2; round < runs; round += 1) {
        for (const [name, cwd] of round % 2 === 0
          ? [
              ['plain', plain],
              ['hostile', hostile],
            ]
          : [
              ['hostile', hostile],
              ['plain', plain],
            ]) {
          const ms = await hook(entry, detail, cwd, `${kind}-${entry}-${round}`);
          if (round >= 0) times[name].push(ms);
        }
      }
      const [measured, reference] = [median(times.hostile), median(times.plain)];
      const ratio = measured / reference;
      rows.push({
        what: `${entry}, hostile ${kind}`,
        measured,
        reference,
        ratio,
        budget: BUDGET,
        within: ratio <= BUDGET,
      });
    }
  }
} finally {
  testing.killProcessesOfHome(home.path);
  stop();
  home.remove();
}
if (values.json) console.log(JSON.stringify({ node: process.version, runs, rows }, null, 2));
else {
  for (const { what, measured, reference, ratio, budget, within } of rows) {
    const figures = `${measured.toFixed(1)} ms against ${reference.toFixed(1)} ms`;
    console.log(
      `${what.padEnd(36)}  ${figures.padEnd(26)}  ${ratio.toFixed(2)} x  (budget ${budget} x)  ${within ? 'ok' : 'over'}`,
    );
  }
  console.log(`\nMedian of ${runs} interleaved runs, Node ${process.version}, ${process.platform}.`);
}

/** Runs one hook of a conversation of its own; ms until its output was closed. */
async function hook(entry, detail, cwd, name) {
  const id = `sess_${name}-${cwd.length}`;
  const situation = { sessionId: id, turnId: `turn_${name}`, traceId: 'bench', cwd, transcriptPath: home.at('none') };
  const run = await testing.runHook({
    command: process.execPath,
    args: [join(PAYLOAD, `${entry}.cjs`)],
    cwd,
    env: testing.homeEnvironment(home.path, testing.hookEnvironment(id, cwd)),
    payload: testing.hookInput(situation, detail),
  });
  if (run.exitCode !== 0) throw new Error(`${entry} ended with ${run.exitCode}: ${run.stderr}`);
  // A worker that this hook has started must not compete with what is measured next.
  await testing.untilHomeIsQuiet(home.path, 10_000);
  return run.closedMs;
}

/** The stub in a process of its own, answering after 1 ms. */
async function startStub() {
  const file = await bundleStubServer(home.makeFolder('stub'));
  const child = spawn(process.execPath, [file, '1'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [address] = await new Promise((done, failed) => {
    child.once('error', failed);
    createInterface({ input: child.stdout }).once('line', (line) => done([line]));
  });
  return { url: address, stop: () => child.stdin.end() };
}

/** @returns {Promise<typeof import('../must-hold/hostile-repository.ts')>} */
async function loadHostile() {
  const folder = mkdtempSync(join(tmpdir(), 'openviking-hostile-'));
  try {
    const outfile = join(folder, 'hostile-repository.mjs');
    const entry = join(import.meta.dirname, '..', 'must-hold', 'hostile-repository.ts');
    await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function median(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle) - 1] ?? Number.NaN)) / 2;
}
