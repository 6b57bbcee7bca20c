/**
 * One server per data folder. Two processes on one SQLite file would each believe in their own cache; the second finds
 * the first here and tells its address instead.
 */
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeQuietly, tryLock, writeFileAtomic } from '@openviking/memory-core/full';

export interface ServerRecord {
  readonly pid: number;
  readonly port: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly version: string;
}

export interface Instance {
  /** Where the database belongs. */
  readonly databasePath: string;
  /** Tells others where this server listens. */
  announce(record: ServerRecord): void;
  /** Takes the announcement back and gives the folder free. */
  release(): void;
}

/** Makes the folder and takes it; undefined when a living server has it. */
export function claimFolder(folder: string): Instance | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // An existing folder may have been made by hand with an open mode.
  if (process.platform !== 'win32') chmodSync(folder, 0o700);
  const lock = tryLock(join(folder, 'server.lock'));
  if (lock === undefined) return undefined;
  const record = recordPath(folder);
  removeQuietly(record); // of a server that was killed
  return {
    databasePath: join(folder, 'memory.db'),
    announce(server) {
      writeFileAtomic(record, `${JSON.stringify(server, null, 2)}\n`, { mode: 0o600 });
    },
    release() {
      removeQuietly(record);
      lock.release();
    },
  };
}

/** The announcement of the server that has `folder`; undefined while it is still starting. */
export function readServerRecord(folder: string): ServerRecord | undefined {
  try {
    const value = JSON.parse(readFileSync(recordPath(folder), 'utf8')) as Partial<ServerRecord> | null;
    return typeof value?.port === 'number' && typeof value.pid === 'number' ? (value as ServerRecord) : undefined;
  } catch {
    return undefined;
  }
}

function recordPath(folder: string): string {
  return join(folder, 'server.json');
}
