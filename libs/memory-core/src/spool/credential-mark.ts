/** Tells refused credentials from new ones, so that nothing is sent with the former and everything goes on with the latter. */
import type { Connection } from '../contract/settings.ts';
import { shortHash } from '../session/short-hash.ts';

/** Tells credentials apart without telling what they are: 32 bits of a hash give nothing to guess from. */
export function credentialMark(connection: Connection): string {
  const text = JSON.stringify([
    connection.baseUrl,
    connection.apiKey,
    connection.account,
    connection.user,
    connection.extraHeaders,
  ]);
  return shortHash(text, 8);
}
