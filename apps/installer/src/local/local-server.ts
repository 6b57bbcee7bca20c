/**
 * The embedded server on this machine: which port it has, starting it, and stopping it. It is no system service: hooks
 * start it again through the same launcher when its port refuses.
 */
import { randomBytes } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { livingOwner, readJsonObject, startLauncher } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { childEnvironment, installPaths } from '../machine/machine.ts';
import type { Machine } from '../machine/machine.ts';

/** The port that OpenViking servers have by default. */
const FIRST_PORT = 1933;
/** How many ports after it are tried. */
const PORTS = 100;
/** How long a stopped server may take to close its database, in ms. */
const STOP_MS = 5_000;

/** A token that nobody can guess. */
export function newToken(): string {
  return `ovl_${randomBytes(24).toString('base64url')}`;
}

/** The remembered port unless another program has taken it, else the first free one from 1933. None of `taken`. */
export async function choosePort(home: string, taken: ReadonlySet<number>): Promise<number> {
  const { port } = readLocalInstallation(home);
  const remembered = port !== undefined && taken.has(port) ? undefined : port;
  if (remembered !== undefined && (runningServer(home) !== undefined || (await isFree(remembered)))) return remembered;
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS; port += 1) {
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new Refusal({
    code: 'local/no-port',
    say: (t) => t.noFreePort(FIRST_PORT, FIRST_PORT + PORTS - 1),
    next: (t) => t.noFreePortNext,
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Starts the server the way hooks do, apart from this process. A server that runs already says so and ends. */
export function startServer(machine: Machine, launcher: string): void {
  const { home, platform } = machine;
  startLauncher(launcher, [], { home, platform, env: childEnvironment(machine, home) });
}

/** Another program has taken the port between our look at it and the start of the server: choose again. */
export class PortTaken extends Refusal {
  readonly port: number;

  constructor(port: number) {
    super({ code: 'local/port-taken', say: (t) => t.portTaken(port), next: (t) => t.portTakenNext });
    this.port = port;
  }
}

/** How long a server may take to lay its hand on the data folder, in ms, while another program answers on its port. */
const APPEARS_MS = 4_000;
/** How often a server is started that has ended although its port is free: somebody else tried the port that moment. */
const STARTS = 3;

/**
 * Waits until the server of this home listens on `port`, by its own announcement: an answer alone may come from the server
 * of another home. Returns after `patienceMs` without one. Throws `PortTaken` when another program is there in its place.
 */
export async function waitForOwnServer(
  machine: Machine,
  { port, launcher }: LocalInstallation,
  patienceMs: number,
): Promise<void> {
  const begin = performance.now();
  let wasThere = false;
  let strangerSince: number | undefined;
  for (let starts = 1; performance.now() - begin < patienceMs && !machine.signal.aborted;) {
    const pid = runningServer(machine.home);
    if (pid !== undefined && isAnnounced(machine.home, pid, port)) return;
    const hasEnded = wasThere && pid === undefined;
    wasThere = pid !== undefined;
    if (pid === undefined && (await accepts(port))) {
      strangerSince ??= performance.now();
      if (hasEnded || performance.now() - strangerSince > APPEARS_MS) throw new PortTaken(port);
    } else {
      strangerSince = undefined;
      if (hasEnded && starts < STARTS) {
        starts += 1;
        startServer(machine, launcher);
      }
    }
    await new Promise((done) => setTimeout(done, 25));
  }
}

function isAnnounced(home: string, pid: number, port: number): boolean {
  const record = readJsonObject(join(installPaths(home).local, 'server.json'));
  return record?.['pid'] === pid && record['port'] === port;
}

/** Asked by a connection: to try to listen there would take the port from the server that is just starting. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

/** Pid of the running server of this home, by its lock: a number that another process has taken since is not believed. */
export function runningServer(home: string): number | undefined {
  return livingOwner(join(installPaths(home).local, 'server.lock'));
}

/** Asks the server to end and waits for it. True when none runs any more. */
export async function stopServer(home: string): Promise<boolean> {
  const pid = runningServer(home);
  if (pid === undefined) return true;
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // Gone between the look and the signal.
  }
  const until = performance.now() + STOP_MS;
  while (runningServer(home) !== undefined) {
    if (performance.now() > until) return false;
    await new Promise((done) => setTimeout(done, 30));
  }
  return true;
}

/** What hooks read to start the server again. */
export interface LocalInstallation {
  readonly port: number;
  /** Absolute path; run without arguments. */
  readonly launcher: string;
}

export function readLocalInstallation(home: string): Partial<LocalInstallation> {
  const { port, launcher } = readJsonObject(join(installPaths(home).local, 'install.json')) ?? {};
  return {
    ...(typeof port === 'number' ? { port } : {}),
    ...(typeof launcher === 'string' ? { launcher } : {}),
  };
}
