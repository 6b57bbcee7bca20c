/** The life of a server: folder, database, port, announcement, and all of them given back in reverse. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenVikingError, systemCode } from '@openviking/memory-core/full';
import type { Backend } from '../backend.ts';
import { createApp } from '../http/app.ts';
import { Database } from '../store/database.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { SessionStore } from '../store/session-store.ts';
import { IdleCommits } from './idle-commits.ts';
import { claimFolder, readServerRecord } from './instance.ts';
import type { ServerRecord } from './instance.ts';

/** How long a second start waits for the first server to say where it listens. */
const ANNOUNCEMENT_WAIT_MS = 5_000;
/** Requests under way at a stop get this long. */
const CLOSE_WAIT_MS = 3_000;

export interface ServeOptions {
  readonly port: number;
  readonly dataFolder: string;
  readonly token: string;
  readonly version: string;
  /** Gets errors that no client is to blame for. */
  readonly report: (error: unknown) => void;
}

export type Served =
  | { readonly kind: 'started'; readonly record: ServerRecord; readonly stop: () => Promise<void> }
  | { readonly kind: 'already-running'; readonly record: ServerRecord };

/** Starts a server, or finds the one that has the data folder. */
export async function serve(options: ServeOptions): Promise<Served> {
  for (const until = performance.now() + ANNOUNCEMENT_WAIT_MS; ;) {
    const instance = claimFolder(options.dataFolder);
    if (instance !== undefined) {
      try {
        return await started(options, instance);
      } catch (error) {
        instance.release();
        throw error;
      }
    }
    const record = readServerRecord(options.dataFolder);
    if (record !== undefined) return { kind: 'already-running', record };
    if (performance.now() > until) break;
    await sleep(50);
  }
  throw new OpenVikingError({
    code: 'local-server/busy',
    message: `Another process holds ${options.dataFolder} but does not say where it listens.`,
    next: 'Wait a moment and start again; if it stays so, end the process named in server.lock there.',
  });
}

async function started(options: ServeOptions, instance: NonNullable<ReturnType<typeof claimFolder>>): Promise<Served> {
  const database = new Database(instance.databasePath);
  try {
    const now = (): number => Date.now();
    const memories = new MemoryStore(database);
    const sessions = new SessionStore(database, memories, now);
    const idle = new IdleCommits(sessions, now, options.report);
    const backend: Backend = {
      database,
      memories,
      sessions,
      version: options.version,
      now,
      idleCommitsChanged: idle.reschedule,
    };
    const app = createApp(backend, options.token, options.report);
    try {
      await app.listen({ port: options.port, host: '127.0.0.1' });
    } catch (error) {
      await app.close();
      throw portError(error, options.port);
    }
    const address = app.server.address();
    const record: ServerRecord = {
      pid: process.pid,
      port: typeof address === 'object' && address !== null ? address.port : options.port,
      startedAt: new Date().toISOString(),
      version: options.version,
    };
    instance.announce(record);
    idle.reschedule();
    return {
      kind: 'started',
      record,
      stop: async () => {
        idle.stop();
        await Promise.race([app.close(), sleep(CLOSE_WAIT_MS, undefined, { ref: false })]);
        database.close();
        instance.release();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function portError(error: unknown, port: number): unknown {
  const code = systemCode(error);
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  return new OpenVikingError({
    code: 'local-server/port',
    message:
      code === 'EADDRINUSE'
        ? `Port ${port} on 127.0.0.1 is taken by another program.`
        : `Port ${port} needs more rights than this user has.`,
    next: 'Start with another --port, and put the same one into "url" in ovcli.conf.',
    cause: error,
  });
}
