/**
 * A conversation that waits for an environment that will not come back: its key was replaced, its server has moved. Nobody but a
 * person can tell that the present environment is the same one in new clothes and not somebody else's, so nothing does
 * this by itself.
 */
import { closeSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../errors/error.ts';
import { tryLock } from '../fs/lock.ts';
import { openSync, utimesSync, writeSync } from '../fs/operations.ts';
import { readOwn } from '../fs/read-own.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import type { Conversation } from './conversation.ts';
import { listNames } from './conversation-folder.ts';
import { firstSeen, replaceFirstSeen } from './first-seen.ts';
import type { Origin } from './record.ts';

/**
 * Marks all that waits in the conversation as said in `environment` (see `environmentMark`), apart from what goes where the files
 * say. `busy`: a worker has it this moment, and nothing was changed. A call that was killed has done a part; another one
 * does the rest.
 */
export function readdress(conversation: Conversation, environment: string): 'readdressed' | 'busy' {
  const lock = tryLock(conversation.lockFile);
  if (lock === undefined) return 'busy';
  try {
    const move = <Said extends Origin>(said: Said): Said => (isMarked(said) ? { ...said, environment } : said);
    for (const seq of conversation.sequence()) {
      const record = conversation.read(seq);
      if (record === undefined) continue;
      const { cursor } = record;
      const moved = {
        ...move(record),
        cursor: cursor.open === undefined ? cursor : { ...cursor, open: move(cursor.open) },
      };
      writeFileAtomic(conversation.recordPath(seq), JSON.stringify(moved), { durable: true });
    }
    const seen = firstSeen(conversation);
    if (seen !== undefined && isMarked(seen)) replaceFirstSeen(conversation, move(seen));
    readdressCursor(conversation, move);
    for (const name of listNames(conversation.pending)) readdressNote(join(conversation.pending, name), environment);
    return 'readdressed';
  } finally {
    lock.release();
  }
}

function isMarked({ environment = '' }: Origin): boolean {
  return environment !== '';
}

/** What is delivered and not committed. The file keeps its time: it says when the conversation was last delivered. */
function readdressCursor(conversation: Conversation, move: <Said extends Origin>(said: Said) => Said): void {
  const { seq, cursor } = conversation.deliveredCursor();
  if (cursor.open === undefined || !isMarked(cursor.open)) return;
  const path = join(conversation.folder, 'cursor.json');
  const { atime, mtime } = statSync(path);
  conversation.writeDeliveredCursor(seq, { ...cursor, open: move(cursor.open) });
  utimesSync(path, atime, mtime);
}

/**
 * Written over the old mark in the file itself, the one place where that happens: a hook may drop the note this moment, and what
 * was dropped must not come back under its name. Inside a text every quotation mark has a backslash before it, so that
 * the mark is the only thing that looks like one.
 */
function readdressNote(path: string, environment: string): void {
  try {
    const [before, old] = /^(.*"environment":)("[0-9a-f]{8}")/su.exec(readOwn(path))?.slice(1) ?? [];
    if (before === undefined || old === undefined) return;
    const descriptor = openSync(path, 'r+');
    try {
      writeSync(descriptor, JSON.stringify(environment).padEnd(old.length), Buffer.byteLength(before));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    // Dropped meanwhile; a link or a folder, which is no note.
    if (!['ENOENT', 'ELOOP', 'EISDIR'].includes(systemCode(error) ?? '')) throw error;
  }
}
