/**
 * Measures what the hooks cost their host, as ratios to small reference programs that run in turn with them: an absolute
 * time says more about the machine than about the program.
 *
 *   node e2e/bench/run.mjs [hostile] [--runs N] [--json]
 *
 * The budgets are goals, so a missed one is shown and does not change the exit code. Without --json the benchmark of the
 * MCP proxy follows.
 */
import { randomUUID } from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { bundleStubServer, loadTesting } from '../load-testing.mjs';
import { PROMPT_HOOKS, STATUS_LINE } from './prompt-hooks.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
const PAYLOAD = join(ROOT, 'libs', 'harness-zcode', 'dist', 'payload');
const INSTALLER = join(ROOT, 'apps', 'installer', 'bin', 'openviking-install.mjs');
const REFERENCE = join(import.meta.dirname, 'reference');
const ENTRIES = ['session-start.main', 'user-prompt-submit.main', 'uri-guard', 'stop.main'];
const ENTRY_BUDGET_KB = 90;
const CLIENTS = 'zcode,claude,cursor,trae,trae-cn';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '40' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const runs = Number(values.runs);
if (values.help || !Number.isInteger(runs) || runs < 1) {
  console.log('Usage: node e2e/bench/run.mjs [hostile] [--runs N] [--json]');
  process.exit(values.help ? 0 : 2);
}
for (const bundle of [
  join(PAYLOAD, 'stop.cjs'),
  STATUS_LINE.file,
  ...PROMPT_HOOKS.map(({ payload, entry }) => join(payload, `${entry}.cjs`)),
]) {
  if (existsSync(bundle)) continue;
  console.error(`${bundle} does not exist. Build it first: npm run build`);
  process.exit(1);
}

if (positionals[0] === 'hostile') {
  // A benchmark of its own: what a hook costs in a repository that means harm.
  await import('./hostile.mjs');
  process.exit();
}

const testing = await loadTesting();

/** @typedef {{ what: string, measured: number, unit: 'ms' | 'KB' | 'MB', reference?: number, against?: string, ratio?: number, budget: number, within: boolean }} Row */

/** @type {Row[]} */
const rows = [];
const home = testing.createTemporaryHome();
const cwd = home.makeFolder('project');
const stub = await startStub();
home.write('.openviking/ovcli.conf', JSON.stringify({ url: stub.url, api_key: 'bench' }), 0o600);

try {
  await measureHooks();
  await measureLongRollout();
  await measureInstall();
  measureBundles();
} finally {
  testing.killProcessesOfHome(home.path);
  stub.stop();
  home.remove();
}
if (values.json) console.log(JSON.stringify({ node: process.version, runs, rows }, null, 2));
else {
  print();
  console.log('');
  // A benchmark of its own: the proxy lives long, what matters is what it adds to each call.
  spawnSync(process.execPath, [join(import.meta.dirname, 'mcp-proxy.mjs')], { stdio: 'inherit' });
}

/** Plays `runs` short conversations; each hook is followed at once by what it is compared with. */
async function measureHooks() {
  /** @type {Record<string, number[]>} */
  const times = {};
  const note = (/** @type {string} */ name, /** @type {number} */ ms) => (times[name] ??= []).push(ms);
  // Two rounds more than asked for: the first ones fill the file cache.
  for (let round = -2; round < runs; round += 1) {
    const session = newSession();
    const prompt = { event: 'UserPromptSubmit', prompt: `Which package manager is used in project ${round}?` };
    const shell = { event: 'PreToolUse', toolName: 'Bash', toolInput: { command: 'ls' }, toolCallId: 'call_1' };
    const stop = { event: 'Stop', answer: `It is pnpm in project ${round}.`, toolCallCount: 0 };
    const steps = [
      ['post', reference('stdin-post.cjs', session.input(prompt))],
      ['session-start', hook('session-start', session, { event: 'SessionStart', source: 'startup' })],
      ['prompt', hook('user-prompt-submit', session, prompt)],
      ...PROMPT_HOOKS.map((of) => [`prompt of ${of.client}`, promptHook(of, prompt.prompt)]),
      ['stdin', reference('stdin-only.cjs', session.input(shell))],
      ['guard', hook('uri-guard', session, shell)],
      ['empty', reference('empty.cjs', '')],
      ['turn-end', hook('stop', session, stop)],
      ['status line', program(STATUS_LINE.file, `${JSON.stringify(STATUS_LINE.input(cwd))}\n`, {})],
    ];
    for (const [name, run] of steps) {
      const outcome = await run();
      if (outcome.exitCode !== 0) throw new Error(`${name} ended with ${outcome.exitCode}: ${outcome.stderr}`);
      const speaks = name === 'session-start' || name.startsWith('prompt') || name === 'post';
      if (speaks !== outcome.stdout.includes('pnpm')) throw new Error(`${name} answered "${outcome.stdout}"`);
      if (round >= 0) note(name, outcome.closedMs);
      // A worker that this hook has started must not compete with what is measured next.
      await testing.untilHomeIsQuiet(home.path, 10_000);
    }
  }
  const compare = (what, name, against, title, budget) =>
    rows.push(ratioRow(what, median(times[name]), median(times[against]), title, budget));
  compare('guard, nothing to guard', 'guard', 'stdin', 'reads JSON from stdin', 1.15);
  compare('prompt, server answers in 1 ms', 'prompt', 'post', 'stdin and one POST', 1.25);
  for (const { client } of PROMPT_HOOKS) {
    compare(`the same in ${client}`, `prompt of ${client}`, 'post', 'stdin and one POST', 1.25);
  }
  compare('session start, all parts', 'session-start', 'post', 'stdin and one POST', 1.6);
  compare('turn end, durable', 'turn-end', 'empty', 'an empty program', 1.7);
  compare('status line of Claude Code', 'status line', 'empty', 'an empty program', 1.5);
}

