/**
 * What every request must pass before anything of it is looked at: a Host that means this machine (a web page that has
 * its own name resolve to 127.0.0.1 is turned away), the bearer token, and a workspace id that is no path.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Failure } from './failure.ts';

const LOCAL_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** Throws PERMISSION_DENIED unless `host`, the Host header, names this machine. */
export function requireLocalHost(host: string | undefined): void {
  if (host === undefined || !LOCAL_HOST.test(host))
    throw new Failure('PERMISSION_DENIED', 'This server answers to 127.0.0.1 and localhost only.');
}

/** Compares tokens in a time that does not tell how much of a guess was right. */
export function bearerCheck(token: string): (authorization: string | undefined) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(token);
  return (authorization) => {
    const given = /^Bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]?.trim();
    return timingSafeEqual(digest(given ?? ''), expected) && given !== undefined;
  };
}

/** The workspace a request acts for; undefined without the header. Throws INVALID_ARGUMENT for something path-like. */
export function actorPeer(header: string | readonly string[] | undefined): string | undefined {
  const peer = (typeof header === 'string' ? header : header?.[0])?.trim();
  if (peer === undefined || peer === '') return undefined;
  if (/[/\\]/.test(peer))
    throw new Failure('INVALID_ARGUMENT', 'X-OpenViking-Actor-Peer must not contain "/" or "\\".');
  return peer;
}
