/**
 * What the hooks of a turn cost while conversations wait for a server that is away. Needs a build of ZCode's bundles, and
 * Linux: the workers that the hooks start are found in /proc and ended, for they would work beside the next hook.
 *
 *   node docs/decisions/measurements/many-waiting.mjs [folder of the bundles]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const RUNS = 15;
/** Of each home, before it is measured: they measure what waits, and leave the code cache. */
const RUNS_BEFORE = 3;
const WAITING = [0, 100, 1_000];
const RECORDS_EACH = 5;
const BUNDLES = process.argv[2] ?? resolve(import.meta.dirname, '../../../libs/harness-zcode/dist/payload');

/** @param {number} conversations */
function makeHome(conversations) {
  const home = mkdtempSync(join(tmpdir(), 'ov-many-waiting-'));
  const spool = join(home, '.openviking', 'spool');
  mkdirSync(join(home, 'project'));
  mkdirSync(join(spool, '.queue'), { recursive: true, mode: 0o700 });
  // Nothing listens there.
  const settings = { url: 'http://127.0.0.1:9', api_key: 'k', plugin: { autoRecall: false } };
  writeFileSync(join(home, '.openviking', 'ovcli.conf'), JSON.stringify(settings), { mode: 0o600 });
  for (let number = 0; number < conversations; number += 1) {
    const session = `zc-waiting-${String(number).padStart(5, '0')}`;
    for (const part of ['records', 'pending']) mkdirSync(join(spool, session, part), { recursive: true, mode: 0o700 });
    for (let seq = 1; seq <= RECORDS_EACH; seq += 1) {
      const at = '2026-11-30T00:00:00.000Z';
      const parts = [{ type: 'text', text: 'x'.repeat(400) }];
      const record = {
        version: 1,
        seq,
        session,
        harness: 'zcode',
        nativeId: session,
        environment: '',
        createdAt: at,
        messages: [{ role: 'user', parts, turn_id: `t${seq}`, created_at: at }],
        cursor: { turns: [] },
      };
      const name = `${String(seq).padStart(12, '0')}.json`;
      writeFileSync(join(spool, session, 'records', name), JSON.stringify(record), { mode: 0o600 });
    }
    writeFileSync(join(spool, '.queue', session), '');
  }
  return home;
}

/** @param {string} home */
function endWorkersOf(home) {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'latin1').includes(home)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Gone, or somebody else's.
    }
  }
}

/**
 * ms of one hook.
 *
 * @param {string} home
 * @param {string} entry
 * @param {object} payload
 */
function run(home, entry, payload) {
  const cwd = join(home, 'project');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const started = performance.now();
  const { status } = spawnSync(process.execPath, [join(BUNDLES, `${entry}.cjs`)], {
    input: `${JSON.stringify({ cwd, turnId: 't1', ...payload })}\n`,
    cwd,
    env,
  });
  const taken = performance.now() - started;
  if (status !== 0) throw new Error(`${entry} failed`);
  endWorkersOf(home);
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
  rmSync(home, { recursive: true, force: true });
}
