/**
 * One name for one repository, however its remote is written, and never a part of a password or token in it: the name is
 * sent in a header and kept on the server.
 */
import { distinctPathId } from './peer-id.ts';

/**
 * The address of a remote → host and path in lower case, joined by `-`, without scheme, user, password, port, query and
 * `.git`: `git@GitHub.com:volcengine/OpenViking.git` → `github.com-volcengine-openviking`. A path on this machine becomes
 * a path id. Undefined where no name can be told apart from a credential, or where there is none (`ext::…`).
 */
export function normaliseRemote(address: string): string | undefined {
  const text = address.trim();
  if (text === '' || /^[A-Za-z0-9+.-]+::/.test(text)) return undefined;

  const local = localPath(text);
  if (local !== undefined) return local === '' ? undefined : localId(local);

  const url = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#\\]*)([^?#]*)/.exec(text);
  if (url !== null) return remoteId(url[1] ?? '', url[2] ?? '');

  // scp form, `[user@]host:path`. A user part may itself hold a colon: everything up to the last @ goes.
  const slash = text.indexOf('/');
  const beforeSlash = slash < 0 ? text : text.slice(0, slash);
  const place = text.slice(beforeSlash.lastIndexOf('@') + 1);
  const scp = /^\[([^\]]*)\]:(.*)$|^([^:/]+):(.*)$/s.exec(place);
  return scp === null ? undefined : remoteId(scp[1] ?? scp[3] ?? '', scp[2] ?? scp[4] ?? '');
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
  const bare = path
    .replace(/[\\/]+$/, '')
    .replace(/\.git$/i, '')
    .replace(/[\\/]+$/, '');
  if (bare === '') return undefined;
  return distinctPathId(bare).replace(/^-/, '');
}

function remoteId(authority: string, path: string): string | undefined {
  // An @ behind the first slash may be the end of a password that holds a slash. Better no name than a secret.
  if (path.includes('@')) return undefined;
  const place = authority.slice(authority.lastIndexOf('@') + 1);
  const parts = /^\[([^\]]*)\](?::\d*)?$|^([^:]*)(?::\d*)?$/.exec(place);
  const host = (parts?.[1] ?? parts?.[2] ?? '').toLowerCase().replace(/\.$/, '');
  if (host === '') return undefined;
  const segments = path
    .toLowerCase()
    .split(/[\\/]+/)
    .filter((segment) => segment !== '');
  const last = segments.pop()?.replace(/\.git$/, '');
  if (last === undefined) return undefined;
  if (last !== '') segments.push(last);
  return segments.length === 0 ? undefined : [host.replaceAll(':', '-'), ...segments].join('-');
}
