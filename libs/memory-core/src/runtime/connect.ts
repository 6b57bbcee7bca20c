/** The way to the server, for those who take it: a turn end never does, and its bundle carries none of this. */
import type { HookEvent } from '../contract/event.ts';
import type { ResolvedSettings } from '../contract/settings.ts';
import { authorities } from '../http/authorities.ts';
import { createApiClient, type ApiClient } from '../http/api.ts';
import { selectTransport, type ProxyModule } from '../http/transport.ts';
import type { ProxyEnvironment } from '../http/proxy-environment.ts';
import { openSession, type OpenSession } from './open-session.ts';
import type { HookEnvironment } from './run-hook.ts';

/** `openviking-memory-<harness>/<semver>`. */
export function userAgent(harness: string, version: string): string {
  return `openviking-memory-${harness}/${version}`;
}

/** The server that the settings name. */
export function connect(
  resolved: ResolvedSettings,
  agent: string,
  env: ProxyEnvironment,
  loadProxy: () => ProxyModule,
): ApiClient {
  const { connection } = resolved;
  let ca: readonly string[] | undefined;
  try {
    if (connection.caFile !== undefined) ca = authorities(connection.caFile, env);
  } catch {
    // The connection then fails with a certificate error, which doctor explains together with the path.
  }
  return createApiClient({
    connection,
    userAgent: agent,
    transport: selectTransport(connection.baseUrl, env, loadProxy),
    ...(ca === undefined ? {} : { ca }),
  });
}

/** A hook's session together with the way to its server. */
export type ConnectedSession = OpenSession & { readonly client: ApiClient };

/** `openSession` for a hook that talks to the server. */
export function openConnected(event: HookEvent, environment: HookEnvironment): ConnectedSession | undefined {
  const open = openSession(event, environment);
  if (open === undefined) return undefined;
  const { declaration, version } = environment.harness;
  const agent = userAgent(declaration.id, version);
  return { ...open, client: connect(open.resolved, agent, environment.env, environment.bundles.loadProxy) };
}