/** One new turn at the end of a long record must not cost more than at the end of a short one. */
async function measureLongRollout() {
  const short = await longSession(1);
  const long = await longSession(200);
  /** @type {number[][]} */
  const times = [[], []];
  let most = 0;
  for (let round = -1; round < Math.max(5, Math.ceil(runs / 4)); round += 1) {
    for (const [index, session] of [short, long].entries()) {
      const { run, rssKb } = await session.turn(`round ${round}`);
      if (run.exitCode !== 0) throw new Error(`turn end on a long record: ${run.stderr}`);
      if (round >= 0) times[index]?.push(run.closedMs);
      if (session === long) most = Math.max(most, rssKb);
      await testing.untilHomeIsQuiet(home.path, 10_000);
    }
  }
  const title = 'the same on 1 MB';
  rows.push(ratioRow('turn end, one new turn on 200 MB', median(times[1]), median(times[0]), title, 1.3));
  const megabytes = most / 1024;
  rows.push({
    what: 'turn end on 200 MB, memory',
    measured: megabytes,
    unit: 'MB',
    budget: 120,
    within: megabytes <= 120,
  });
}

/**
 * A session whose record already has `megabytes` that an earlier turn end has seen.
 *
 * @param {number} megabytes
 */
async function longSession(megabytes) {
  const session = newSession();
  const folder = home.makeFolder('.zcode/cli/rollout');
  const writer = new testing.RolloutWriter(folder, { fileLimitBytes: 1024 ** 3, fileLimit: 9 });
  const line = (turnId, question, answer) => ({
    sessionId: session.id,
    turnId,
    traceId: 'bench',
    querySource: 'main_turn',
    attempt: 1,
    messages: [{ role: 'user', content: question }],
    outcome: { kind: 'answer', text: answer, toolCalls: [] },
  });
  writer.append(line('turn_first', 'The very first question', 'The very first answer'));
  const file = writer.path(session.id);
  const padding = writer.append(line('turn_padding', 'A long question', 'x'.repeat(100_000)));
  while (statSync(file).size < megabytes * 1024 * 1024) appendFileSync(file, padding);

  const turn = async (/** @type {string} */ name) => {
    session.turnId = `turn_${randomUUID()}`;
    const question = `A question in ${name} about the record`;
    const answer = `An answer in ${name} about the record`;
    await hook('user-prompt-submit', session, { event: 'UserPromptSubmit', prompt: question })();
    writer.append(line(session.turnId, question, answer));
    const rssFile = home.at('rss');
    // In quotes: the clone may lie in a folder with a space in its name.
    const preload = JSON.stringify(join(import.meta.dirname, 'measure-rss.cjs'));
    const measured = { RSS_FILE: rssFile, NODE_OPTIONS: `--require ${preload}` };
    const detail = { event: 'Stop', answer, toolCallCount: 0 };
    const run = await hook('stop', session, detail, measured)();
    return { run, rssKb: Number(readFileSync(rssFile, 'utf8')) };
  };
  await turn('the beginning');
  await testing.untilHomeIsQuiet(home.path, 20_000);
  return { turn };
}

