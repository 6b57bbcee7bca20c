/**
 * The embedded server on this machine: which port it has, starting it, and stopping it. It is no system service: hooks
 * start it again through the same launcher when its port refuses.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
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

/** The remembered port unless another program has taken it, else the first free one from 1933. */
export async function choosePort(home: string): Promise<number> {
  const { port: remembered } = readLocalInstallation(home);
  if (remembered !== undefined && (runningServer(home) !== undefined || (await isFree(remembered)))) return remembered;
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS; port += 1) {
    if (await isFree(port)) return port;
  }
  throw new Refusal({ code: 'local/no-port', say: (t) => t.noFreePort(FIRST_PORT, FIRST_PORT + PORTS - 1) });
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
