/** The command line. It never takes a token: arguments are readable by every process of the machine. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { OpenVikingError, systemCode } from '@openviking/memory-core/full';

export const DEFAULT_PORT = 1933;

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'serve'; readonly port: number; readonly home: string; readonly dataFolder: string };

export const HELP = `Usage: openviking-local [options]

A small OpenViking-compatible memory server for one user on this machine.

Options:
  --port N       port on 127.0.0.1, default ${DEFAULT_PORT}; 0 takes a free one
  --data DIR     where memories are kept, default <home>/.openviking/local
  --home DIR     home folder to use, default: yours
  --help         this text
  --version      the version

The bearer token that clients must send is read from OPENVIKING_LOCAL_TOKEN, else from "api_key" in
<home>/.openviking/ovcli.conf (another file: OPENVIKING_CLI_CONFIG_FILE). Without one the server does not start.
`;

/** Reads the arguments; throws `local-server/usage` for anything that is not an option of ours. */
export function parseCommand(args: readonly string[]): Command {
  let values: { port?: string; data?: string; home?: string; help?: boolean; version?: boolean };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        data: { type: 'string' },
        home: { type: 'string' },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
    }));
  } catch (error) {
    if (systemCode(error)?.startsWith('ERR_PARSE_ARGS') !== true) throw error;
    throw usage((error as Error).message);
  }
  if (values.help === true) return { kind: 'help' };
  if (values.version === true) return { kind: 'version' };
  const port = values.port ?? String(DEFAULT_PORT);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw usage(`--port takes a number from 0 to 65535, not "${port}".`);
  if (values.data === '' || values.home === '') throw usage('--data and --home take a folder, not an empty text.');
  const home = resolve(values.home ?? homedir());
  return {
    kind: 'serve',
    port: Number(port),
    home,
    dataFolder: values.data === undefined ? join(home, '.openviking', 'local') : resolve(values.data),
  };
}

function usage(message: string): OpenVikingError {
  return new OpenVikingError({ code: 'local-server/usage', message, next: 'See openviking-local --help.' });
}
