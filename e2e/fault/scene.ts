/**
 * Where a fault run takes place: a scratch home that is wired to the test build of the hooks, a server that can be made to
 * misbehave, and a count of everything that was killed. Recall is off: what is tried here is what must not be lost.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTemporaryHome,
  killProcessesOfHome,
  startStubServer,
  untilHomeIsQuiet,
} from '@openviking/memory-core/testing';
import type { StubServer, TemporaryHome } from '@openviking/memory-core/testing';

export interface Scene {
  /** Folder with the test build's bundles. */
  readonly hooks: string;
  readonly home: TemporaryHome;
  /** Working directory of the conversations. */
  readonly cwd: string;
  readonly server: StubServer;
  readonly spool: string;
  /** `OPENVIKING_CRASH_LOG` of every process of this scene. */
  readonly crashLog: string;
  /** `OPENVIKING_DISK_FAULT_LOG` of every process of this scene. */
  readonly diskFaultLog: string;
  /** Another key from now on: of the server at once, of the user's configuration when they `configure` it. */
  rotateKey(): { configure(): void };
  /** `OPENVIKING_DISK_FAULTS` for every process from now on; empty: the disk is sound. */
  disk: string;
  /** What the processes wrote to the log of disk faults. */
  diskFaults(): readonly string[];
  /** What the processes wrote to the crash log, oldest first. */
  crashes(): readonly CrashLine[];
  /** Waits until no process of ours runs any more; kills what still does after `waitMs` and returns how many those were. */
  quiet(waitMs: number): Promise<number>;
  /** Sessions of which the spool holds anything that was not delivered, with what that is. */
  undelivered(): readonly string[];
  /** Dead letters of all conversations. */
  deadLetters(): readonly string[];
  close(options?: { readonly keep?: boolean }): Promise<void>;
}

export type ServerGeneration = 'current' | 'old';

/** One process of ours that came to its end, or to the end that it was told. */
export interface CrashLine {
  /** `stop`, `worker` … */
  readonly entry: string;
  /** File operations that it began. */
  readonly operations: number;
  /** The operation that was kept from happening; absent when the process ended by itself. */
  readonly killedBefore?: string;
}

/** `old`: a server without the batch route and without counts of what it has archived. */
export async function openScene(hooks: string, generation: ServerGeneration = 'current'): Promise<Scene> {
  let key = 'key-1';
  let keys = 1;
  const server = await startStubServer({ apiKey: key, generation });
  const home = createTemporaryHome();
  const outside = mkdtempSync(join(tmpdir(), 'openviking-fault-'));
  const crashLog = join(outside, 'crashes');
  const diskFaultLog = join(outside, 'disk-faults');
  const linesOf = (path: string): readonly string[] =>
    existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  const spool = home.at('.openviking', 'spool');
  const configure = (): void => {
    const plugin = { autoRecall: false, noAutoInject: true };
    home.write('.openviking/ovcli.conf', JSON.stringify({ url: server.url, api_key: key, plugin }), 0o600);
  };
  configure();
  const inSpool = (folder: string): readonly string[] =>
    list(spool).flatMap((session) => list(join(spool, session, folder)).map((name) => `${session}/${folder}/${name}`));
  return {
    hooks,
    home,
    cwd: home.makeFolder('project'),
    server,
    spool,
    crashLog,
    diskFaultLog,
    disk: '',
    diskFaults: () => linesOf(diskFaultLog),
    rotateKey() {
      keys += 1;
      key = `key-${keys}`;
      server.setApiKey(key);
      return { configure };
    },
    crashes: () => linesOf(crashLog).map(crashLine),
    async quiet(waitMs) {
      const left = await untilHomeIsQuiet(home.path, waitMs);
      if (left.length > 0) killProcessesOfHome(home.path);
      return left.length;
    },
    undelivered: () => [...inSpool('records'), ...inSpool('pending')].filter((path) => !path.includes('/.ov-')),
    deadLetters: () => inSpool('dead'),
    async close(options = {}) {
      killProcessesOfHome(home.path);
      await server.close();
      if (options.keep === true) return;
      rmSync(outside, { recursive: true, force: true });
      home.remove();
    },
  };
}

function list(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function crashLine(line: string): CrashLine {
  const [entry = '', operations = '', killedBefore] = line.split(' ');
  return { entry, operations: Number(operations), ...(killedBefore === undefined ? {} : { killedBefore }) };
}
