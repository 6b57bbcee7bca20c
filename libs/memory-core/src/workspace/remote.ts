/**
 * One name for one repository, however its remote is written, and never a part of a password or token in it: the name is
 * sent in a header and kept on the server.
 */
import { distinctPathId } from './peer-id.ts';

/** No real address is longer; a longer one is not worth the time of a hook. */
const ADDRESS_MAX_LENGTH = 2_048;

/**
 * The address of a remote → host and path in lower case, joined by `-`, without scheme, user, password, port, query and
 * `.git`: `git@GitHub.com:volcengine/OpenViking.git` → `github.com-volcengine-openviking`. A path on this machine becomes
 * a path id. Undefined where no name can be told apart from a credential, or where there is none (`ext::…`).
 */
export function normaliseRemote(address: string): string | undefined {
  const text = address.trim();
  if (text === '' || text.length > ADDRESS_MAX_LENGTH || /^[A-Za-z0-9+.-]+::/.test(text)) return undefined;

  const local = localPath(text);
  if (local !== undefined) return localId(local);

  const url = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#\\]*)(.*)$/s.exec(text);
  if (url !== null) return remoteId(url[1] ?? '', url[2] ?? '');

  // scp form, `[user@]host:path` or `[user@][host:port]:path`. A user part may itself hold a colon: all before the last
  // @ goes.
  const slash = text.indexOf('/');
  const beforeSlash = slash < 0 ? text : text.slice(0, slash);
  const place = text.slice(beforeSlash.lastIndexOf('@') + 1);
  const scp = /^(?:\[([^\]]*)\]|([^:/[]+)):([^]*)$/.exec(place);
  if (scp === null) return undefined;
  const bracketed = scp[1] ?? '';
  return remoteId(/:.*:/.test(bracketed) ? `[${bracketed}]` : bracketed || (scp[2] ?? ''), `/${scp[3] ?? ''}`);
}

/** True where the address is a path on this machine that depends on where it is written down. */
export function isRelativePath(address: string): boolean {
  return !address.startsWith('/') && localPath(address) === address && !/^[A-Za-z]:|^\\\\/.test(address);
}

/** As git decides it: a colon before the first slash makes it remote, except after a drive letter. */
function localPath(text: string): string | undefined {
  const file = /^file:\/\/(?:localhost)?(\/.*)$/is.exec(text);
  if (file !== null) return (file[1] ?? '').replace(/^\/(?=[A-Za-z]:)/, '');
  if (/^[A-Za-z]:[\\/]/.test(text) || text.startsWith('\\\\')) return text;
  const colon = text.indexOf(':');
  const slash = text.indexOf('/');
  return colon >= 0 && (slash < 0 || colon < slash) ? undefined : text;
}

function localId(path: string): string | undefined {
  // `name:secret@host:path` with a slash in the secret looks like a path to git as well.
  if (/@[^]*:/.test(path)) return undefined;
  const bare = path
    .replace(/[\\/]+$/, '')
    .replace(/\.git$/i, '')
    .replace(/[\\/]+$/, '');
  return bare === '' ? undefined : distinctPathId(bare).replace(/^-/, '');
}

/** `rest` is everything behind host and port. */
function remoteId(authority: string, rest: string): string | undefined {
  // An @ in there may be the end of a password that holds a slash. Better no name than a secret.
  if (rest.includes('@')) return undefined;
  // Any letter of any script, without a table of them: compiling one takes a hook a third of a millisecond.
  const parts = /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.\u0080-\uffff-]+))(?::\d*)?$/.exec(
    authority.slice(authority.lastIndexOf('@') + 1),
  );
  const host = (parts?.[1] ?? parts?.[2] ?? '').toLowerCase().replace(/\.$/, '').replaceAll(':', '-');
  const path = rest.replace(/[?#][^]*$/, '').toLowerCase();
  const segments = path
    .replace(/[\\/]+$/, '')
    .replace(/\.git$/, '')
    .split(/[\\/]+/)
    .filter((segment) => segment !== '');
  return host === '' || segments.length === 0 ? undefined : [host, ...segments].join('-');
}
