/**
 * How this program is started again. Advice that names a command which the user does not have is no advice: started by npx,
 * there is none of that name on PATH.
 */
import { basename, sep } from 'node:path';

/** The name that texts are written with. */
const NAME = 'openviking-install';

/** What a user types to start it the same way again. `script`: the file that Node.js was given. */
export function ownCommand(script: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  // npm runs what it has fetched from a folder of that name, and says by a variable that it was `npx` or `npm exec`.
  if (script?.includes(`${sep}_npx${sep}`) === true) return 'npx @openviking/install';
  if (env['npm_command'] === 'exec') return `npx ${NAME}`;
  if (script === undefined || !basename(script).endsWith('.mjs')) return NAME;
  // Where npm has linked it, Node.js is given the link; anything else was started as a file.
  return `node ${/^[\w./:\\@+-]+$/.test(script) ? script : JSON.stringify(script)}`;
}

/** A text with that command where it says one that starts this program. */
export function withOwnCommand(text: string, command: string): string {
  return command === NAME
    ? text
    : text.replace(
        /\bopenviking-install(?= (?:--?\w|(?:install|uninstall|status|doctor|spool|workspace)\b))/g,
        () => command,
      );
}
