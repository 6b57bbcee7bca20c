/**
 * What a killed run leaves of its whole-file writes: a temporary file beside the target. One beside a user's configuration
 * is litter that nobody explains, and one in our own folder keeps that folder from going with an uninstall.
 */
import { join } from 'node:path';
import { removeQuietly, systemCode } from '@openviking/memory-core/full';
import { namesIn } from '../files/folders.ts';

/** The name carries its writer's process id, see `uniqueName` of the core. */
const TEMPORARY = /^\.ov-([0-9a-z]+)-[0-9a-z]+-[0-9a-z]+\.tmp$/;

/** Removes what processes that are gone have left in the folder; nobody needs the lock for it. */
export function sweepAbandonedTemporaries(folder: string): void {
  for (const name of namesIn(folder)) {
    const pid = writerOf(name);
    if (pid !== undefined && !isAlive(pid)) removeQuietly(join(folder, name));
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
