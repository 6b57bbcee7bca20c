/** What nobody caught, in the log of a process that nobody watches: it would vanish without a word otherwise. */
import { join } from 'node:path';
import { appendLine } from '../fs/append-line.ts';
import type { HomePaths } from '../fs/home-paths.ts';
import type { Log } from './log.ts';

/** `what` was being done; `log` is undefined before the settings are known, when nobody has asked for silence. */
export function logUncaught(
  what: string,
  error: unknown,
  log: Log | undefined,
  paths: Pick<HomePaths, 'logs'>,
  harness: string,
): void {
  const text = `${what} ${describe(error)}`;
  if (log !== undefined) return log.error(text);
  appendLine(join(paths.logs, `${harness}.log`), `${new Date().toISOString()} ${process.pid} error ${text}`);
}

/** Only the kind of error and our own frames: a message may quote what the user typed. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  const frame =
    error.stack
      ?.split('\n')
      .find((line) => line.includes(' at '))
      ?.trim()
      .replace(/\(.*[\\/]/u, '(') ?? '';
  return `${error.name}${code} ${frame}`;
}
