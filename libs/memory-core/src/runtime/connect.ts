/** The way to the server, for those who take it: a turn end never does, and its bundle carries none of this. */
import { readFileSync } from 'node:fs';
import type { ResolvedSettings } from '../contract/settings.ts';
import { createApiClient, type ApiClient } from '../http/api.ts';
import { selectTransport, type ProxyModule } from '../http/transport.ts';
import type { HookEnvironment } from './run-hook.ts';

/** The server as this harness sees it. */
export function connect(
  resolved: ResolvedSettings,
  from: Pick<HookEnvironment, 'harness' | 'env'>,
  loadProxy: () => ProxyModule,
): ApiClient {
  const { connection } = resolved;
  const ca = connection.caFile === undefined ? undefined : readText(connection.caFile);
  return createApiClient({
    connection,
    userAgent: `openviking-memory-${from.harness.declaration.id}/${from.harness.version}`,
    transport: selectTransport(connection.baseUrl, from.env, loadProxy),
    ...(ca === undefined ? {} : { ca }),
  });
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The connection then fails with a certificate error, which doctor explains together with the path.
    return undefined;
  }
}
