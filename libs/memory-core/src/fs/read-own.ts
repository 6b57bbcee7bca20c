/**
 * Reading what we have written ourselves. Whatever somebody may have put in its place – a pipe, a link to another file –
 * is neither waited for nor followed.
 */
import { constants, readFileSync } from 'node:fs';

/** Windows has neither pipes among its files nor links that a user may make by default. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

/** The text of a file of ours; empty for a pipe. Throws the system's error, `ELOOP` for a link. */
export function readOwn(path: string): string {
  return readFileSync(path, { encoding: 'utf8', flag: (O_RDONLY | O_NONBLOCK | O_NOFOLLOW) as unknown as string });
}
