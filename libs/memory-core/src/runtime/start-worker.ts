/**
 * Starts a process that outlives the hook: own process group, no inherited stdio. A host that waits for its pipes to close
 * gets them back at once, and one that kills the hook's group does not reach the worker.
 */
import type { ChildProcess } from 'node:child_process';
import { marked } from './depth-mark.ts';
import { neighbourPath } from './neighbour.ts';

export function startWorker(args: readonly string[], home: string): ChildProcess | undefined {
  return startDetached(process.execPath, [neighbourPath('worker.cjs'), ...args], home);
}

/** Never throws: what could not be started is started by the next hook. */
export function startDetached(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): ChildProcess | undefined {
  try {
    // Loaded here and not at the top: most hooks start nothing.
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
