/**
 * Turns paths and free text into identifiers that an HTTP header can carry. The server refuses `/` and `\`, Node.js
 * refuses everything beyond Latin-1, and two different places must never become one identity.
 */
import { shortHash } from '../session/short-hash.ts';

/** Longest identifier, in bytes (all of it is ASCII). */
export const PEER_ID_MAX_BYTES = 200;

const SUFFIX_DIGITS = 8;

/**
 * Any text → a header-safe identifier: printable ASCII without `/` and `\`, at most 200 bytes. Where that loses
 * something, a short hash of the original keeps different texts apart. Undefined for a blank text.
 */
export function safePeerId(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const safe = trimmed.replace(/[^\x20-\x7e]|[/\\]/g, '-');
  return safe === trimmed && safe.length <= PEER_ID_MAX_BYTES ? safe : withSuffix(safe, trimmed);
}

/** A path → every character outside A–Z a–z 0–9 replaced by `-`, as earlier versions did it for the working directory. */
export function plainPathId(path: string): string {
  const plain = path.replace(/[^A-Za-z0-9]/g, '-');
  return plain.length <= PEER_ID_MAX_BYTES ? plain : withSuffix(plain, path);
}

/**
 * As `plainPathId`, with a hash suffix where more than path separators was replaced: `/w/a/b` and `/w/a-b` stay two,
 * and so do two names in Chinese. `C:\w` and `c:\w` are one.
 */
export function distinctPathId(path: string): string {
  const canonical = canonicalPath(path);
  const plain = canonical.replace(/[^A-Za-z0-9]/g, '-');
  const withoutDrive = canonical.replace(/^[A-Z]:(?=\/|$)/, '');
  const lossless = /^[A-Za-z0-9/]*$/.test(withoutDrive);
  return lossless && plain.length <= PEER_ID_MAX_BYTES ? plain : withSuffix(plain, canonical);
}

/** One spelling of a path: on Windows, drive letter in capitals and `/` as separator. */
export function canonicalPath(path: string): string {
  if (!/^(?:[A-Za-z]:(?:[\\/]|$)|\\\\)/.test(path)) return path;
  return path.replace(/\\/g, '/').replace(/^[a-z]/, (drive) => drive.toUpperCase());
}

function withSuffix(safe: string, original: string): string {
  const suffix = `-${shortHash(original, SUFFIX_DIGITS)}`;
  return safe.slice(0, PEER_ID_MAX_BYTES - suffix.length) + suffix;
}
