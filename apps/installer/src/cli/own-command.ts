/**
 * How this program is started again. Advice that names a command which the user does not have is no advice: run by npx or by
 * its path in a clone, there is none of that name on PATH.
 */
import { realpathSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { findCommand } from '../clients/find-command.ts';
import type { Machine } from '../machine/machine.ts';

/** The name that texts are written with. */
const NAME = 'openviking-install';

/** How it was started. */
export interface Start extends Pick<Machine, 'env' | 'platform' | 'home'> {
  /** The file that Node.js was given. */
  readonly script: string | undefined;
}

/** What a user types to start it the same way again, in the folder where it was started. */
export function ownCommand(start: Start): string {
  // npm says by this variable that it was `npx` or `npm exec`.
  const isHere = start.env['npm_command'] === 'exec' && !isFetched(start);
  return isHere ? `npx ${NAME}` : lastingCommand(start);
}

/** What starts it from any folder, and tomorrow. */
export function lastingCommand(start: Start): string {
  const { script, platform } = start;
  if (isFetched(start)) return 'npx @openviking/install';
  if (script === undefined || isOnPath(start)) return NAME;
  const typed = quoted(script, platform);
  // Where npm has linked it, the link is a program; anything else was given to Node.js as a file.
  return basename(script).endsWith('.mjs') ? `node ${typed}` : typed;
}

/** A text with that command where it says one that starts this program. */
export function withOwnCommand(text: string, command: string): string {
  return command === NAME
    ? text
    : text.replace(
        /(?<![\w./\\-])openviking-install(?= (?:--?\w|\[|(?:install|uninstall|status|doctor|spool|workspace)\b))/g,
        () => command,
      );
}

/** Folders for one run: of npx, `pnpm dlx`, `yarn dlx` and `bunx`. */
const FETCHED = /[\\/](?:_npx|dlx|dlx-\d+|bunx-[^\\/]+)[\\/]/;

/** Whether it was fetched for this one run: into such a folder, where it does not only lead elsewhere by a link. */
function isFetched({ script }: Start): boolean {
  return script !== undefined && FETCHED.test(realPath(script) ?? script);
}

/** Whether the name alone starts this very program. What npm puts on PATH for its own children, the user's shell has not. */
function isOnPath({ script = '', env, platform, home }: Start): boolean {
  const [list, separator] = [env['PATH'] ?? env['Path'] ?? '', platform === 'win32' ? ';' : ':'];
  const folders = list
    .split(separator)
    .filter((folder) => isAbsolute(folder) && !/node_modules[\\/]\.bin[\\/]?$/.test(folder));
  const found = findCommand(NAME, { env: { PATH: folders.join(separator) }, platform, home });
  return found !== undefined && realPath(found) === (realPath(script) ?? script);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** A path as a shell takes it for one word: PowerShell and cmd on Windows, else a POSIX shell. */
function quoted(path: string, platform: NodeJS.Platform): string {
  const isWindows = platform === 'win32';
  if ((isWindows ? /^[\w.\\/:@+-]+$/ : /^[\w./:@+-]+$/).test(path)) return path;
  return isWindows ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`;
}
