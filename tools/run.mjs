/**
 * What the commands of package.json do. Plain Node.js without a dependency, because each of them must work in a fresh clone,
 * before anything is installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { claudeCode } from '../e2e/real-clients/client-cache.mjs';

const ROOT = dirname(import.meta.dirname);
const HELP = `Usage: npm run <command>

  build        install what is missing, then build; afterwards node_modules/.bin/openviking-install works
  verify       install, build, check what is generated, format, lint, types, all tests, end-to-end tests
  demo         build, then show memory crossing from one conversation into the next, in a scratch home
  bench        build, then measure hooks and proxy against their budgets
  fault        play turns while the server misbehaves and processes are killed; options: --help
  e2e:clients  build, then run the product inside the real Claude Code, offline
  e2e:orders   build, then take five clients out in all 120 orders and all 31 groups; a quarter of an hour`;

/** Nx as a plain task runner: no daemon that outlives the command, no terminal takeover, no cloud, no questions. */
const NX_ENVIRONMENT = {
  NX_DAEMON: 'false',
  NX_TUI: 'false',
  NX_NO_CLOUD: 'true',
  NX_INTERACTIVE: 'false',
  NX_SKIP_LOG_GROUPING: 'true',
};
const COLOR = process.stdout.isTTY === true && !process.env['NO_COLOR'];
/** Nx forces colours on its tasks unless told otherwise. Some programs look at one variable, some at the other. */
const PLAIN = { NO_COLOR: '1', FORCE_COLOR: '0' };
/** One more than a build server has cores: the tests mostly wait for processes that they have started. */
const PARALLEL = '--parallel=3';
/** How long one step may take, in ms: only to end what hangs. The longest one takes a few minutes, on a slow machine half an hour. */
const STEP_LIMIT_MS = 2 * 60 * 60_000;
/** Each project's jest writes its counts here. Nx keeps the file with the cached result (nx.json, outputs of `test`). */
const REPORT = 'coverage/jest.json';
/** The same for the tests with real clients, which are no project of their own. */
const REAL_CLIENTS_REPORT = 'e2e/coverage/real-clients.json';

/**
 * @typedef {object} Step
 * @property {string} title
 * @property {string[]} command Program and arguments; `npm` and programs of node_modules by name.
 * @property {string} [repeat] What a person types to repeat it, where that differs from the command.
 * @property {string} [needs] The step exists only where this file does.
 * @property {boolean} [vital] Nothing after it makes sense when it fails.
 * @property {() => string | undefined} [whyNot] Why the step cannot be done on this machine, as a sentence.
 */

/** @type {Step} */
const BUILD = {
  title: 'build',
  command: ['nx', 'run-many', '-t', 'build', PARALLEL],
  repeat: 'npm run build',
};

/** Without warnings: dependencies of dependencies that ask for a newer Node.js are none of a reader's concern. */
const INSTALL = ['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'];

/** @type {Step} */
const ORDERS = {
  title: 'orders',
  command: ['npm', 'test', '--workspace=@openviking/install', '--', 'taken-out'],
  repeat: 'npm run e2e:orders',
};

const TESTS = ['nx', 'run-many', '-t', 'test', '--exclude=@openviking/e2e', PARALLEL];

