/**
 * What `install` does with what the earlier installer's hooks have left undone, and what it says about it. Nothing here makes a run fail: the clients
 * are wired by then, what could not be taken over stays where it is, and the next run tries again.
 */
import { join } from 'node:path';
import { OpenVikingError, systemCode } from '@openviking/memory-core/full';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { installPaths } from '../machine/machine.ts';
import { installedClients } from '../receipts/receipt.ts';
import { importOldQueue, requestsInOldQueue } from './import-queue.ts';
import { oldQueueFolder } from './old-queue.ts';
import { takeOverTurns } from './old-state.ts';
import type { Machine } from '../machine/machine.ts';
import type { Note } from '../plan/note.ts';

/**
 * Takes over known turns of the clients that are installed by now, and the queue. Only for the holder of the installer's
 * lock; `fallback` as in `importOldQueue`.
 */
export async function takeOver(
  machine: Machine,
  clients: readonly HarnessDeclaration[],
  fallback: string,
): Promise<readonly Note[]> {
  const folder = oldQueueFolder(machine);
  try {
    const installed = installedClients(installPaths(machine.home).receipts);
    takeOverTurns(
      machine,
      clients.filter(({ id }) => installed.includes(id)),
    );
    const { messages, unreadable, inFlight } = await importOldQueue(machine, clients, fallback);
    return [
      ...(messages === 0
        ? []
        : [note('migration/queue', false, (t) => t.queueTakenOver(messages, join(folder, 'imported')))]),
      ...(inFlight === 0 ? [] : [note('migration/queue-in-flight', false, (t) => t.queueInFlight(inFlight, folder))]),
      ...unreadable.map((path) => note('migration/queue-unreadable', false, (t) => t.queueUnreadable(path), path)),
    ];
  } catch (error) {
    const code = OpenVikingError.is(error) ? error.code : systemCode(error);
    if (code === undefined) throw error;
    return [note('migration/queue-failed', true, (t) => t.queueFailed(folder, code))];
  }
}

/** What a run would do, for `--dry-run`. */
export function noteOnQueue(machine: Machine): readonly Note[] {
  const waiting = requestsInOldQueue(machine);
  return waiting === 0 ? [] : [note('migration/queue', false, (t) => t.queueWaiting(waiting, oldQueueFolder(machine)))];
}

function note(code: string, isWarning: boolean, say: Note['say'], file?: string): Note {
  return { code, isWarning, say, ...(file === undefined ? {} : { file }) };
}
