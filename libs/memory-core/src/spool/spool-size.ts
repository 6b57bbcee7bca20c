/**
 * How much waits, kept so that a hook knows it from the length of one file: a turn end must not cost more because a server
 * is away for days. The file begins with the last measurement (see `measure-spool.ts`); behind it stands a blank for each
 * KiB, begun or whole, that was measured then or has been captured since. It is never too short by more than what is
 * captured while somebody measures, or by a hook that was killed, and what is delivered makes it too long: it says when to
 * measure, and only a measurement says that nothing more fits.
 */
import { closeSync, constants, lstatSync } from 'node:fs';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { openSync, writeSync } from '../fs/operations.ts';
import { inside } from '../fs/path.ts';

/** Characters that the measurement takes. */
export const MEASUREMENT_LENGTH = 80;
/** A longer file is none of ours, in bytes: 16 GiB would wait, and who measures reads all of it. */
const LONGEST = 16 * 1024 * 1024;
/** What a blank behind it stands for, in bytes. */
const UNIT_BYTES = 1024;

export function sizeNotePath(spool: string): string {
  return inside(spool, '.size.json');
}

/** Length of the whole file where `bytes` wait. */
export function lengthFor(bytes: number): number {
  return MEASUREMENT_LENGTH + Math.ceil(bytes / UNIT_BYTES);
}

/**
 * The most that waits, in bytes, as far as it is noted; without end where nothing is, or where it is not ours: whatever an
 * older program or another one has left there is measured anew.
 */
export function mostWaiting(spool: string): number {
  const note = lstatSync(sizeNotePath(spool), { throwIfNoEntry: false });
  return note?.isFile() === true && note.size >= MEASUREMENT_LENGTH && note.size <= LONGEST
    ? (note.size - MEASUREMENT_LENGTH) * UNIT_BYTES
    : Number.POSITIVE_INFINITY;
}

/** False where the records that wait certainly take less than `maxBytes`; 0 = no limit. */
export function mayBeFull(spool: string, maxBytes: number): boolean {
  return maxBytes > 0 && mostWaiting(spool) >= maxBytes;
}

const { O_APPEND, O_WRONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
/** Neither makes the file, for only who has measured may, nor waits for a pipe in its place or follows a link. */
const FLAGS = O_APPEND | O_WRONLY | O_NONBLOCK | O_NOFOLLOW;

/** Notes that `bytes` more wait. What cannot be noted, the next measurement finds. */
export function noteGrowth(spool: string, bytes: number): void {
  keepIfPossible(() => {
    const descriptor = openSync(sizeNotePath(spool), FLAGS);
    try {
      writeSync(descriptor, ' '.repeat(Math.ceil(bytes / UNIT_BYTES)));
    } finally {
      closeSync(descriptor);
    }
  });
}