/** @type {Step[]} */
const VERIFY = [
  BUILD,
  { title: 'vendored copies', command: ['nx', 'sync:check'], repeat: 'npx nx sync' },
  { title: 'doors of the core', command: ['node', 'tools/sync-vendor/bin/check-doors.mjs'] },
  { title: 'changesets', command: ['node', 'tools/sync-vendor/bin/check-changesets.mjs'] },
  generated('reference', 'tools/generate-reference/generate.mjs', '--check'),
  generated('plugin', 'tools/check-plugin/check-plugin.mjs'),
  { title: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'], repeat: 'npm run format' },
  { title: 'lint', command: ['nx', 'run-many', '-t', 'lint', PARALLEL] },
  { title: 'lint of the root', command: ['eslint', '*.mjs', 'tools/*.mjs', 'docs'] },
  // In one go: what each package checks by itself is for the greater part the core, again and again.
  {
    title: 'types',
    command: ['node', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.everything.json'],
    repeat: 'npx tsc -p tsconfig.everything.json',
  },
  { title: 'types of the tools', command: ['nx', 'run-many', '-t', 'typecheck', '--projects=tools/*', PARALLEL] },
  {
    title: 'tests',
    command: [...TESTS, '--', '--json', `--outputFile=${REPORT}`],
    repeat: `npx ${TESTS.join(' ')}`,
  },
  {
    title: 'end to end',
    // Not through Nx: what real processes, ports and files show is never taken from a cache, and what was built above is not
    // built once more for it.
    command: ['npm', 'test', '--workspace=@openviking/e2e', '--', '--json', `--outputFile=${REPORT}`],
    repeat: 'cd e2e && npm test',
  },
  {
    title: 'real clients',
    command: ['node', 'e2e/real-clients/run.mjs', '--json', `--outputFile=${join(ROOT, REAL_CLIENTS_REPORT)}`],
    repeat: 'npm run e2e:clients',
    // Of somebody else's making, and downloaded once: without it everything of ours can still be verified.
    whyNot: () => {
      const client = claudeCode();
      return 'reason' in client ? client.reason : undefined;
    },
  },
];

/**
 * @param {string} title
 * @param {string} script
 * @param {string[]} args
 * @returns {Step}
 */
function generated(title, script, ...args) {
  return { title, command: ['node', script, ...args], needs: script };
}

const COMMANDS = {
  build: () => finish(runSteps([BUILD])),
  verify,
  demo: () => buildThen('e2e/demo.mjs'),
  bench: () => buildThen('e2e/bench/run.mjs'),
  // It bundles its own hooks: nothing that ships has to be built for it.
  fault: () => afterwards(runSteps([]), 'e2e/fault/run.mjs'),
  'e2e:clients': () => buildThen('e2e/real-clients/run.mjs'),
  'e2e:orders': () => {
    process.env['OPENVIKING_ORDERS'] = 'all';
    return finish(runSteps([BUILD, ORDERS]));
  },
};

const [name = '', ...rest] = process.argv.slice(2);
if (name === '--help' || name === '-h' || (rest.includes('--help') && name !== 'fault')) {
  // The fault machine has options of its own to tell of.
  console.log(HELP);
} else if (Object.hasOwn(COMMANDS, name)) {
  process.exitCode = COMMANDS[/** @type {keyof typeof COMMANDS} */ (name)]();
} else {
  console.error(name === '' ? HELP : `There is no command "${name}".\n\n${HELP}`);
  process.exitCode = 2;
}

/**
 * @typedef {object} Result
 * @property {string} title
 * @property {'passed' | 'failed' | 'skipped' | 'not run'} outcome
 * @property {number} seconds
 * @property {string} repeat
 * @property {string} [reason] Why it was skipped.
 */

/** @returns {number} Exit code. */
function verify() {
  for (const project of testedProjects()) {
    rmSync(join(ROOT, project, REPORT), { force: true });
    // jest does not make the folder.
    mkdirSync(dirname(join(ROOT, project, REPORT)), { recursive: true });
  }
  rmSync(join(ROOT, REAL_CLIENTS_REPORT), { force: true });
  const results = runSteps(VERIFY);
  const counts = countTests();
  if (!results.some(({ outcome }) => outcome === 'not run')) {
    for (const project of counts.silent) {
      const repeat = `cd ${project} && npm test`;
      results.push({ title: `no test report of ${project}`, outcome: 'failed', seconds: 0, repeat });
    }
  }
  const code = finish(results);
  if (counts.skipped.length > 0) console.log(`${counts.skipped.length} tests were skipped:`);
  for (const name of counts.skipped) console.log(`  ${name}`);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return code;
}

/**
 * Builds, then hands the terminal to a program.
 *
 * @param {string} script
 * @returns {number} Exit code.
 */
function buildThen(script) {
  return afterwards(runSteps([BUILD]), script);
}

/**
 * @param {Result[]} results Of what had to be done first.
 * @param {string} script
 * @returns {number} Exit code.
 */
function afterwards(results, script) {
  const code = finish(results);
  return code === 0 ? run(['node', script, ...rest]) : code;
}

/**
 * Installs first. A failed step does not keep the later ones from running, so that one run shows every problem, unless
 * they depend on it.
 *
 * @param {Step[]} steps
 * @returns {Result[]}
 */
function runSteps(steps) {
  const wanted = steps.filter(({ needs }) => needs === undefined || existsSync(join(ROOT, needs)));
  const reason = whyInstall();
  if (reason !== undefined) {
    console.log(reason);
    wanted.unshift({ title: 'install', command: INSTALL, vital: true });
  }
  let blocked = false;
  return wanted.map(({ title, command, repeat = typed(command), vital = false, whyNot }) => {
    if (blocked) return { title, outcome: 'not run', seconds: 0, repeat };
    console.log(`\n${paint('1', `── ${title} ──`)}`);
    const start = performance.now();
    const reason = whyNot?.();
    if (reason !== undefined) {
      console.log(`Skipped. ${reason}`);
      return { title, outcome: 'skipped', seconds: (performance.now() - start) / 1000, repeat, reason };
    }
    const code = run(command, STEP_LIMIT_MS);
    const seconds = (performance.now() - start) / 1000;
    if (code === 0) return { title, outcome: 'passed', seconds, repeat };
    console.error(`${paint('31', `${title} failed`)}. To repeat: ${repeat}`);
    blocked = vital;
    return { title, outcome: 'failed', seconds, repeat };
  });
}

/** @param {string[]} command */
function typed([program = '', ...args]) {
  return [program === 'node' || program === 'npm' ? program : `npx ${program}`, ...args].join(' ');
}

/**
 * Prints the table.
 *
 * @param {Result[]} results
 * @returns {number} Exit code.
 */
function finish(results) {
  const failed = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'not run');
  if (results.length > 1 || failed.length > 0) {
    const width = Math.max(...results.map(({ title }) => title.length));
    console.log('');
    for (const { title, outcome, seconds, repeat, reason } of results) {
      const color = { passed: '32', skipped: '33', failed: '31', 'not run': '31' }[outcome];
      const line = `${title.padEnd(width)}  ${paint(color, outcome.padEnd(7))}  ${seconds.toFixed(1).padStart(6)} s`;
      const more = outcome === 'failed' ? repeat : reason;
      console.log(more === undefined ? line : `${line}  ${more}`);
    }
    console.log('');
  }
  return failed.length === 0 ? 0 : 1;
}

/**
 * Why `npm ci` must run: what is installed is not what package-lock.json says. The contents are compared, not the times,
 * which a checkout changes at will; npm's own list goes on naming what somebody has deleted. Optional packages of other
 * platforms are rightly absent. npm links a program of ours only if its file was there at the time.
 *
 * @returns {string | undefined}
 */
function whyInstall() {
  const installed = packagesIn('node_modules/.package-lock.json');
  if (installed === undefined) return 'node_modules is missing.';
  const locked = packagesIn('package-lock.json') ?? {};
  for (const [path, entry] of Object.entries(locked)) {
    if (path === '') continue;
    const found = installed[path];
    if (found === undefined && entry.optional === true) continue;
    if (found === undefined || !existsSync(join(ROOT, path))) return `${path} is not installed.`;
    if (!isDeepStrictEqual(found, entry)) return `${path} is not what package-lock.json says.`;
  }
  const extra = Object.keys(installed).find((path) => !Object.hasOwn(locked, path));
  if (extra !== undefined) return `${extra} is not in package-lock.json.`;
  const unlinked = Object.entries(locked)
    .filter(([path]) => path !== '' && !path.startsWith('node_modules/'))
    .flatMap(([path, { bin = {} }]) => Object.entries(bin).map(([name, file]) => ({ name, file: join(path, file) })))
    .find(({ name, file }) => existsSync(join(ROOT, file)) && !existsSync(join(ROOT, 'node_modules/.bin', name)));
  return unlinked === undefined ? undefined : `node_modules/.bin/${unlinked.name} is missing.`;
}

/**
 * @param {string} path
 * @returns {Record<string, { optional?: boolean, bin?: Record<string, string> }> | undefined}
 */
function packagesIn(path) {
  return existsSync(join(ROOT, path)) ? JSON.parse(readFileSync(join(ROOT, path), 'utf8')).packages : undefined;
}

/** Adds up the reports of all projects. A suite that did not even start counts as one failure. The name of a skipped test says why. */
function countTests() {
  const counts = {
    passed: 0,
    failed: 0,
    skipped: /** @type {string[]} */ ([]),
    silent: /** @type {string[]} */ ([]),
  };
  const add = (/** @type {string} */ report) => {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    counts.passed += result.numPassedTests;
    counts.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
    for (const { assertionResults } of result.testResults)
      for (const { status, fullName } of assertionResults)
        if (['pending', 'todo', 'skipped', 'disabled'].includes(status)) counts.skipped.push(fullName);
  };
  for (const project of testedProjects()) {
    const report = join(ROOT, project, REPORT);
    if (existsSync(report)) add(report);
    else counts.silent.push(project);
  }
  if (existsSync(join(ROOT, REAL_CLIENTS_REPORT))) add(join(ROOT, REAL_CLIENTS_REPORT));
  return counts;
}

/** Folders of the workspace packages that have tests, as the globs of package.json name them. */
function testedProjects() {
  /** @type {string[]} */
  const globs = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).workspaces;
  return globs
    .flatMap((glob) => {
      if (!glob.endsWith('/*')) return [glob];
      const folder = glob.slice(0, -2);
      return readdirSync(join(ROOT, folder)).map((child) => `${folder}/${child}`);
    })
    .filter((folder) => {
      const file = join(ROOT, folder, 'package.json');
      return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).scripts?.test !== undefined;
    });
}

