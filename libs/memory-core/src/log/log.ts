/** The log of a harness: off by default except for errors, never a secret, never on stdout or stderr. */
import { join } from 'node:path';
import type { Settings } from '../contract/settings.ts';
import { appendLine } from '../fs/append-line.ts';
import { redactSecrets } from '../privacy/redact.ts';
import type { HomePaths } from '../fs/home-paths.ts';

export interface Log {
  error(what: string, cause?: unknown): void;
  info(what: string): void;
}

/** A log that keeps nothing. */
export const SILENT: Log = { error() {}, info() {} };

/** The file is `debugLogPath`, by default one per harness. */
export function createLog(paths: HomePaths, settings: Pick<Settings, 'debug' | 'debugLogPath' | 'logLevel'>): Log {
  const level = settings.debug ? 'info' : settings.logLevel;
  if (level === 'silent') return SILENT;
  const path = settings.debugLogPath ?? join(paths.logs, 'openviking.log');
  const write = (kind: string, text: string): void => {
    appendLine(
      path,
      `${new Date().toISOString()} ${process.pid} ${kind} ${redactSecrets(text).replace(/\s+/gu, ' ').slice(0, 2000)}`,
    );
  };
  return {
    error: (what, cause) => write('error', cause === undefined ? what : `${what}: ${describe(cause)}`),
    info: (what) => {
      if (level === 'info') write('info', what);
    },
  };
}

function describe(cause: unknown): string {
  return cause instanceof Error ? `${cause.name} ${cause.message}` : String(cause);
}
