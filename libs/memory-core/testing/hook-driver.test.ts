/** The driver is the judge of every hook: if it took a hanging hook for a quick one, nothing it says would be worth anything. */
import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startToken } from '../src/fs/lock.ts';
import { PIPE_GRACE_MS, runHook } from './hook-driver.ts';
import type { HookRun, HookRunOptions } from './hook-driver.ts';
import { censusAvailable, untilHomeIsQuiet } from './process-census.ts';
import { STDIN_MODES, WHOLE_THEN_CLOSED } from './stdin-mode.ts';
import type { StdinMode } from './stdin-mode.ts';
import { createTemporaryHome, homeEnvironment } from './temporary-home.ts';
import type { TemporaryHome } from './temporary-home.ts';

let home: TemporaryHome;
beforeAll(() => {
  home = createTemporaryHome();
});
afterAll(() => home.remove());

function runScript(script: string, options: Partial<HookRunOptions> = {}): Promise<HookRun> {
  return runHook({
    command: process.execPath,
    args: ['-e', script],
    cwd: home.path,
    env: homeEnvironment(home.path),
    payload: '{"text":"größer 🦄"}\n',
    ...options,
  });
}

function mode(name: string): StdinMode {
  const found = STDIN_MODES.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no stdin mode "${name}"`);
  return found;
}

/** Keeps the driver's process from noticing anything, as a loaded machine does. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function blockUntil(reached: () => boolean, waitMs: number): void {
  for (const until = performance.now() + waitMs; !reached() && performance.now() < until;) block(5);
}

/** True when the end of a child has been taken note of: until then it stays in the list of processes. */
function isReaped(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

/** Where the system does not tell when a process is gone: so long that it is. */
function blockUntilGone(pid: number): void {
  if (startToken(process.pid) === undefined) block(500);
  else blockUntil(() => startToken(pid) === undefined, 60_000);
}

const COUNT_BYTES = `
  let bytes = 0;
  process.stdin.on('data', (chunk) => { bytes += chunk.length; });
  process.stdin.on('end', () => { process.stdout.write('end after ' + bytes); });
`;

describe('runHook', () => {
  it('hands over the payload, closes stdin and reports exit code, stdout and stderr', async () => {
    const run = await runScript(
      `process.stdin.pipe(process.stdout); process.stdin.on('end', () => { console.error('done'); process.exitCode = 3; });`,
    );
    expect(run).toMatchObject({
      exitCode: 3,
      stdout: '{"text":"größer 🦄"}\n',
      stderr: 'done\n',
      pipesHeldOpen: false,
      timedOut: false,
    });
  });

  it.each(STDIN_MODES.filter((candidate) => candidate.close).map((candidate) => [candidate.name, candidate] as const))(
    'lets the hook see the end of its input: %s',
    async (_name, stdin) => {
      const bytes = [...stdin.chunks('{"text":"größer 🦄"}\n')].reduce(
        (sum, chunk) => sum + Buffer.from(chunk).length,
        0,
      );
      const run = await runScript(COUNT_BYTES, { stdin });
      expect(run.stdout).toBe(`end after ${bytes}`);
    },
  );

  it('keeps stdin open where the mode says so: a hook that waits for the end is killed at the limit', async () => {
    const run = await runScript(COUNT_BYTES, { stdin: mode('whole value, kept open'), timeoutMs: 500 });
    expect(run).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGKILL', stdout: '' });
  });

  it('notices a child that holds stdout open after the hook has ended, and ends it', async () => {
    const run = await runScript(
      `const { spawn } = require('node:child_process');
       const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600000)'], { stdio: ['ignore', 'inherit', 'ignore'] });
       process.stdout.write(String(child.pid)); child.unref();`,
    );
    expect(run.pipesHeldOpen).toBe(true);
    expect(run.closedMs - run.wallMs).toBeGreaterThan(PIPE_GRACE_MS - 50);
    expect(Number(run.stdout)).toBeGreaterThan(0);
    if (censusAvailable)
      expect(run.pipeHolders).toEqual([
        { pid: Number(run.stdout), commandLine: [process.execPath, '-e', 'setTimeout(() => {}, 600000)'] },
      ]);
    expect(await untilHomeIsQuiet(home.path)).toEqual([]);
  });

  it('spares a worker with a session of its own and no inherited stdio', async () => {
    const run = await runScript(
      `const { spawn } = require('node:child_process');
       const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600000)'], { stdio: 'ignore', detached: true });
       process.stdout.write(String(child.pid)); child.unref();`,
    );
    const worker = Number(run.stdout);
    try {
      expect(run.pipesHeldOpen).toBe(false);
      expect(process.kill(worker, 0)).toBe(true);
    } finally {
      process.kill(worker, 'SIGKILL');
    }
  });

  it('calls no hook too slow that ended by itself while the driver was busy', async () => {
    const running = runScript(`require('node:fs').writeFileSync('seen', String(process.pid))`, { timeoutMs: 50 });
    blockUntil(() => existsSync(home.at('seen')) && home.readText('seen') !== '', 60_000);
    // The limit is long over, and the driver has noticed neither that nor the end.
    blockUntilGone(Number(home.readText('seen')));
    expect(await running).toMatchObject({ exitCode: 0, signal: null, timedOut: false, pipesHeldOpen: false });
  });

  it('calls no pipe held that was closed while the driver was busy', async () => {
    const running = runScript(
      `const { spawn } = require('node:child_process');
       const script = \`
         const { existsSync } = require('node:fs');
         setInterval(() => {
           if (existsSync('leave')) process.exit();
         }, 5);\`;
       const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'inherit'] });
       require('node:fs').writeFileSync('pids', process.pid + ' ' + child.pid + ' '); child.unref();`,
    );
    const pids = (): string[] => (home.has('pids') ? home.readText('pids').split(' ') : []);
    // Without a timer: the driver is to be busy in the very turn in which it has noticed the end, before its grace is over.
    for (const until = performance.now() + 120_000; pids().length < 3 || !isReaped(Number(pids()[0]));) {
      expect(performance.now()).toBeLessThan(until);
      await new Promise((done) => setImmediate(done));
    }
    writeFileSync(home.at('leave'), '');
    block(PIPE_GRACE_MS + 500);
    blockUntilGone(Number(pids()[1]));
    const run = await running;
    expect(run).toMatchObject({ exitCode: 0, pipesHeldOpen: false, pipeHolders: [] });
    expect(run.closedMs - run.wallMs).toBeGreaterThan(PIPE_GRACE_MS);
  });

  it('passes nothing of its own environment on', async () => {
    process.env['DRIVER_TEST_LEAK'] = 'yes';
    const run = await runScript(`process.stdout.write(String(process.env.DRIVER_TEST_LEAK))`, {
      stdin: WHOLE_THEN_CLOSED,
    });
    delete process.env['DRIVER_TEST_LEAK'];
    expect(run.stdout).toBe('undefined');
  });
});
