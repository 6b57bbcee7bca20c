/**
 * What the hooks of a turn cost while conversations wait for a server that is away. Needs a build of ZCode's bundles, and
 * Linux: the workers that the hooks start are found in /proc and ended, for they would work beside the next hook.
 *
 *   node docs/decisions/measurements/many-waiting.mjs [folder of the bundles]
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { loadTesting } from '../../../e2e/load-testing.mjs';

const RUNS = 15;
/** Of each home, before it is measured: they measure what waits, and leave the code cache. */
const RUNS_BEFORE = 3;
const WAITING = [0, 100, 1_000];
const RECORDS_EACH = 5;
const BUNDLES = process.argv[2] ?? resolve(import.meta.dirname, '../../../libs/harness-zcode/dist/payload');

const testing = await loadTesting();

/** @param {number} conversations */
function makeHome(conversations) {
  const home = testing.createTemporaryHome();
  home.makeFolder('project');
  // Nothing listens there.
  const settings = { url: 'http://127.0.0.1:9', api_key: 'k', plugin: { autoRecall: false } };
  home.write('.openviking/ovcli.conf', JSON.stringify(settings), 0o600);
  testing.leaveWaiting(home, { conversations, harness: 'zcode', sessionPrefix: 'zc-', recordsEach: RECORDS_EACH });
  return home;
}

/**
 * ms of one hook.
 *
 * @param {import('../../../libs/memory-core/testing/temporary-home.ts').TemporaryHome} home
 * @param {string} entry
 * @param {object} payload
 */
function run(home, entry, payload) {
  const cwd = home.at('project');
  const started = performance.now();
  const { status } = spawnSync(process.execPath, [join(BUNDLES, `${entry}.cjs`)], {
    input: `${JSON.stringify({ cwd, turnId: 't1', ...payload })}\n`,
    cwd,
    env: testing.homeEnvironment(home.path),
  });
  const taken = performance.now() - started;
  if (status !== 0) throw new Error(`${entry} failed`);
  testing.killProcessesOfHome(home.path);
  return taken;
}

const homes = WAITING.map((conversations) => ({
  conversations,
  home: makeHome(conversations),
  prompts: /** @type {number[]} */ ([]),
  stops: /** @type {number[]} */ ([]),
}));
for (let number = -RUNS_BEFORE; number < RUNS; number += 1) {
  for (const { home, prompts, stops } of homes) {
    const sessionId = `measured-${number + RUNS_BEFORE}`;
    const prompt = { sessionId, hookEventName: 'UserPromptSubmit', prompt: 'A question about the release' };
    const prompted = run(home, 'user-prompt-submit', prompt);
    const stopped = run(home, 'stop', { sessionId, hookEventName: 'Stop', response: 'An answer about the release' });
    if (number < 0) continue;
    prompts.push(prompted);
    stops.push(stopped);
  }
}

const median = (/** @type {number[]} */ taken) => [...taken].sort((a, b) => a - b)[(RUNS - 1) / 2] ?? Number.NaN;
const [alone] = homes;
if (alone === undefined) throw new Error('nothing measured');
for (const { home, conversations, prompts, stops } of homes) {
  const shown = [prompts, stops].map(median).map((ms, index) => {
    const reference = median(index === 0 ? alone.prompts : alone.stops);
    return `${ms.toFixed(1)} ms (${(ms / reference).toFixed(2)})`;
  });
  console.log(`${String(conversations).padStart(5)} waiting   prompt ${shown[0]}   stop ${shown[1]}`);
  home.remove();
}
