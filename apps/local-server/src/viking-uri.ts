/**
 * `viking://` addresses. The server keeps paths relative to the one user's own space; here every spelling a client may
 * use becomes such a path, and one that points elsewhere is refused with the spelling to use instead.
 */
import { OpenVikingError } from '@openviking/memory-core/full';

/** The only user of this server. */
export const USER_ID = 'default';
export const ACCOUNT_ID = 'default';

const SCHEME = 'viking://';
/** Folders of a user's space; `viking://user/memories` (no user id) names one of them and is refused. */
const OWN_FOLDERS = new Set(['memories', 'skills', 'resources', 'sessions', 'peers', 'privacy']);

/** `memories/events/…`, without slashes at the ends; '' is the user's own space; undefined when it is somebody else's. */
export function pathOfUri(uri: string): string | undefined {
  if (!uri.startsWith(SCHEME)) {
    throw new OpenVikingError({
      code: 'uri/invalid',
      message: `"${uri.slice(0, 200)}" is no viking:// address.`,
      next: 'Write it like viking://~/memories/preferences.',
    });
  }
  if (/\p{Cc}/u.test(uri)) {
    throw new OpenVikingError({ code: 'uri/invalid', message: 'The viking:// address has a control character in it.' });
  }
  const segments = uri
    .slice(SCHEME.length)
    .split('/')
    .filter((segment) => segment !== '');
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    throw new OpenVikingError({ code: 'uri/invalid', message: `"${uri.slice(0, 200)}" has a "." or ".." in it.` });
  }
  const [root, second, ...rest] = segments;
  if (root === undefined) return '';
  if (root === '~') return [second, ...rest].filter((segment) => segment !== undefined).join('/');
  if (root !== 'user') return undefined;
  if (second === undefined) return '';
  if (OWN_FOLDERS.has(second)) {
    throw new OpenVikingError({
      code: 'uri/invalid',
      message: `"${uri.slice(0, 200)}" lacks the user id.`,
      next: `Write viking://~/${[second, ...rest].join('/')}.`,
    });
  }
  return second === USER_ID ? rest.join('/') : undefined;
}

/** The canonical address of a path. */
export function uriOfPath(path: string): string {
  return path === '' ? `${SCHEME}user/${USER_ID}` : `${SCHEME}user/${USER_ID}/${path}`;
}
