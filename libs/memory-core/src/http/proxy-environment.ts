/**
 * Which HTTP proxy a request takes, decided from the environment the way curl and most tools read it. Two mistakes this
 * prevents: a loopback server asked for through a company proxy (which cannot reach it, but would see the key), and a
 * `NO_PROXY` entry with a port or an IPv6 address that silently does not match.
 */
import { BlockList, isIP } from 'node:net';

/** The environment as a process sees it. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The URL of the proxy for `url`, or undefined to connect directly. `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and
 * `NO_PROXY` count in both spellings, the lower-case one first (curl's order). A proxy without a scheme is an http proxy.
 * Loopback targets never take a proxy, whatever the environment says.
 */
export function proxyFor(url: string | URL, env: ProxyEnvironment): string | undefined {
  const target = typeof url === 'string' ? parse(url) : url;
  if (target === undefined || (target.protocol !== 'http:' && target.protocol !== 'https:')) return undefined;
  const host = bareHost(target.hostname);
  if (isLoopbackHost(host)) return undefined;
  const scheme = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const proxy = read(env, scheme) ?? read(env, 'all_proxy');
  if (proxy === undefined) return undefined;
  const port = target.port === '' ? (target.protocol === 'https:' ? '443' : '80') : target.port;
  if (isExempt(host, port, read(env, 'no_proxy') ?? '')) return undefined;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

/** True when any proxy is named at all. */
export function namesProxy(env: ProxyEnvironment): boolean {
  return ['http_proxy', 'https_proxy', 'all_proxy'].some((name) => read(env, name) !== undefined);
}

/** True for a host name or address that cannot leave this machine: `localhost`, `*.localhost`, 127/8, ::1, unspecified. */
export function isLoopbackHost(hostname: string): boolean {
  const host = bareHost(hostname);
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  // The URL parser has already turned `127.1`, `0x7f000001` and `::ffff:127.0.0.1` into their canonical forms.
  if (isIP(host) === 4) return host.startsWith('127.') || host === '0.0.0.0';
  if (isIP(host) === 6) return host === '::1' || host === '::' || /^::ffff:(7f[0-9a-f]{2}:|127\.)/.test(host);
  return false;
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

function read(env: ProxyEnvironment, name: string): string | undefined {
  const value = (env[name] ?? env[name.toUpperCase()])?.trim();
  return value === undefined || value === '' ? undefined : value;
}

/** Lower case, without the brackets of an IPv6 address and without the dot that ends a fully qualified name. */
function bareHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function isExempt(host: string, port: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(host, port, entry));
}

/** One `NO_PROXY` entry: `*`, a name with its subdomains, an address, a CIDR block; each but `*` with an optional port. */
function matches(host: string, port: string, entry: string): boolean {
  if (entry === '*') return true;
  const { name, port: wantedPort } = splitPort(entry);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const slash = name.indexOf('/');
  if (slash > 0) return inBlock(host, name.slice(0, slash), Number(name.slice(slash + 1)));
  const wanted = bareHost(name).replace(/^\*?\./, '');
  if (wanted === '') return false;
  return host === wanted || (isIP(host) === 0 && host.endsWith(`.${wanted}`));
}

function splitPort(entry: string): { readonly name: string; readonly port: string | undefined } {
  const bracketed = /^(\[[^\]]*\])(?::(\d+))?$/.exec(entry);
  if (bracketed !== null) return { name: bracketed[1] ?? '', port: bracketed[2] };
  // More than one colon without brackets is a bare IPv6 address: its last group is no port.
  const plain = /^([^:]*):(\d+)$/.exec(entry);
  return plain === null ? { name: entry, port: undefined } : { name: plain[1] ?? '', port: plain[2] };
}

function inBlock(host: string, network: string, prefix: number): boolean {
  const family = isIP(bareHost(network));
  if (family === 0 || isIP(host) !== family || !Number.isInteger(prefix)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (prefix < 0 || prefix > (family === 4 ? 32 : 128)) return false;
  const block = new BlockList();
  block.addSubnet(bareHost(network), prefix, type);
  return block.check(host, type);
}
