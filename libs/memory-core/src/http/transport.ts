/** Which way a request takes: straight, or through the HTTP proxy that the environment names (undici, loaded only then). */
import type * as ProxyDispatch from './proxy-dispatch.ts';
import type { HttpOutcome, Transport } from './request.ts';
import { requestOnce } from './request.ts';
import { systemCode } from '../errors/error.ts';
import { isLoopbackHost, namesProxy, type ProxyEnvironment } from './proxy-environment.ts';

/** The module in `proxy.cjs`; its type alone, so that nothing of it is loaded here. */
export type ProxyModule = typeof ProxyDispatch;

/** `loadProxy` is called only where a proxy is named and the server is not on this machine. */
export function selectTransport(url: string, env: ProxyEnvironment, loadProxy: () => ProxyModule): Transport {
  // Whether an exemption applies is decided in the proxy's bundle: without a proxy, and for a server on this machine, no hook
  // carries the rules.
  if (!namesProxy(env) || !URL.canParse(url) || isLoopbackHost(new URL(url).hostname)) return requestOnce;
  const proxy = loadProxy().proxyFor(url, env);
  return proxy === undefined ? requestOnce : throughProxy(proxy, loadProxy);
}

function throughProxy(proxy: string, loadProxy: () => ProxyModule): Transport {
  return async (request): Promise<HttpOutcome> => {
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    try {
      const answer = await loadProxy().requestThroughProxy({
        method: request.method,
        url: request.url,
        proxy,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...request.headers,
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(request.body === undefined ? {} : { body: request.body }),
        ...(request.ca === undefined ? {} : { ca: request.ca }),
        signal,
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > (request.maxBytes ?? 32 * 1024 * 1024)) {
          answer.body.destroy();
          return { kind: 'failure', code: 'TOO_LARGE', message: 'the answer is too long', ambiguous: true };
        }
        chunks.push(chunk);
      }
      return {
        kind: 'response',
        status: answer.status,
        headers: answer.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
    } catch (error) {
      const code = signal.aborted ? 'TIMEOUT' : (systemCode(error) ?? 'PROXY');
      // What a proxy did with a request that then failed cannot be known, unless it was never reached.
      return {
        kind: 'failure',
        code,
        message: error instanceof Error ? error.message : String(error),
        ambiguous: code !== 'ECONNREFUSED' && code !== 'ENOTFOUND',
      };
    }
  };
}
