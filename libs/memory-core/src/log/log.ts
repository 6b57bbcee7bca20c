/**
 * The log of a harness: what a maintainer needs to know about each hook and request – what it was, what came of it, how long
 * it took, how large it was – and never what was said. Errors only by default; never on stdout or stderr.
 */
import { join } from 'node:path';
import type { Settings } from '../contract/settings.ts';
import { appendLine } from '../fs/append-line.ts';
import { redactSecrets } from '../privacy/redact.ts';
import type { HomePaths } from '../fs/home-paths.ts';
import { isoTime } from './iso-time.ts';

export interface Log {
  error(what: string, cause?: unknown): void;
  /** What happened, in one line for each hook and each delivery. */
  info(what: string): void;
  /** Each request as well; absent unless `debug` is on, so that nobody prepares what is not kept. */
  debug?(what: string): void;
}

/** A log that keeps nothing. */
export const SILENT: Log = { error() {}, info() {} };

/** The file is `debugLogPath`, by default one per harness. It and the one before it take 1 MB each. */
export function createLog(
  paths: HomePaths,
  harness: string,
  { debug, debugLogPath, logLevel }: Pick<Settings, 'debug' | 'debugLogPath' | 'logLevel'>,
): Log {
  if (!debug && logLevel === 'silent') return SILENT;
  const path = debugLogPath ?? join(paths.logs, `${harness}.log`);
  const write = (kind: string, text: string): void => {
    appendLine(
      path,
      `${isoTime(Date.now())} ${process.pid} ${kind} ${redactSecrets(text).replace(/\s+/gu, ' ').slice(0, 2000)}`,
    );
  };
  return {
    error: (what, cause) => write('error', cause === undefined ? what : `${what}: ${describe(cause)}`),
    info: (what) => {
      if (debug || logLevel === 'info') write('info', what);
    },
    ...(debug ? { debug: (what: string) => write('debug', what) } : {}),
  };
}

function describe(cause: unknown): string {
  return cause instanceof Error ? `${cause.name} ${cause.message}` : String(cause);
}
