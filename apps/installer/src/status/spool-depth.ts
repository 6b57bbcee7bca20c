/** How many turns wait on this machine for a server: one file each, `spool/<session>/records/<number>.json`. */
import { join } from 'node:path';
import { namesIn } from '../files/folders.ts';

export function undeliveredTurns(spool: string): number {
  return namesIn(spool)
    .map((session) => namesIn(join(spool, session, 'records')).filter((name) => name.endsWith('.json')).length)
    .reduce((sum, count) => sum + count, 0);
}
