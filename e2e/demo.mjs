/**
 * The whole path in one program: install, say something in one conversation, find it in the next, uninstall, and nothing
 * is left behind. Read it from top to bottom as a description of what the product does; run it with `npm run demo`.
 *
 * Everything is real (the installer, the local server with its database, the hook bundles as processes, HTTP between
 * them), except the client: a strict stand-in reads the configuration that the installer wrote and runs the hooks as
 * ZCode does. It all happens in a scratch home; your own files are not touched.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadTesting } from './load-testing.mjs';

const ROOT = join(import.meta.dirname, '..');
const INSTALL = ['install', '--harness', 'zcode', '--local', '--yes'];
const UNINSTALL = ['uninstall', '--harness', 'zcode', '--purge', '--yes'];
const INSTALLER = join(ROOT, 'apps', 'installer', 'bin', 'openviking-install.mjs');

const { createTemporaryHome, describeDifference, diffTrees, homeEnvironment, killProcessesOfHome, ...testing } =
  await loadTesting();
const { processesOfHome, snapshotTree, untilHomeIsQuiet, waitUntil, ZcodeHost } = testing;

const colours = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
const paint = (/** @type {number} */ code, /** @type {string} */ text) =>
  colours ? `\u001b[${code}m${text}\u001b[0m` : text;
let steps = 0;
const step = (/** @type {string} */ title) => console.log(`\n${paint(1, `${(steps += 1)}. ${title}`)}`);
const say = (/** @type {string} */ text, code = 0) =>
  console.log(code === 0 ? indent(text) : paint(code, indent(text)));
const indent = (/** @type {string} */ text) => text.trimEnd().replace(/^/gm, '   ');

/** Ends the demo when something does not hold: a demo that shrugs proves nothing. */
function hold(/** @type {unknown} */ condition, /** @type {string} */ claim) {
  if (!condition) throw new Error(`This does not hold: ${claim}`);
  say(`✓ ${claim}`, 32);
}

const home = createTemporaryHome();
let installed = false;
const stop = () => {
  // Where processes cannot be listed, the uninstaller is what ends the local server.
  if (installed) spawnSync(process.execPath, [INSTALLER, ...UNINSTALL, '--home', home.path], { stdio: 'ignore' });
  killProcessesOfHome(home.path);
  home.remove();
};
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    stop();
    process.exit(130);
  });
}

try {
  await demonstrate();
  console.log(`
${paint(1, 'For real use, in this folder:')}

   npx openviking-install install --harness zcode --local          a memory on this machine
   npx openviking-install install --harness zcode --url URL        your own OpenViking server

   Then start a new ZCode conversation. To take it out again:

   npx openviking-install uninstall --harness zcode`);
} catch (error) {
  console.error(paint(31, `\n${error instanceof Error ? error.message : String(error)}`));
  process.exitCode = 1;
} finally {
  stop();
}

