/**
 * Starts a process that outlives the hook: own process group, no inherited stdio. A host that waits for its pipes to close
 * gets them back at once, and one that kills the hook's group does not reach the worker.
 */
import type { ChildProcess } from 'node:child_process';
import { marked } from './depth-mark.ts';
import { neighbourPath } from './neighbour.ts';
import { nodeBinding } from './node-binding.ts';

/** Longer than any shell takes to start a process and end; ms. */
const SHELL_MS = 2_000;
const SIGKILL = 9;

/** Starts a worker and lets go of it. Never throws: what could not be started is started by the next hook. */
export function startWorker(args: readonly string[], home: string): void {
  const worker = [neighbourPath('worker.cjs'), ...args];
  if (!leftBehind(process.execPath, worker, home)) startDetached(process.execPath, worker, home);
}

/** Starts a worker; resolves when it is done, at once where the system refuses. */
export function runWorker(args: readonly string[], home: string): Promise<void> {
  const worker = startDetached(process.execPath, [neighbourPath('worker.cjs'), ...args], home);
  return new Promise((resolve) => (worker === undefined ? resolve() : worker.once('close', () => resolve())));
}

/**
 * A shell starts it and ends, and whoever waited for the turn to end has not waited for `node:child_process`, which loads all
 * of `net` before it starts anything (decision 0023). False where that way is closed: nothing was started, as far as can be
 * told. Two workers do no harm, one of them finds the lock taken.
 */
function leftBehind(command: string, args: readonly string[], cwd: string): boolean {
  try {
    const { status } = nodeBinding('spawn_sync').spawn({
      file: '/bin/sh',
      args: ['sh', '-c', 'exec "$@" &', 'sh', command, ...args],
      cwd,
      envPairs: Object.entries(marked(process.env)).map(([name, value]) => `${name}=${value}`),
      detached: true,
      stdio: [{ type: 'ignore' }, { type: 'ignore' }, { type: 'ignore' }],
      timeout: SHELL_MS,
      killSignal: SIGKILL,
    });
    return status === 0;
  } catch {
    return false;
  }
}

/** Never throws; undefined when the system refuses. */
export function startDetached(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): ChildProcess | undefined {
  try {
    // Loaded here and not at the top: most hooks do not need it.
    const { spawn } = process.getBuiltinModule('node:child_process');
    const child = spawn(command, [...args], {
      cwd,
      detached: true,
      stdio: 'ignore',
      windowsHide: true,
      env: marked(env),
    });
    child.on('error', () => undefined);
    child.unref();
    return child;
  } catch {
    // EAGAIN, ENOMEM: the machine is in trouble, the turn is safe on disk.
    return undefined;
  }
}