/** The whole installer, offline, into a fresh home. */
async function measureInstall() {
  if (!existsSync(INSTALLER)) return;
  const times = [];
  for (let round = 0; round < 5; round += 1) {
    const fresh = testing.createTemporaryHome();
    const args = ['install', '--harness', CLIENTS, '--url', stub.url, '--api-key-stdin', '--yes', '--home', fresh.path];
    const run = await testing.runHook({
      command: process.execPath,
      args: [INSTALLER, ...args],
      cwd: fresh.path,
      // Without the commands of clients, which would be asked for their version and take their own time.
      env: testing.homeEnvironment(fresh.path, { PATH: '/usr/bin:/bin' }),
      payload: 'bench\n',
    });
    if (run.exitCode !== 0) throw new Error(`the installer ended with ${run.exitCode}: ${run.stdout}${run.stderr}`);
    times.push(run.wallMs);
    fresh.remove();
  }
  const measured = median(times);
  rows.push({ what: 'install of all clients', measured, unit: 'ms', budget: 5_000, within: measured <= 5_000 });
}

function measureBundles() {
  for (const entry of ENTRIES) {
    const measured = statSync(join(PAYLOAD, `${entry}.cjs`)).size / 1024;
    const within = measured <= ENTRY_BUDGET_KB;
    rows.push({ what: `bundle ${entry}.cjs`, measured, unit: 'KB', budget: ENTRY_BUDGET_KB, within });
  }
  for (const { client, payload } of PROMPT_HOOKS) {
    const measured = Math.max(...hookBundles(payload).map((file) => statSync(file).size)) / 1024;
    const within = measured <= ENTRY_BUDGET_KB;
    rows.push({ what: `largest hook bundle of ${client}`, measured, unit: 'KB', budget: ENTRY_BUDGET_KB, within });
  }
}

/**
 * What the client starts, without loaders, and without what only runs beside it or when a filter or a proxy is configured.
 *
 * @param {string} payload
 */
function hookBundles(payload) {
  const others = new Set([
    'worker.cjs',
    'mcp-proxy.cjs',
    'mcp-proxy.main.cjs',
    'filters.cjs',
    'proxy.cjs',
    'secrets.cjs',
    'seldom.cjs',
  ]);
  const names = readdirSync(payload).filter((name) => name.endsWith('.cjs') && !others.has(name));
  return names.map((name) => join(payload, name));
}

function newSession() {
  const session = {
    id: `sess_${randomUUID()}`,
    turnId: `turn_${randomUUID()}`,
    /** @param {any} detail */
    input: (detail) =>
      testing.hookInput(
        { sessionId: session.id, turnId: session.turnId, traceId: 'bench', cwd, transcriptPath: home.at('none') },
        detail,
      ),
  };
  return session;
}

/** A hook that can be run as the client runs it. */
function hook(entry, session, detail, env = {}) {
  return program(join(PAYLOAD, `${entry}.cjs`), session.input(detail), {
    ...testing.hookEnvironment(session.id, cwd),
    ...env,
  });
}

/**
 * The prompt hook of another client, in a conversation of its own.
 *
 * @param {import('./prompt-hooks.mjs').PromptHook} of
 * @param {string} prompt
 */
function promptHook({ payload, entry, input, env }, prompt) {
  const question = { id: randomUUID(), cwd, home: home.path, prompt };
  return program(join(payload, `${entry}.cjs`), `${JSON.stringify(input(question))}\n`, env(question));
}

function reference(name, payload) {
  return program(join(REFERENCE, name), payload, { REFERENCE_URL: stub.url });
}

function program(file, payload, env) {
  return () =>
    testing.runHook({
      command: process.execPath,
      args: [file],
      cwd,
      env: testing.homeEnvironment(home.path, env),
      payload,
    });
}

/** The stub in a process of its own, answering after 1 ms. */
async function startStub() {
  const file = await bundleStubServer(home.makeFolder('stub'));
  const child = spawn(process.execPath, [file, '1'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [url] = await new Promise((done, failed) => {
    child.once('error', failed);
    createInterface({ input: child.stdout }).once('line', (line) => done([line]));
  });
  return { url, stop: () => child.stdin.end() };
}

/** @returns {Row} */
function ratioRow(what, measured, against, title, budget) {
  const ratio = measured / against;
  return { what, measured, unit: 'ms', reference: against, against: title, ratio, budget, within: ratio <= budget };
}

function median(numbers = []) {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
}

function print() {
  const table = rows.map((row) => [
    row.what,
    `${row.measured.toFixed(row.unit === 'ms' ? 1 : 0)} ${row.unit}`,
    row.reference === undefined ? '' : `${row.reference.toFixed(1)} ms  ${row.against}`,
    row.ratio === undefined ? '' : `${row.ratio.toFixed(2)} x`,
    row.ratio === undefined ? `${row.budget} ${row.unit}` : `${row.budget} x`,
    row.within ? 'ok' : 'over',
  ]);
  const head = ['what', 'median', 'reference', 'ratio', 'budget', ''];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...table.map((cells) => cells[column]?.length ?? 0)),
  );
  for (const cells of [head, ...table]) {
    console.log(
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
  console.log(`\nMedian of ${runs} interleaved runs, Node ${process.version}, ${process.platform}.`);
}
