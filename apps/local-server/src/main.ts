/** The program: command line in, server running or a clear refusal out. Nothing else touches the process. */
import { OpenVikingError } from '@openviking/memory-core/full';
import { HELP, parseCommand } from './process/options.ts';
import { readToken } from './process/token.ts';
import { VERSION } from './version.ts';

/** Exit statuses: 0 running or found running, 1 failed, 2 something the user has to set right first. */
const USAGE_CODES = new Set(['local-server/usage', 'local-server/no-token']);

function report(error: unknown): void {
  const text = OpenVikingError.is(error)
    ? [error.message, error.next].filter((part) => part !== undefined).join('\n')
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`openviking-local: ${text}\n`);
}

async function main(): Promise<void> {
  const command = parseCommand(process.argv.slice(2));
  if (command.kind === 'help') return void process.stdout.write(HELP);
  if (command.kind === 'version') return void process.stdout.write(`${VERSION}\n`);

  // Whatever is created from here on is for this user only; SQLite's own files cannot be given a mode.
  process.umask(0o077);
  const token = readToken(process.env, command.home);
  // Loaded now: --help and a missing token answer without compiling SQLite.
  const { serve } = await import('./process/serve.ts');
  const served = await serve({ port: command.port, dataFolder: command.dataFolder, token, version: VERSION, report });
  const address = `http://127.0.0.1:${served.record.port}`;
  if (served.kind === 'already-running')
    return void process.stdout.write(`Already running at ${address} (process ${served.record.pid}).\n`);
  process.stdout.write(`Listening at ${address}, memories in ${command.dataFolder}.\n`);

  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    served.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        report(error);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
}

// A reader of our output that has gone away is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  await main();
} catch (error) {
  report(error);
  process.exitCode = OpenVikingError.is(error) && USAGE_CODES.has(error.code) ? 2 : 1;
}
