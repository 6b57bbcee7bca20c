/** The server's base URL as a user types it: judged before anything is written, with the right spelling in the answer. */
import { betterBaseUrl } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import type { Phrase } from '../cli/refusal.ts';

/** Returns the URL without a trailing slash. Throws a usage refusal that says what to write instead. */
export function checkServerUrl(typed: string): string {
  const text = typed.trim();
  const refuse = (say: Phrase): Refusal =>
    new Refusal({ code: 'url/invalid', exitCode: 2, say, next: (t) => t.urlExample });
  if (text === '') throw refuse((t) => t.urlEmpty);
  // First what may hold a secret: a password in a URL ends up in logs and process lists, and is not shown in a message.
  if (URL.canParse(text)) {
    const url = new URL(text);
    if (url.username !== '' || url.password !== '') throw refuse((t) => t.urlUserInfo);
    if (url.search !== '' || url.hash !== '') throw refuse((t) => t.urlQuery);
  }
  const better = betterBaseUrl(text);
  switch (better?.kind) {
    case undefined:
      // Hooks compare addresses as text: scheme and host have one spelling.
      return normalised(text).replace(/\/+$/, '');
    case 'blanks':
      throw refuse((t) => t.urlSpaces);
    case 'scheme':
      throw refuse((t) => (holdsLongWord(better.write) ? t.urlBroken : t.urlScheme(better.write)));
    case 'invalid':
      throw refuse((t) => t.urlBroken);
    case 'api-path':
      throw refuse((t) => t.urlRoute(better.write));
  }
}

/** No part of a host's name is that long: it may be a key in the wrong place, and is not repeated. */
function holdsLongWord(url: string): boolean {
  return url.split(/[./:]+/).some((word) => word.length > 24);
}

/** The same URL with scheme and host in small letters. */
function normalised(text: string): string {
  const [, scheme = '', host = '', rest = ''] = /^(https?:\/\/)([^/]*)(.*)$/is.exec(text) ?? [];
  return scheme === '' ? text : scheme.toLowerCase() + host.toLowerCase() + rest;
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
