/**
 * Paths as the hooks need them. Node's `join` and `resolve` look at every character of a path in code that a short process
 * only interprets: 10 µs a call, and a hook makes a hundred of them.
 */
import { resolve, sep } from 'node:path';

/** `names`, each a path without `.`, `..` or an empty part, below `folder`, a path that is normalised already. */
export function inside(folder: string, ...names: readonly string[]): string {
  const below = names.join(sep);
  return folder.endsWith(sep) ? folder + below : folder + sep + below;
}

/** An empty segment, `.` or `..`, or a separator at the end. */
const HAS_TO_BE_RESOLVED = /\/\.{0,2}(?:\/|$)/;

/** Same as `resolve(path)`. */
export function absolute(path: string): string {
  return sep === '/' && path.startsWith('/') && !HAS_TO_BE_RESOLVED.test(path) ? path : resolve(path);
}
