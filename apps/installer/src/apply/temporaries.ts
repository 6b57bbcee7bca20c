/**
 * What a killed run leaves of its whole-file writes: a temporary file beside the target. One beside a user's configuration
 * is litter that nobody explains, and one in our own folder keeps that folder from going with an uninstall.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { removeQuietly, systemCode } from '@openviking/memory-core/full';
import { namesIn } from '../files/folders.ts';

/** The name carries its writer's process id, see `uniqueName` of the core. */
const TEMPORARY = /^\.ov-([0-9a-z]+)-[0-9a-z]+-[0-9a-z]+\.tmp$/;

/**
 * In milliseconds. A writer in another container with the same home has no number here although it runs; none needs this
 * long for one file.
 */
const LONGEST_WRITE = 60_000;

/**
 * Removes what processes that are gone have left in the folder. `isKnownGone`: for which of them that is sure whatever the
 * age of the file, as for one that had the lock which is ours now.
 */
export function sweepAbandonedTemporaries(folder: string, isKnownGone: (pid: number) => boolean): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const pid = writerOf(name);
    if (pid !== undefined && !isAlive(pid) && (isKnownGone(pid) || isOld(path))) removeQuietly(path);
  }
}

/** True for the name of a temporary file of ours. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

function writerOf(name: string): number | undefined {
  const pid = TEMPORARY.exec(name)?.[1];
  return pid === undefined ? undefined : Number.parseInt(pid, 36);
}

function isOld(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status !== undefined && Date.now() - status.mtimeMs > LONGEST_WRITE;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
