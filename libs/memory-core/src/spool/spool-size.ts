/**
 * The limit of what may lie undelivered: reached, capture stops and says so. Nothing is deleted, the prompts wait in the
 * journal, and capture goes on when there is room.
 */
import { statSync } from 'node:fs';
import { inside } from '../fs/path.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import { ConversationFolder, listNames, markedSessions } from './conversation-folder.ts';

/** A large spool is measured at most this often, in ms: by then it is slow to measure and slow to change. */
const MEASURED_FOR_MS = 30_000;
/** Records that are counted anew at every look; beyond it the last measurement is used. */
const FEW = 200;

/** True when the records that wait take `maxBytes` or more; 0 = no limit. */
export function isSpoolFull(spool: string, maxBytes: number, now = Date.now()): boolean {
  if (maxBytes <= 0) return false;
  const sessions = markedSessions(spool);
  if (sessions.length === 0) return false;
  const records = sessions.map((session) => {
    const folder = new ConversationFolder(spool, session).records;
    return { folder, names: listNames(folder) };
  });
  const count = records.reduce((sum, { names }) => sum + names.length, 0);
  const notePath = inside(spool, '.size.json');
  const known = count > FEW ? readJsonObject(notePath) : undefined;
  const { bytes, at } = known ?? {};
  if (typeof bytes === 'number' && typeof at === 'number' && now >= at && now - at < MEASURED_FOR_MS)
    return bytes >= maxBytes;
  let total = 0;
  for (const { folder, names } of records) for (const name of names) total += sizeOf(inside(folder, name));
  if (count > FEW) keepIfPossible(() => writeFileAtomic(notePath, JSON.stringify({ bytes: total, at: now })));
  return total >= maxBytes;
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    // Delivered in between.
    return 0;
  }
}
