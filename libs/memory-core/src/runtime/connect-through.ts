/** The server that the settings name, with what is seldom needed on the way loaded by whoever asks. */
import type { ResolvedSettings } from '../contract/settings.ts';
import type { authorities } from '../http/authorities.ts';
import { createApiClient, type ApiClient } from '../http/api.ts';
import type { Transport } from '../http/request.ts';
import { selectTransport, type ProxyBundles } from '../http/transport.ts';
import type { ProxyEnvironment } from '../http/proxy-environment.ts';

/** Code for a proxy or a private certificate authority, loaded when there is one. */
export interface ConnectionBundles extends ProxyBundles {
  loadSeldom(): ReturnType<ProxyBundles['loadSeldom']> & { readonly authorities: typeof authorities };
}

/** `openviking-memory-<harness>/<semver>`. */
export function userAgent(harness: string, version: string): string {
  return `openviking-memory-${harness}/${version}`;
}

export function connectThrough(
  { connection }: Pick<ResolvedSettings, 'connection'>,
  agent: string,
  env: ProxyEnvironment,
  bundles: ConnectionBundles,
  straight: Transport,
): ApiClient {
  let ca: readonly string[] | undefined;
  try {
    if (connection.caFile !== undefined) ca = bundles.loadSeldom().authorities(connection.caFile, env);
  } catch {
    // The connection then fails with a certificate error, which doctor explains together with the path.
  }
  return createApiClient({
    connection,
    userAgent: agent,
    transport: selectTransport(connection.baseUrl, env, bundles, straight),
    ...(ca === undefined ? {} : { ca }),
  });
}
