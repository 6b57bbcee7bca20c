/** Removes what conversations leave behind when nobody goes on with them, and what killed processes had begun to write. */
import { join } from 'node:path';
import { forgetOld, forgetTemporaries } from '../../fs/forget-old.ts';
import { CODE_CACHE } from '../../fs/home-paths.ts';
import { allSessions, listNames } from '../../spool/conversation-folder.ts';
import { Conversation } from '../../spool/conversation.ts';
import { dropStrayAnswers } from '../../spool/journal.ts';
import type { Worker } from './worker.ts';

/** Droppable state of conversations that nobody has gone on with, in ms. */
const FORGET_STATE_MS = 30 * 24 * 60 * 60_000;
/** A file under a temporary name is older than this, in ms, only if the process that wrote it was killed. */
const FORGET_TEMPORARY_MS = 60 * 60_000;

/** Sessions and caches that nobody has used for long, and conversations of which only a cursor is left. */
export function forgetOldState(worker: Worker): void {
  for (const name of ['sessions', CODE_CACHE]) {
    const folder = join(worker.paths.state, name);
    for (const entry of listNames(folder)) forgetOld(join(folder, entry), FORGET_STATE_MS);
  }
  // A conversation that was delivered whole and not gone on with: what is left is a cursor.
  for (const session of allSessions(worker.paths.spool)) {
    const { folder, pending, dead, records } = new Conversation(worker.paths.spool, session);
    if ([records, pending, dead].every((part) => listNames(part).length === 0)) forgetOld(folder, FORGET_STATE_MS);
  }
}

/** What a killed process had begun to write may hold a prompt: it must not lie there for good. */
export function forgetInterrupted({ paths }: Worker): void {
  const conversations = allSessions(paths.spool).map((session) => new Conversation(paths.spool, session));
  conversations.forEach(dropStrayAnswers);
  const folders = conversations.flatMap(({ folder, records, pending, dead }) => [folder, records, pending, dead]);
  for (const folder of [...folders, paths.state, join(paths.state, 'heartbeat')])
    forgetTemporaries(folder, FORGET_TEMPORARY_MS);
}
