/** The way to the server for longer-lived processes, whose bundles carry all of it. */
import { requestOnce } from '../http/request.ts';
import type { ResolvedSettings } from '../contract/settings.ts';
import { authorities } from '../http/authorities.ts';
import type { ApiClient } from '../http/api.ts';
import { throughProxy } from '../http/proxied-transport.ts';
import type { ProxyModule } from '../http/transport.ts';
import type { ProxyEnvironment } from '../http/proxy-environment.ts';
import { connectThrough } from './connect-through.ts';

/** The server that the settings name. */
export function connect(
  resolved: Pick<ResolvedSettings, 'connection'>,
  agent: string,
  env: ProxyEnvironment,
  loadProxy: () => ProxyModule,
): ApiClient {
  return connectThrough(
    resolved,
    agent,
    env,
    { loadProxy, loadSeldom: () => ({ authorities, throughProxy }) },
    requestOnce,
  );
}