/**
 * @param {string[]} command
 * @param {number} [timeout] After so many ms it is ended.
 * @returns {number} Exit code; 1 when it was ended by a signal or did not start.
 */
function run([program = '', ...args], timeout) {
  const [file, first] = locate(program);
  const { status, signal, error } = spawnSync(file, [...first, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    timeout,
    env: { ...process.env, ...NX_ENVIRONMENT, ...(COLOR ? {} : PLAIN) },
    // npm is a batch file on Windows when it did not start us.
    shell: process.platform === 'win32' && file === 'npm',
  });
  if (error !== undefined) console.error(error.message);
  if (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT') return 1;
  if (signal === 'SIGINT' || signal === 'SIGTERM') process.exit(130);
  return status ?? 1;
}

/**
 * Programs are started through the Node.js that runs this file: no shell, no wrapper, nothing from another PATH.
 *
 * @param {string} program
 * @returns {[string, string[]]}
 */
function locate(program) {
  if (program === 'node') return [process.execPath, []];
  if (program === 'npm') {
    const npm = process.env['npm_execpath'];
    return npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  }
  const folder = join(ROOT, 'node_modules', program);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return [process.execPath, [join(folder, typeof bin === 'string' ? bin : bin[program])]];
}

/**
 * @param {string} code
 * @param {string} text
 */
function paint(code, text) {
  return COLOR ? `\u001b[${code}m${text}\u001b[0m` : text;
}
