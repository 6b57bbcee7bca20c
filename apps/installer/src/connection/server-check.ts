/**
 * Asks the server whether it is there and whether it takes the key, before the user finds out in a conversation. It takes
 * the way that hooks take: the same settings, certificates and HTTP proxy, so what overrides the file is seen here too.
 */
import { connect } from '@openviking/memory-core/full';
import type { ResolvedSettings } from '@openviking/memory-core/full';
import type { Machine } from '../machine/machine.ts';

export type ServerState =
  /** It answers and accepts the credentials. */
  | { readonly kind: 'ready' }
  /** It answers and refuses the credentials, or asks for some. */
  | { readonly kind: 'rejected'; readonly status: number }
  /** Something answers that is not a healthy OpenViking server. */
  | { readonly kind: 'unhealthy'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly code: string };

/** How long a server may take to answer while somebody installs, in ms. */
export const INSTALL_CHECK_MS = 5_000;

/** Two requests at most, each within `timeoutMs`. Never throws. */
export async function checkServer(
  { env, loadProxy, signal, version }: Pick<Machine, 'env' | 'loadProxy' | 'signal' | 'version'>,
  resolved: ResolvedSettings,
  timeoutMs: number,
): Promise<ServerState> {
  const client = connect(resolved, `openviking-memory-installer/${version}`, env, loadProxy);
  // A server that is alive may still refuse the key, and `/health` needs none.
  for (const path of ['/health', '/system/status']) {
    const result = await client.call({
      method: 'GET',
      path,
      timeoutMs,
      signal,
    });
    if (result.ok) continue;
    const { status, code } = result.failure;
    if (result.failure.class === 'blocked') return { kind: 'rejected', status };
    // Some older servers lack this route: being alive is then all that can be known.
    if (status === 404 && path !== '/health') continue;
    return status === 0 ? { kind: 'unreachable', code } : { kind: 'unhealthy', status };
  }
  return { kind: 'ready' };
}
