/**
 * Two names that a link makes one file: each plan of a change would undo the other's, and look as if another program were
 * at work. Refused before anything is written.
 */
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Refusal } from '../cli/refusal.ts';
import { placeBehindLinks } from '../files/file-status.ts';
import type { Step } from './step.ts';

/** Throws a refusal that names both. */
export function requireDistinctFiles(steps: readonly Step[]): void {
  const seen = new Map<string, string>();
  for (const step of steps) {
    if (step.kind !== 'write' && step.kind !== 'remove' && step.kind !== 'late') continue;
    const { path } = step;
    const place = realPlace(path);
    const other = seen.get(place) ?? path;
    if (other !== path) {
      throw new Refusal({
        code: 'file/linked-twice',
        say: (t) => t.linkedTwice(other, path),
        next: (t) => t.linkedTwiceNext,
      });
    }
    seen.set(place, path);
  }
}

function realPlace(path: string): string {
  const target = placeBehindLinks(path);
  try {
    const { nlink, dev, ino } = statSync(target, { bigint: true });
    if (nlink > 1n) return `${dev}:${ino}`;
  } catch {
    // It is still to be made.
  }
  try {
    return join(realpathSync(dirname(target)), basename(target));
  } catch {
    // A folder that is not there yet has no second name.
    return target;
  }
}
