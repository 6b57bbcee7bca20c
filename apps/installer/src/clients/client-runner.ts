/** Runs a client's own commands in the home that this run acts on. They get no credentials: not ours, not anybody's. */
import { childEnvironment } from '../machine/machine.ts';
import { runCommand } from './run-command.ts';
import type { Machine } from '../machine/machine.ts';
import type { RunClient } from '../registration/plugin-change.ts';

/** How long one command may take, in ms: a fraction of a second from a folder, but a clone has two minutes of its own. */
const COMMAND_MS = 150_000;

/** `signal` ends a command in the middle; going back afterwards is not to be interrupted, and runs without one. */
export function clientRunner(machine: Pick<Machine, 'home' | 'env' | 'platform'>, signal?: AbortSignal): RunClient {
  return (program, args, variables, started) =>
    runCommand(program, args, {
      cwd: machine.home,
      env: { ...childEnvironment(machine, machine.home), ...variables },
      platform: machine.platform,
      timeoutMs: COMMAND_MS,
      ...(signal === undefined ? {} : { signal }),
      ...(started === undefined ? {} : { started }),
    });
}
