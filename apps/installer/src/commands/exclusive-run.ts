/**
 * One installer at a time in a home. The lock lies in a folder that has to exist first; whoever ends up with nothing to
 * keep takes that folder away again, so that a refused run leaves no trace.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { lockWithin, systemCode } from '@openviking/memory-core/full';
import { attempt } from '../apply/write-file.ts';
import { journalPath } from '../apply/journal.ts';
import { isTemporary, sweepAbandonedTemporaries } from '../apply/temporaries.ts';
import { ChangedMeanwhile, recoverInterrupted } from '../apply/transaction.ts';
import { Refusal } from '../cli/refusal.ts';
import { clientRunner } from '../clients/client-runner.ts';
import { requireFoldersOnTheWay } from '../clients/file-in-the-way.ts';
import { isThere, missingFolders, namesIn, removeEmptyFolders } from '../files/folders.ts';
import { installPaths } from '../machine/machine.ts';
import { requireOwnHome } from '../machine/requirements.ts';
import type { Lock } from '@openviking/memory-core/full';
import type { Terminal } from '../cli/terminal.ts';
import type { Machine } from '../machine/machine.ts';

/** How long another run may take before this one gives up, in ms. */
const WAIT_MS = 10_000;
/** How often a file may change under our hands before we stop. */
const ATTEMPTS = 3;

export interface RunState {
  /** Folders that did not exist before this run. */
  readonly madeFolders: readonly string[];
  /** Folders to remove, where empty, when the lock has been given back. */
  readonly leaving: string[];
}

/** Runs `work` under the lock, after ending what an interrupted run has begun; again when a file changed meanwhile. */
export async function runExclusively<T>(
  machine: Machine,
  terminal: Terminal,
  work: (state: RunState) => Promise<T>,
): Promise<T> {
  const paths = installPaths(machine.home);
  const { lock, missing } = await takeLock(machine);
  const leaving = [...missing];
  try {
    const recovered = await recoverInterrupted(paths.install, clientRunner(machine));
    if (recovered.kind !== 'nothing') terminal.say(terminal.texts.recovered(recovered.kind === 'finished'));
    leaving.push(...recovered.folders);
    // What the interrupted run had made was not there before: it is as if this one had made it.
    const state: RunState = { madeFolders: [...new Set([...missing, ...recovered.folders])], leaving };
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await work(state);
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile)) throw error;
        const { path } = error;
        if (attempts >= ATTEMPTS) {
          throw new Refusal({
            code: 'file/keeps-changing',
            say: (t) => t.keepsChanging(path),
            next: (t) => t.keepsChangingNext,
            cause: error,
          });
        }
        terminal.say(terminal.texts.changedMeanwhile(path));
      }
    }
  } finally {
    // Whoever waits for the lock makes its folder again, and no other: the others go while nobody else is at work.
    const holdsLock = (folder: string): boolean => paths.lock.startsWith(folder + sep);
    removeEmptyFolders(leaving.filter((folder) => !holdsLock(folder)));
    lock.release();
    removeEmptyFolders(leaving.filter(holdsLock));
  }
}

/**
 * Ends what an interrupted run has begun before anything is chosen by what lies on the disk: in the middle of a removal
 * receipts are gone that come back with the rest, and a client without one would be taken for not installed. Throws a refusal
 * in a home of another user: what is put back would be root's.
 */
export async function endInterruptedRun(machine: Machine, terminal: Terminal): Promise<void> {
  if (!existsSync(journalPath(installPaths(machine.home).install))) return;
  requireOwnHome(machine);
  await runExclusively(machine, terminal, () => Promise.resolve());
}

/** Waits for the lock. A run that ends meanwhile may take the folder away with it: it is made again. */
async function takeLock(machine: Machine): Promise<{ readonly lock: Lock; readonly missing: readonly string[] }> {
  const path = installPaths(machine.home).lock;
  requireFoldersOnTheWay([path]);
  const missing = new Set<string>();
  const until = performance.now() + WAIT_MS;
  for (;;) {
    for (const folder of [...missingFolders(path), ...abandoned(machine)]) missing.add(folder);
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const lock = await lockWithin(path, Math.max(0, until - performance.now()));
      if (lock !== undefined) {
        // Of a run that was killed while it took the lock, or while it wrote its journal: nobody else writes here now.
        sweepAbandonedTemporaries(dirname(path), () => true);
        return { lock, missing: [...missing] };
      }
      throw new Refusal({ code: 'lock/held', say: (t) => t.lockHeld(path), next: (t) => t.lockHeldNext });
    } catch (cause) {
      const isGone = systemCode(cause) === 'ENOENT' && performance.now() < until;
      if (!isGone) attempt(path, () => throwAgain(cause));
    }
  }
}

function throwAgain(cause: unknown): never {
  throw cause;
}

/**
 * True when our folder holds nothing but what a run leaves that was killed before its journal was there: the folder itself,
 * the lock, a temporary file.
 */
export function isOnlyLitter(machine: Machine): boolean {
  const { install, lock } = installPaths(machine.home);
  return isThere(install) && namesIn(install).every((name) => join(install, name) === lock || isTemporary(name));
}

/** Folders that such a run has made: nobody else puts an empty `install` there. */
function abandoned(machine: Machine): readonly string[] {
  if (!isOnlyLitter(machine)) return [];
  const { root, install } = installPaths(machine.home);
  return namesIn(root).join() === 'install' ? [root, install] : [install];
}
