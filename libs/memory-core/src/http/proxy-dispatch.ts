/**
 * The way through an HTTP proxy, on undici. This module is bundled apart (`proxy.cjs`) and loaded only when the
 * environment names a proxy for the target: loading undici costs a process more than a whole direct request.
 */
import type { Readable } from 'node:stream';
import { ProxyAgent, request } from 'undici';
import { OpenVikingError } from '../errors/error.ts';

export { proxyFor } from './proxy-environment.ts';

export interface ProxiedRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Absolute http or https URL of the target. */
  readonly url: string;
  /** What `proxyFor` gave; may carry user and password. */
  readonly proxy: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | readonly Uint8Array[];
  /** Certificates to trust for the target and for an https proxy, instead of Node's own list. */
  readonly ca?: string | readonly string[];
  /** Time to reach proxy and target, in ms. Default 10 000. */
  readonly connectTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface ProxiedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it arrives; it must be read to its end or destroyed. */
  readonly body: Readable;
}

/** One agent per proxy and trust: connections are kept between requests, idle ones do not keep the process alive. */
const agents = new Map<string, ProxyAgent>();

/**
 * Sends one request through a proxy, follows no redirect, and resolves once the status line is there: read `body` whole
 * for one answer, or chunk by chunk for a stream. Rejects with undici's errors, whose `code` is a system code or
 * `UND_ERR_…`, and with an OpenVikingError for a proxy URL that cannot be used. The caller owns the deadline.
 */
export async function requestThroughProxy(options: ProxiedRequest): Promise<ProxiedAnswer> {
  const answer = await request(options.url, {
    dispatcher: agentFor(options),
    method: options.method,
    headers: { ...options.headers },
    body:
      options.body === undefined ? null : typeof options.body === 'string' ? options.body : Buffer.concat(options.body),
    // A model's tool may think for minutes: the caller's own clock decides, not undici's.
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.body };
}

function agentFor(options: ProxiedRequest): ProxyAgent {
  const ca = options.ca === undefined || typeof options.ca === 'string' ? options.ca : [...options.ca];
  const connectTimeout = options.connectTimeoutMs ?? 10_000;
  const key = JSON.stringify([options.proxy, ca, connectTimeout]);
  const known = agents.get(key);
  if (known !== undefined) return known;
  const uri = URL.canParse(options.proxy) ? new URL(options.proxy) : undefined;
  if (uri === undefined || (uri.protocol !== 'http:' && uri.protocol !== 'https:')) {
    throw new OpenVikingError({
      code: 'http/proxy-unusable',
      message: `The proxy in the environment (${uri?.protocol ?? 'not a URL'}) is neither an http nor an https proxy.`,
      next: 'Set HTTPS_PROXY or HTTP_PROXY to http://host:port, or name the server in NO_PROXY.',
    });
  }
  const tls = { timeout: connectTimeout, ...(ca === undefined ? {} : { ca }) };
  const agent = new ProxyAgent({
    uri: uri.href,
    // Many proxies allow CONNECT to port 443 only: plain http goes as an ordinary proxied request, as curl does it.
    proxyTunnel: false,
    requestTls: tls,
    proxyTls: tls,
    keepAliveTimeout: 4_000,
  });
  agents.set(key, agent);
  return agent;
}
