/**
 * What V8's code cache saves a hook: `npm run build`, then `node docs/decisions/measurements/code-cache.mjs`.
 * `<entry>.cjs` starts `<entry>.main.cjs` from the cache; started by itself, the latter is compiled anew each time.
 * Processor time, which a busy machine stretches less than the clock; interleaved runs and medians. Read the ratios.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleStubServer, loadTesting } from '../../../e2e/load-testing.mjs';

const RUNS = 41;
const ROOT = resolve(import.meta.dirname, '../../..');
const PAYLOAD = join(ROOT, 'libs/harness-zcode/dist/payload');
const EVENTS = {
  'session-start': { event: 'SessionStart', source: 'startup' },
  'user-prompt-submit': { event: 'UserPromptSubmit', prompt: 'Which package manager is used here?' },
  stop: { event: 'Stop', answer: 'It is pnpm.', toolCallCount: 0 },
};

const testing = await loadTesting();
const home = testing.createTemporaryHome();
const cwd = home.makeFolder('project');
const server = spawn(process.execPath, [await bundleStubServer(home.makeFolder('stub')), '1'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const [url] = await once(server.stdout, 'data');
home.write('.openviking/ovcli.conf', JSON.stringify({ url: String(url).trim(), api_key: 'none' }), 0o600);

const times = { 'empty.cjs': [] };
try {
  // The first rounds write the cache and warm the disk.
  for (let round = -3; round < RUNS; round += 1) {
    for (const kind of ['compiled', 'cached']) {
      const session = { sessionId: `sess_${randomUUID()}`, turnId: 'turn_1', traceId: 'none', cwd };
      for (const [entry, event] of Object.entries(EVENTS)) {
        const file = join(PAYLOAD, kind === 'cached' ? `${entry}.cjs` : `${entry}.main.cjs`);
        const payload = testing.hookInput({ ...session, transcriptPath: home.at('none') }, event);
        note(round, `${entry}, ${kind}`, await run(file, payload, session.sessionId));
        // A worker that this hook has started must not compete with what is measured next.
        await testing.untilHomeIsQuiet(home.path, 10_000);
      }
    }
    note(round, 'empty.cjs', await run(join(ROOT, 'e2e/bench/reference/empty.cjs'), '', 'none'));
  }
  const base = median(times['empty.cjs']);
  for (const [name, values] of Object.entries(times)) {
    const value = median(values);
    console.log(`${name.padEnd(28)} ${value.toFixed(1).padStart(6)} ms  ${(value / base).toFixed(2)} ×`);
  }
  const folder = home.at('.openviking/state/code-cache');
  for (const name of readdirSync(folder)) console.log(`${statSync(join(folder, name)).size} bytes  ${name}`);
} finally {
  testing.killProcessesOfHome(home.path);
  server.stdin.end();
  home.remove();
}

async function run(file, payload, session) {
  const cpuFile = home.at('cpu-time');
  const env = testing.homeEnvironment(home.path, {
    ...testing.hookEnvironment(session, cwd),
    CPU_FILE: cpuFile,
    NODE_OPTIONS: `--require ${join(import.meta.dirname, 'cpu-time.cjs')}`,
  });
  const outcome = await testing.runHook({ command: process.execPath, args: [file], cwd, env, payload });
  if (outcome.exitCode !== 0) throw new Error(`${file} ended with ${outcome.exitCode}: ${outcome.stderr}`);
  return Number(readFileSync(cpuFile, 'utf8')) / 1000;
}

function note(round, name, ms) {
  times[name] ??= [];
  if (round >= 0) times[name].push(ms);
}

function median(values) {
  return values.sort((one, other) => one - other)[(RUNS - 1) / 2];
}
