/** The program: arguments and streams in, exit code out. The process itself is touched by `main.ts` only. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { OpenVikingError } from '@openviking/memory-core/full';
import { parseCommandLine } from './cli/arguments.ts';
import { renderCommandHelp, renderHelp } from './cli/help.ts';
import { interrupted } from './cli/interruption.ts';
import { chooseLanguage } from './cli/language.ts';
import { lastingCommand, ownCommand } from './cli/own-command.ts';
import { Refusal } from './cli/refusal.ts';
import { Terminal } from './cli/terminal.ts';
import { CLIENTS } from './clients/catalogue.ts';
import { locationNames } from './clients/location-names.ts';
import { doctor } from './commands/doctor.ts';
import { install } from './commands/install.ts';
import { spool } from './commands/spool.ts';
import { status } from './commands/status.ts';
import { uninstall } from './commands/uninstall.ts';
import { environmentFor } from './machine/machine.ts';
import type { Invocation } from './cli/arguments.ts';
import type { CommandContext, Outcome } from './commands/outcome.ts';
import type { Machine } from './machine/machine.ts';
import type { TerminalOptions } from './cli/terminal.ts';

/** Where the program runs. `home` is the user's own; `--home` replaces it. */
export interface Surroundings extends Omit<Machine, 'version' | 'command'> {
  readonly args: readonly string[];
  readonly out: TerminalOptions['out'];
  readonly err: TerminalOptions['err'];
  readonly version: string;
  readonly clients?: readonly HarnessDeclaration[];
  /** The file that Node.js was started with. */
  readonly script?: string;
}

/** Runs one command to its end. Never throws. */
export async function runProgram(surroundings: Surroundings): Promise<number> {
  const { args, env, out, err, stdin } = surroundings;
  const texts = chooseLanguage(args, env);
  const start = { ...surroundings, script: surroundings.script };
  const terminal = new Terminal({
    out,
    err,
    stdin,
    texts,
    json: args.includes('--json'),
    env,
    command: ownCommand(start),
  });
  try {
    const clients = surroundings.clients ?? CLIENTS;
    const ids = clients.map(({ id }) => id);
    const invocation = parseCommandLine(args, ids);
    if (invocation.apiKey !== undefined) terminal.keepSecret(invocation.apiKey);
    if (invocation.help) {
      const { command, isNamed } = invocation;
      out.write(terminal.advised(isNamed ? renderCommandHelp(texts, command, ids) : renderHelp(texts, ids)));
      return 0;
    }
    if (invocation.version) {
      out.write(`${surroundings.version}\n`);
      return 0;
    }
    const machine = machineFor(
      { ...surroundings, command: lastingCommand(start), locations: locationNames(clients) },
      invocation,
    );
    const { exitCode, document } = await run({ machine, terminal, clients }, invocation);
    if (invocation.json) terminal.document({ ...document, exitCode });
    return exitCode;
  } catch (error) {
    // Ctrl+C makes whatever was waiting fail in its own way.
    const cause = surroundings.signal.aborted && !(error instanceof Refusal) ? interrupted() : error;
    return explain(cause, terminal, env, args.includes('--json'));
  }
}

function run(context: CommandContext, invocation: Invocation): Promise<Outcome> {
  switch (invocation.command) {
    case 'install':
      return install(context, invocation);
    case 'uninstall':
      return uninstall(context, invocation);
    case 'status':
      return status(context, invocation);
    case 'doctor':
      return doctor(context, invocation);
    case 'spool':
      return spool(context, invocation);
  }
}

function machineFor(
  surroundings: Machine & { readonly locations: ReadonlySet<string> },
  { home: typed }: Invocation,
): Machine {
  if (typed === undefined) return surroundings;
  const home = resolve(typed);
  if (typed.trim() === '' || statSync(home, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Refusal({
      code: 'cli/home',
      exitCode: 2,
      say: (t) => t.homeMissing(home),
      next: (t) => t.homeMissingNext,
    });
  }
  return { ...surroundings, home, env: environmentFor(home, surroundings.env, surroundings.locations) };
}

/** Says what went wrong. A stack trace is for us, and only on request. */
function explain(
  error: unknown,
  terminal: Terminal,
  env: Readonly<Record<string, string | undefined>>,
  json: boolean,
): number {
  const { texts } = terminal;
  const isRefusal = error instanceof Refusal;
  const message = isRefusal ? error.say(texts) : error instanceof Error ? error.message : String(error);
  const next = isRefusal ? error.nextStep?.(texts) : OpenVikingError.is(error) ? error.next : texts.reportDefect;
  const code = OpenVikingError.is(error) ? error.code : 'defect';
  const exitCode = isRefusal ? error.exitCode : 1;
  // No for an answer is no error.
  if (exitCode === 0) terminal.say(message);
  else terminal.warn(texts.error(message));
  if (next !== undefined) terminal.warn(next);
  if (/^(1|true|yes|on)$/i.test(env['OPENVIKING_DEBUG'] ?? '') && error instanceof Error) {
    terminal.warn(error.stack ?? error.message);
  }
  if (json) terminal.document({ error: { code, message, ...(next === undefined ? {} : { next }) }, exitCode });
  return exitCode;
}
