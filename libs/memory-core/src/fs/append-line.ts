/** Log lines: appended in one write, and the file kept from growing without end. */
import { constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './folder.ts';
import { appendFileSync, renameSync } from './operations.ts';
import { refuseWhenUninstalled } from './uninstalled.ts';

const { O_APPEND, O_CREAT, O_WRONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
/** Neither waits for a pipe in place of the log nor follows a link. */
const FLAGS = O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK | O_NOFOLLOW;

/** Appends `line` and a newline; past `maxBytes` the file becomes `<path>.1` and starts over. Never throws. */
export function appendLine(path: string, line: string, maxBytes = 1024 * 1024): void {
  try {
    refuseWhenUninstalled();
    makeFolder(dirname(path));
    let size = 0;
    try {
      size = statSync(path).size;
    } catch {
      // A new file.
    }
    if (size > maxBytes) renameSync(path, `${path}.1`);
    appendFileSync(path, `${line}\n`, { mode: 0o600, flag: FLAGS as unknown as string });
  } catch {
    // A log that cannot be written must not stop what is logged.
  }
}
