/**
 * The headers by which the server knows who asks, built in one place for hooks, delivery and MCP proxy. It prevents three
 * failures: a user's extra header that silently replaces the key or breaks the framing, a value with a line break that
 * smuggles in another header, and an account sent to a server that reads it from the key.
 */
import type { Connection } from '../contract/settings.ts';
import { OpenVikingError } from '../errors/error.ts';

export interface IdentityOptions {
  /** `openviking-memory-<harness>/<semver>`. */
  readonly userAgent: string;
  /** The workspace peer; absent when nothing is to be sent. */
  readonly peer?: string;
}

/**
 * What an extra header can never be: the transport's own headers (server API, "Identity headers"), and those that frame
 * the request on the wire or the answer to it, where a wrong value makes a body unreadable or reaches another site.
 */
const PROTECTED = new Set([
  'content-type',
  'accept',
  'accept-encoding',
  'authorization',
  'mcp-protocol-version',
  'mcp-session-id',
  'user-agent',
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
]);

/** True for a header that no setting may set, in any spelling. */
export function isProtectedHeader(name: string): boolean {
  return PROTECTED.has(name.toLowerCase());
}

/** True for a field name as RFC 9110 section 5.1 allows it. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name);
}

/** True for printable ASCII: what every server and gateway reads the same way. */
export function isHeaderValue(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value);
}

/**
 * Identity headers for one request; no two differ only in case. Throws an OpenVikingError (`http/unusable-header`) that
 * names the header, never its value, when something the user configured cannot be written as a header.
 */
export function identityHeaders(connection: Connection, options: IdentityOptions): Record<string, string> {
  const headers = new Map<string, readonly [name: string, value: string]>();
  const set = (name: string, value: string | undefined, origin: string): void => {
    if (value === undefined) return;
    headers.set(name.toLowerCase(), [name, usable(name, value, origin)]);
  };
  for (const [name, value] of Object.entries(connection.extraHeaders)) {
    if (!isProtectedHeader(name)) set(name, value, 'the extra headers');
  }
  set('User-Agent', options.userAgent, 'the user agent');
  if (connection.apiKey !== undefined) set('Authorization', `Bearer ${connection.apiKey.trim()}`, 'the API key');
  if (connection.authMode === 'trusted') {
    set('X-OpenViking-Account', connection.account, 'the account');
    set('X-OpenViking-User', connection.user, 'the user');
  }
  set('X-OpenViking-Actor-Peer', options.peer, 'the peer');
  return Object.fromEntries(headers.values());
}

function usable(name: string, value: string, origin: string): string {
  if (!isHeaderName(name)) {
    throw new OpenVikingError({
      code: 'http/unusable-header',
      message: `${JSON.stringify(name)} from ${origin} is not a header name.`,
      next: 'Header names are letters, digits and hyphens; correct extra_headers in ovcli.conf or OPENVIKING_EXTRA_HEADERS.',
    });
  }
  const text = String(value).trim();
  if (!isHeaderValue(text)) {
    throw new OpenVikingError({
      code: 'http/unusable-header',
      message: `The value of ${name} (from ${origin}) has characters that no HTTP header can carry.`,
      next: 'Use printable ASCII characters only: a line break or a non-Latin letter often comes from copying.',
    });
  }
  return text;
}
