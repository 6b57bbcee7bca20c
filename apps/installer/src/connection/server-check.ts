/**
 * Asks the server whether it is there and whether it takes the key, before the user finds out in a conversation. It uses
 * the connection that hooks resolve, so an environment variable that overrides the file is seen here too.
 */
import { readFileSync } from 'node:fs';
import type { Connection } from '@openviking/memory-core/full';
import { createApiClient, requestOnce } from '@openviking/memory-core/full';

export type ServerState =
  /** It answers and accepts the credentials. */
  | { readonly kind: 'ready' }
  /** It answers and refuses the credentials, or asks for some. */
  | { readonly kind: 'rejected'; readonly status: number }
  /** Something answers that is not a healthy OpenViking server. */
  | { readonly kind: 'unhealthy'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly code: string };

/** Two requests at most, each within `timeoutMs`. Never throws. */
export async function checkServer(
  connection: Connection,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ServerState> {
  const ca = readAuthority(connection.caFile);
  const client = createApiClient({
    connection,
    userAgent: 'openviking-memory-installer',
    transport: requestOnce,
    ...(ca === undefined ? {} : { ca }),
  });
  // A server that is alive may still refuse the key, and `/health` needs none.
  for (const path of ['/health', '/system/status']) {
    const result = await client.call({
      method: 'GET',
      path,
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
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

function readAuthority(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
