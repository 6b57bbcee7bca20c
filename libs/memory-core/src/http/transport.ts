/** Which way a request takes: straight, or through the HTTP proxy that the environment names (undici, loaded only then). */
import type * as ProxyDispatch from './proxy-dispatch.ts';
import type { throughProxy } from './proxied-transport.ts';
import type { Transport } from './request.ts';
import { isLoopbackHost, namesProxy, type ProxyEnvironment } from './proxy-environment.ts';

/** The module in `proxy.cjs`; its type alone, so that nothing of it is loaded here. */
export type ProxyModule = typeof ProxyDispatch;

/** What the way through a proxy takes: called only where one is named and the server is not on this machine. */
export interface ProxyBundles {
  loadProxy(): ProxyModule;
  loadSeldom(): { readonly throughProxy: typeof throughProxy };
}

/** The way to `url`; `straight` where no proxy stands between. */
export function selectTransport(
  url: string,
  env: ProxyEnvironment,
  bundles: ProxyBundles,
  straight: Transport,
): Transport {
  // Whether an exemption applies is decided in the proxy's bundle: without a proxy, and for a server on this machine, no hook
  // carries the rules.
  if (!namesProxy(env) || !URL.canParse(url) || isLoopbackHost(new URL(url).hostname)) return straight;
  const proxy = bundles.loadProxy().proxyFor(url, env);
  return proxy === undefined ? straight : bundles.loadSeldom().throughProxy(proxy, bundles.loadProxy);
}
