/** Recognises server addresses that cannot work as written, and says what to write instead. */
import { DEFAULT_BASE_URL } from './connection.ts';

export interface BetterBaseUrl {
  readonly kind: 'blanks' | 'scheme' | 'invalid' | 'api-path';
  /** Continues "The server address …". */
  readonly problem: string;
  /** The address to write, without a user name or password that may stand in the given one. */
  readonly write: string;
}

/** Undefined when nothing is wrong with the address. */
export function betterBaseUrl(url: string): BetterBaseUrl | undefined {
  const bare = url.replace(/\s+/g, '');
  const whole = /^https?:\/\//i.test(bare) ? bare : `http://${bare.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/+/i, '')}`;
  const write = whole.replace(/(?:\/(?:api(?:\/v1)?|mcp)\/*)+$/i, '').replace(/^(https?:\/\/)[^/]*@/i, '$1');
  if (bare !== url) return { kind: 'blanks', problem: 'contains blanks', write };
  if (whole !== bare) return { kind: 'scheme', problem: 'does not start with http:// or https://', write };
  if (!URL.canParse(url))
    return { kind: 'invalid', problem: 'is not a valid URL', write: `an address like ${DEFAULT_BASE_URL}` };
  if (/\/(?:api(?:\/v1)?|mcp)\/*$/i.test(url))
    return { kind: 'api-path', problem: 'ends in an API path, which is added by itself', write };
  return undefined;
}
