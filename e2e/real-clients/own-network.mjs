/**
 * A network of one's own in which there is nothing but loopback: what a client or a hook tries to reach elsewhere fails, and
 * "works offline" is a fact instead of a hope.
 */
import { spawnSync } from 'node:child_process';

/** Tells the tests that they may rely on it. */
export const OWN_NETWORK = 'OPENVIKING_E2E_OWN_NETWORK';

/** Runs the words after `_` once loopback is up. */
const ENTER = ['sh', '-c', 'ip link set lo up && exec "$@"', '_'];

/**
 * Words to put before a command so that it runs in such a network.
 *
 * @returns {{ readonly prefix: readonly string[] } | { readonly reason: string }} `reason`: why this machine does not permit it.
 */
export function ownNetwork() {
  if (process.platform !== 'linux') return { reason: `${process.platform} has no network namespaces` };
  // As root in the namespace: only there may loopback be switched on.
  const user = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const prefix = ['unshare', '--net', ...user, '--', ...ENTER];
  const [program = '', ...args] = prefix;
  const { status, error, stderr } = spawnSync(program, [...args, 'true'], { encoding: 'utf8' });
  if (error !== undefined) return { reason: error.message };
  return status === 0 ? { prefix } : { reason: stderr.trim().split('\n')[0] ?? 'not permitted' };
}
