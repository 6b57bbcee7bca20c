/**
 * One conversation's folder in the spool, and what lies beside the conversations:
 *
 *   <spool>/<session>/records/000000000001.json   captured, not yet acknowledged; sequence-numbered
 *   <spool>/<session>/pending/<turn key>.json     the journal: prompts whose turn has not ended
 *   <spool>/<session>/pending/<turn key>-000.json part of the answer to such a prompt
 *   <spool>/<session>/cursor.json                 the cursor of the last record that was delivered
 *   <spool>/<session>/append.json                 the append under way, see delivery
 *   <spool>/<session>/first-seen.json             where the conversation began for us, see `first-seen.ts`
 *   <spool>/<session>/passed-over.json            up to where its turns are left alone, see `passed-over.ts`
 *   <spool>/<session>/back-off.json               the server fails at this one, see `back-off.ts`
 *   <spool>/<session>/dead/…                      what the server will never take, with its reason
 *   <spool>/<session>/lock                        the worker that delivers
 *   <spool>/<session>/lock.break                  who takes away the lock of a dead one
 *   <spool>/.queue/<session>                      mark: there is something to do here
 *   <spool>/.size.json                            how much waits, see `spool-size.ts`
 *   <spool>/.age.json                             since when turns are too old, see `expire.ts`
 *
 * Everything is written whole or not at all; no reader needs a lock. What is being written has a name that begins with
 * `.ov-` until it is whole.
 */
import { existsSync, lstatSync, opendirSync, readdirSync, type Dir } from 'node:fs';
import { inside } from '../fs/path.ts';
import { systemCode } from '../errors/error.ts';
import { ensureOwnFolder } from '../fs/folder.ts';

/** Marks of the conversations with work, below the spool. */
export const QUEUE = '.queue';

/** Every name that can lie in a conversation's folder, apart from temporary ones: what has another is not ours. */
export const CONVERSATION_PARTS: readonly string[] = [
  'records',
  'pending',
  'cursor.json',
  'append.json',
  'first-seen.json',
  'passed-over.json',
  'back-off.json',
  'dead',
  'lock',
  'lock.break',
];

/** Every name of ours in the spool beside the conversations, apart from temporary ones. */
export const SPOOL_NOTES: readonly string[] = [QUEUE, '.size.json', '.age.json'];

/** The places of one conversation: all that a hook needs which captures nothing. */
export class ConversationFolder {
  readonly spool: string;
  readonly session: string;
  readonly folder: string;

  constructor(spool: string, session: string) {
    this.spool = spool;
    this.session = session;
    this.folder = inside(spool, session);
  }

  get records(): string {
    return inside(this.folder, 'records');
  }

  get pending(): string {
    return inside(this.folder, 'pending');
  }

  get dead(): string {
    return inside(this.folder, 'dead');
  }

  get lockFile(): string {
    return inside(this.folder, 'lock');
  }

  /** Makes the folders; every one is private. Their names are flushed to disk with the first record. */
  prepare(): void {
    this.prepareJournal();
    ensureOwnFolder(this.records);
  }

  /** Those of them in which a prompt is noted. */
  prepareJournal(): void {
    for (const folder of [this.folder, this.pending]) ensureOwnFolder(folder);
  }
}

/** Sessions with work, as marked. It takes the longer the more there are: hooks ask `someMarked`. */
export function markedSessions(spool: string): string[] {
  return listNames(inside(spool, QUEUE)).filter((name) => isFolder(inside(spool, name)));
}

/**
 * True where `fits` says so of one of them, in no order: what comes behind the first such one is not looked at, nor what
 * comes behind `most`.
 */
export function someMarked(spool: string, fits: (session: string) => boolean, most = Infinity): boolean {
  const queue = inside(spool, QUEUE);
  const marks = isFolder(queue) ? openFolder(queue) : undefined;
  if (marks === undefined) return false;
  try {
    let left = most;
    for (let mark = marks.readSync(); mark !== null && left > 0; mark = marks.readSync()) {
      if (mark.name.startsWith('.') || !isFolder(inside(spool, mark.name))) continue;
      if (fits(mark.name)) return true;
      left -= 1;
    }
    return false;
  } finally {
    marks.closeSync();
  }
}

/** Every conversation that the spool knows, marked or not. */
export function allSessions(spool: string): string[] {
  // The spool as a whole may be a link: it is where the user wants it.
  return namesIn(spool).filter((name) => {
    const { folder, records, pending } = new ConversationFolder(spool, name);
    return isFolder(folder) && [records, pending].some(existsSync);
  });
}

/** File names without temporary and hidden ones; empty when the folder is missing, and for a link to one. */
export function listNames(folder: string): string[] {
  return isFolder(folder) ? namesIn(folder) : [];
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** Undefined where it has been removed. */
function openFolder(folder: string): Dir | undefined {
  try {
    return opendirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}
