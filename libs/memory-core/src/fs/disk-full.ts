/** Telling a full disk from other trouble: it is the user who has to make room, so it has to be said. */
import type { HookOutcome } from '../contract/hook-outcome.ts';
import { systemCode } from '../errors/error.ts';

/** Outcome of a hook that could not keep what it should have kept. */
export const DISK_FULL = 'disk-full' satisfies HookOutcome;

/** True when there is no room: on the disk, or in what this user may use of it. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '');
}