async function demonstrate() {
  step('A home with ZCode in it, and one hook that the user has written');
  const project = home.makeFolder('projects/shop');
  home.write(
    '.zcode/cli/config.json',
    `{
  "hooks": {
    "enabled": true,
    "events": {
      "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]
    }
  }
}
`,
  );
  const before = snapshotTree(home.path);
  say(home.path);

  step(`openviking-install ${INSTALL.join(' ')}`);
  installed = true;
  say(await installer(...INSTALL), 2);
  const { url, api_key: token } = JSON.parse(readFileSync(home.at('.openviking/ovcli.conf'), 'utf8'));
  /** Waits until a conversation has been archived into memories; returns how many messages the server counts in it. */
  const untilMemory = (/** @type {string} */ id, /** @type {number} */ messages) =>
    waitUntil(`conversation ${id} to become memory`, async () => {
      const answer = await fetch(`${url}/api/v1/sessions/zc-${id}?auto_create=false`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { result } = await answer.json();
      const archived = result?.total_message_count >= messages && result.message_count === 0;
      return archived ? Number(result.total_message_count) : undefined;
    });

  step('Conversation A: a preference in English, one in Chinese, a tool call, an emoji');
  const client = new ZcodeHost({ home: home.path, cwd: project });
  const reading = client.readConfig();
  hold(reading.kind === 'read', 'the client accepts the configuration that the installer wrote');
  const a = client.startSession();
  const turns = [
    ['Please remember: I prefer pnpm over npm for every JavaScript project.', 'Noted: pnpm for JavaScript projects.'],
    ['请记住：提交信息一律用中文写，并以 🦄 结尾。', '好的，提交信息用中文，并以 🦄 结尾。'],
  ];
  for (const [prompt = '', answer = ''] of turns) {
    say(`user       ${prompt}`);
    await a.prompt(prompt);
    say(`assistant  ${answer}`);
    await a.answer(answer);
  }
  say('user       How many source files are there?');
  await a.prompt('How many source files are there?');
  say('tool       Bash: ls src | wc -l → 42');
  await a.tool('Bash', { command: 'ls src | wc -l' }, '42', { say: 'I count them.' });
  say('tool       Read: viking://~/memories/profile.md');
  const { denied = '' } = await a.tool('Read', { file_path: 'viking://~/memories/profile.md' }, 'no such file');
  say(`guard      ${denied}`);
  say('assistant  There are 42 source files.');
  await a.answer('There are 42 source files.');
  hold(denied.includes('MCP tool read'), 'a file tool on a memory address is sent to the right tool instead');
  const stored = await untilMemory(a.id, 6);
  hold(stored === 6, 'all three turns are on the server, each once');

  step('Conversation B, new and empty: its first prompt asks for what was said in A');
  const b = new ZcodeHost({ home: home.path, cwd: project }).startSession();
  const question = 'Which package manager do I prefer? 另外，提交信息用什么语言写？';
  say(`user       ${question}`);
  const { submit, injected } = await b.prompt(question);
  say('What the hook put in front of the model:');
  say(injected, 36);
  hold(submit.contexts.length === 1, 'the prompt hook added one context');
  hold(injected.includes('pnpm'), 'the English preference from A is in the context of B');
  hold(/提交信息[^\n]*中文/.test(injected), 'the Chinese preference from A is in the context of B');
  const sources = [...new Set(injected.match(/viking:\/\/[^\s"'<>)\]]+/g))];
  hold(sources.length > 0, 'the context says where it came from:');
  for (const source of sources) say(`  ${source}`);
  await b.answer('pnpm，提交信息用中文写。');
  hold((await untilMemory(b.id, 2)) === 2, 'B is on the server as well, without what was added to it');
  await waitUntil('the delivery workers to end', () => !processesOfHome(home.path).some(isWorker), 20_000);

  step(`openviking-install ${UNINSTALL.join(' ')}`);
  say(await installer(...UNINSTALL), 2);
  installed = false;

  step('What is left');
  const living = await untilHomeIsQuiet(home.path, 5_000);
  hold(living.length === 0, 'no process of ours runs any more');
  // The client's own record of the two conversations is not ours to remove; it goes before the comparison.
  rmSync(home.at('.zcode/cli/rollout'), { recursive: true });
  const differences = diffTrees(before, snapshotTree(home.path));
  for (const difference of differences) say(describeDifference(difference), 31);
  hold(differences.length === 0, 'the home is byte for byte what it was: every file, folder, mode and link');
}

/** The process that delivers in the background and ends by itself. */
function isWorker(
  /** @type {import('../libs/memory-core/testing/process-census.ts').LivingProcess} */ { commandLine },
) {
  return commandLine.some((word) => word.endsWith('worker.cjs'));
}

/** Runs the built installer on the scratch home and returns what it printed. */
function installer(/** @type {string[]} */ ...args) {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [INSTALLER, ...args, '--home', home.path], {
      cwd: home.path,
      env: homeEnvironment(home.path, { NO_COLOR: '1' }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', failed);
    child.once('close', (code) => {
      if (code === 0) done(output);
      else failed(new Error(`openviking-install ${args.join(' ')} ended with ${code}:\n${output}`));
    });
  });
}
