/**
 * The real client, in a pinned version, in a cache folder of its own: a test must not depend on what happens to be installed
 * on a machine, and must not download it every time. Plain Node.js, because `npm run verify` asks it before anything else.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** What is tested against. Raise it on purpose, together with a look at what its release notes say about hooks. */
export const CLAUDE_CODE = { package: '@anthropic-ai/claude-code', version: '2.1.332', command: 'claude' };

/** How long the download may take, in ms. */
const LIMIT_MS = 180_000;
/** How long the installed program may take to name its version, in ms. */
const START_MS = 20_000;

/**
 * @typedef {object} CachedClient
 * @property {string} command Absolute path of the client's command.
 * @property {string} version
 */

/**
 * Finds Claude Code in the cache, or installs it there.
 *
 * @returns {CachedClient | { readonly reason: string }} `reason`: why it cannot be had, as a sentence.
 */
export function claudeCode() {
  // The tests read the table of processes and start programs without a shell.
  if (process.platform === 'win32') return { reason: 'The tests with real clients do not run on Windows.' };
  const folder = join(cacheRoot(), `${CLAUDE_CODE.command}-code-${CLAUDE_CODE.version}`);
  const command = join(folder, 'node_modules', '.bin', CLAUDE_CODE.command);
  if (!existsSync(command)) {
    const reason = installInto(folder);
    if (reason !== undefined) return { reason };
  }
  const found = versionOf(command);
  if (found !== CLAUDE_CODE.version) {
    return { reason: `${command} does not answer as version ${CLAUDE_CODE.version}. Remove ${folder} and try again.` };
  }
  return { command, version: CLAUDE_CODE.version };
}

function cacheRoot() {
  const base = process.env['XDG_CACHE_HOME'];
  const usual = process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache'];
  return join(base !== undefined && base !== '' ? base : join(homedir(), ...usual), 'openviking-e2e');
}

/**
 * Installs beside the place and moves it there when it is whole, so that an interrupted download is never taken for a client.
 *
 * @param {string} folder
 * @returns {string | undefined} Why it did not work.
 */
function installInto(folder) {
  mkdirSync(dirname(folder), { recursive: true });
  const partial = mkdtempSync(`${folder}-`);
  try {
    writeFileSync(join(partial, 'package.json'), '{ "private": true }\n');
    console.log(`Installing ${CLAUDE_CODE.package} ${CLAUDE_CODE.version} into ${folder} …`);
    // npm's own cache goes with the partial folder: nothing outside of ours grows.
    const cache = join(partial, 'npm-cache');
    const options = ['--no-audit', '--no-fund', '--loglevel=error', '--no-update-notifier', '--fetch-retries=1'];
    const specifier = `${CLAUDE_CODE.package}@${CLAUDE_CODE.version}`;
    const [file, first] = npm();
    const { status, error, stderr } = spawnSync(
      file,
      [...first, 'install', specifier, '--save-exact', '--prefix', partial, '--cache', cache, ...options],
      { cwd: partial, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: LIMIT_MS },
    );
    if (error !== undefined) {
      const late = /** @type {NodeJS.ErrnoException} */ (error).code === 'ETIMEDOUT';
      return late ? `npm did not install it within ${LIMIT_MS / 1000} s.` : `npm did not start: ${error.message}`;
    }
    if (status !== 0) return `npm could not install ${specifier}: ${firstLine(stderr)}`;
    rmSync(cache, { recursive: true, force: true });
    try {
      renameSync(partial, folder);
    } catch (failure) {
      // Another run may have been faster.
      if (!existsSync(folder)) throw failure;
    }
    return undefined;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** @returns {[string, string[]]} */
function npm() {
  const script = process.env['npm_execpath'];
  return script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
}

/**
 * @param {string} command
 * @returns {string | undefined}
 */
function versionOf(command) {
  const nowhere = dirname(dirname(dirname(command)));
  const { stdout } = spawnSync(command, ['--version'], {
    env: { PATH: '/usr/bin:/bin', HOME: nowhere },
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: START_MS,
  });
  return /^\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0];
}

/** @param {string} text */
function firstLine(text) {
  return text.split('\n').find((line) => line.trim() !== '') ?? 'no reason given';
}
