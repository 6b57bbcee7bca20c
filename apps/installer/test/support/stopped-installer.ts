/**
 * The installer with a stop at one point of its transaction: `--at <point> kill|pause|throw|touch:<file>` in front of the real
 * arguments. The shipped program has no such way in.
 */
import { appendFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../src/program.ts';

const [, point, action = '', ...args] = process.argv.slice(2);
const interruption = new AbortController();
process.on('SIGINT', () => interruption.abort());

process.exitCode = await runProgram({
  args,
  home: homedir(),
  platform: process.platform,
  env: process.env,
  interpreter: process.execPath,
  payloadRoot: fileURLToPath(new URL('./payload/', import.meta.url)),
  // As the program that ships: what a run writes down does not differ by who stops it.
  script: fileURLToPath(new URL('../bin/openviking-install.mjs', import.meta.url)),
  version: '0.0.0-test',
  nodeVersion: process.versions.node,
  loadProxy: () => {
    throw new Error('no test that stops a run needs a proxy');
  },
  stdin: process.stdin,
  out: process.stdout,
  err: process.stderr,
  signal: interruption.signal,
  now: () => new Date(),
  atPoint(reached) {
    const isAlways = point === 'every';
    if (!isAlways && reached !== Number(point)) return;
    if (action === 'kill') process.kill(process.pid, 'SIGKILL');
    else if (action === 'pause') process.kill(process.pid, 'SIGSTOP');
    else if (action === 'interrupt') process.kill(process.pid, 'SIGINT');
    else if (action === 'throw') throw new Error('stopped by the test');
    else if (action.startsWith('touch:')) appendFileSync(action.slice('touch:'.length), ' ');
  },
});
