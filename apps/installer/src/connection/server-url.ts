/** The server's base URL as a user types it: judged before anything is written, with the right spelling in the answer. */
import { Refusal } from '../cli/refusal.ts';

/** Where a server of one's own listens by default. */
export const DEFAULT_URL = 'http://127.0.0.1:1933';

/** Endings that belong to a route of the server and not to its base. */
const ROUTE_ENDINGS = ['/api/v1', '/api', '/mcp'] as const;

/** Returns the URL without a trailing slash. Throws a usage refusal that says what to write instead. */
export function checkServerUrl(typed: string): string {
  const text = typed.trim();
  const refuse = (say: ConstructorParameters<typeof Refusal>[0]['say']): Refusal =>
    new Refusal({ code: 'url/invalid', exitCode: 2, say, next: (t) => t.urlExample });
  if (text === '') throw refuse((t) => t.urlEmpty);
  if (/\s/.test(text)) throw refuse((t) => t.urlSpaces);
  if (!/^https?:\/\//i.test(text)) throw refuse((t) => t.urlScheme);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refuse((t) => t.urlBroken);
  }
  // A password in a URL ends up in logs and process lists: it is not even shown in this message.
  if (url.username !== '' || url.password !== '') throw refuse((t) => t.urlUserInfo);
  if (url.search !== '' || url.hash !== '') throw refuse((t) => t.urlQuery);
  const base = text.replace(/\/+$/, '');
  const ending = ROUTE_ENDINGS.find((route) => base.toLowerCase().endsWith(route));
  if (ending !== undefined) {
    const better = base.slice(0, -ending.length).replace(/\/+$/, '');
    throw refuse((t) => t.urlRoute(ending, better));
  }
  return base;
}

/** A URL from a file, fit to be shown: without user, password and query. */
export function displayUrl(url: string): string {
  try {
    const parsed = new URL(url);
    return `${parsed.protocol}//${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}`;
  } catch {
    return '?';
  }
}
