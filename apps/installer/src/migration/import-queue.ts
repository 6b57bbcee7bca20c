/**
 * Takes the old queue over into the spool, each request once. A file is moved out of the queue first, because an earlier hook
 * that is still running sends whatever lies there; it stays where it was moved to, as it is. Which half of the work a kill
 * has left undone is told by where the file lies and by the cursor that became durable together with its record:
 *
 *   pending/<file>            waits; earlier hooks send it too
 *   pending/taken/<file>      ours; not known to be in the spool
 *   pending/imported/<file>   in the spool, or known to be there twice
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Conversation, renameWithRetry, syncFolder } from '@openviking/memory-core/full';
import type { HarnessDeclaration, SpoolRecord } from '@openviking/memory-core/full';
import { isThere, namesIn } from '../files/folders.ts';
import { settingsFor } from '../machine/machine.ts';
import { usualSpool } from '../spool/folders.ts';
import { messageOf, shortIdentity } from './old-message.ts';
import { oldQueueFolder, readOldFiles, waitingIn } from './old-queue.ts';
import { oldSessionOf } from './old-session.ts';
import type { Machine } from '../machine/machine.ts';
import type { OldEntry, OldFile } from './old-queue.ts';

export interface ImportedQueue {
  readonly folder: string;
  /** Messages that are in the spool now. */
  readonly messages: number;
  /** Files that cannot be understood; they stay in the queue. */
  readonly unreadable: readonly string[];
  /** Files that an earlier hook is sending, or was sending a moment ago. */
  readonly inFlight: number;
}

/** A cursor that knows requests of the old queue. Capture carries over what it does not know of a cursor. */
type ImportCursor = SpoolRecord['cursor'] & { readonly imported?: readonly string[] };

/** Requests that a cursor remembers. A killed run leaves at most one that is in the spool and has not been moved. */
const REMEMBERED = 8;

/** Requests that a run would take over, now or as soon as no earlier hook holds them. */
export function requestsInOldQueue(machine: Pick<Machine, 'home' | 'env' | 'now'>): number {
  const folder = oldQueueFolder(machine);
  const [waiting, taken] = [folder, join(folder, 'taken')].map((place) => waitingIn(place, machine.now().getTime()));
  return [waiting, taken].flatMap((files) => [...(files?.ready ?? []), ...(files?.inFlight ?? [])]).length;
}

/** Only for the holder of the installer's lock. `fallback` is the client to which conversations without a known id count. */
export async function importOldQueue(
  machine: Pick<Machine, 'home' | 'env' | 'now' | 'atPoint'>,
  clients: readonly HarnessDeclaration[],
  fallback: string,
): Promise<ImportedQueue> {
  const folder = oldQueueFolder(machine);
  const [taken, imported] = [join(folder, 'taken'), join(folder, 'imported')];
  const { ready, inFlight } = waitingIn(folder, machine.now().getTime());
  const stop = stopper(machine.atPoint);

  const found = readOldFiles(folder, ready);
  const isUsable = ({ entry }: OldFile): boolean =>
    entry !== undefined &&
    oldSessionOf(entry.session, clients, fallback) !== undefined &&
    (entry.kind === 'commit' || messageOf(entry) !== undefined);
  const usable = found.filter(isUsable);
  for (const { name, path } of usable) {
    moveAside(path, taken, name);
    stop();
  }

  const files = readOldFiles(taken, namesIn(taken)).filter(isUsable);
  let messages = 0;
  for (const [index, file] of files.entries()) {
    const { entry } = file;
    if (entry === undefined) continue;
    const isLast = !files.slice(index + 1).some((later) => later.entry?.session === entry.session);
    if (!isImported(imported, file, entry)) {
      const isNew = await spoolEntry(machine, clients, fallback, entry, isLast);
      if (isNew && entry.kind === 'message') messages += 1;
      stop();
    }
    moveAside(file.path, imported, file.name);
    stop();
  }
  return {
    folder,
    messages,
    unreadable: found.filter((file) => !isUsable(file)).map(({ path }) => path),
    inFlight: inFlight.length,
  };
}

/** Puts one request into the spool, unless it is there. True when it was not. */
async function spoolEntry(
  machine: Pick<Machine, 'home' | 'env'>,
  clients: readonly HarnessDeclaration[],
  fallback: string,
  entry: OldEntry,
  isLast: boolean,
): Promise<boolean> {
  const session = oldSessionOf(entry.session, clients, fallback);
  if (session === undefined) return false;
  const owner = clients.find(({ id }) => id === session.harness) ?? { id: session.harness };
  const { settings } = settingsFor(machine, owner);
  const conversation = new Conversation(settings.spoolDir ?? usualSpool(machine.home), entry.session);
  conversation.prepare();
  const message = entry.kind === 'message' ? messageOf(entry) : undefined;
  const keep = entry.payload['keep_recent_count'];
  // What nobody commits never becomes a memory, and most of these conversations are over.
  const commit =
    message === undefined
      ? typeof keep === 'number'
        ? { keep_recent_count: keep }
        : {}
      : isLast
        ? { keep_recent_count: 0 }
        : undefined;
  const mark = shortIdentity(entry.identity);
  const record = await conversation.append((cursor: ImportCursor) => {
    const { imported = [] } = cursor;
    if (imported.includes(mark)) return undefined;
    const next: ImportCursor = { ...cursor, imported: [...imported, mark].slice(-REMEMBERED) };
    return {
      ...session,
      ...(message?.peer_id === undefined ? {} : { peer: message.peer_id }),
      createdAt: new Date(entry.createdAt).toISOString(),
      messages: message === undefined ? [] : [message],
      cursor: next,
      ...(commit === undefined ? {} : { commit }),
    };
  });
  return record !== undefined;
}

/** True when another file of the same request has been imported, in this run or in an earlier one. */
function isImported(folder: string, { name }: OldFile, { identity }: OldEntry): boolean {
  const key = name.split('_')[0] ?? name;
  const others = namesIn(folder).filter((other) => other.startsWith(key));
  return readOldFiles(folder, others).some(({ entry }) => entry?.identity === identity);
}

/** Durable: a name that is lost with the power would be imported a second time. Nothing is ever overwritten. */
function moveAside(path: string, folder: string, name: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let free = name;
  for (let copy = 2; isThere(join(folder, free)); copy += 1) free = `${name}.${copy}`;
  renameWithRetry(path, join(folder, free));
  syncFolder(folder);
}

/** Where tests stop a run: numbered apart from the points of the transaction. */
export const FIRST_IMPORT_POINT = 1_000;

function stopper(atPoint: Machine['atPoint']): () => void {
  let point = FIRST_IMPORT_POINT;
  return () => atPoint?.(point++);
}
