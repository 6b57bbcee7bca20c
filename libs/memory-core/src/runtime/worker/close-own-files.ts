/** Spool, state and logs are their owner's alone, also where they existed before with wider modes. */
import { dirname } from 'node:path';
import { closeForWriting, closeToOthers, isOpenToOthers } from '../../fs/close-to-others.ts';
import { inside } from '../../fs/path.ts';
import { allSessions, SPOOL_NOTES } from '../../spool/conversation-folder.ts';
import type { Worker } from './worker.ts';

/** A `sweep` looks at every file; otherwise the folders tell, behind which nobody reaches a file. */
export function closeOwnFiles(
  { paths: { root, spool, state, logs } }: Pick<Worker, 'paths'>,
  mode: 'deliver' | 'sweep',
): void {
  if (process.platform === 'win32') return;
  // Other programs of the same user keep their files there.
  closeForWriting(root);
  const isInside = dirname(spool) === root;
  for (const folder of [state, logs, ...(isInside ? [spool] : [])])
    if (mode === 'sweep' || isOpenToOthers(folder)) closeToOthers(folder);
  // A place that the user has named may hold more than what is ours.
  if (!isInside && mode === 'sweep')
    for (const name of [...SPOOL_NOTES, ...allSessions(spool)]) closeToOthers(inside(spool, name));
}
