/**
 * Starts the embedded server when its port refuses: it is no system service, and a restart of the machine must not mean
 * a conversation without memory.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { claim, claimedAgo } from '../fs/claim.ts';
import type { HomePaths } from '../fs/home-paths.ts';
import { readJsonObject } from '../fs/read-json.ts';
import type { ApiClient } from '../http/api.ts';
import { startLauncher } from './start-launcher.ts';

/** At most one start in this time, in ms: a server that cannot run must not be started at every prompt. */
const AGAIN_AFTER_MS = 60_000;

/**
 * `answers`: it is up. `starting`: not within the time given. `given-up`: it was started lately and does not run.
 * `not-local`: this address is not the embedded server.
 */
export type LocalServerStart = 'answers' | 'starting' | 'given-up' | 'not-local';

/** How long after a start by another hook it is worth waiting, in ms: later, whoever started it has failed. */
const COMES_UP_MS = 5_000;

/** Starts the server behind `open.client` if it is the embedded one, and waits at most `waitMs` for it. */
export async function startLocalServer(
  open: { readonly client: ApiClient; readonly paths: HomePaths },
  environment: { readonly home: string },
  waitMs: number,
): Promise<LocalServerStart> {
  const installed = readJsonObject(join(open.paths.root, 'local', 'install.json'));
  const { port, launcher } = installed ?? {};
  if (typeof port !== 'number' || typeof launcher !== 'string' || !existsSync(launcher)) return 'not-local';
  if (!isLocalAddress(open.client.baseUrl, port)) return 'not-local';
  const mark = join(open.paths.state, 'local-server-started');
  if (claim(mark, AGAIN_AFTER_MS)) startLauncher(launcher, [], { home: environment.home, env: process.env });
  // Nobody starts it now: to wait would cost every hook of the next minute its patience.
  else if (claimedAgo(mark) > COMES_UP_MS) return 'given-up';
  const until = performance.now() + waitMs;
  while (performance.now() < until) {
    await new Promise((done) => setTimeout(done, 40));
    const health = await open.client.call({
      method: 'GET',
      path: '/health',
      timeoutMs: Math.max(50, until - performance.now()),
    });
    if (health.ok) return 'answers';
  }
  return 'starting';
}

function isLocalAddress(baseUrl: string, port: number): boolean {
  try {
    const url = new URL(baseUrl);
    return ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname) && Number(url.port) === port;
  } catch {
    return false;
  }
}
