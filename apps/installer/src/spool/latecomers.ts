/**
 * Hooks that were running while their program was taken away. From the moment it is gone they write nothing more, but one
 * of them may have asked just before and written just after: a purge looks again until nothing comes any more.
 */
import { rmSync } from 'node:fs';
import { sep } from 'node:path';
import { isThere, removeEmptyFolders } from '../files/folders.ts';
import { installPaths } from '../machine/machine.ts';
import { planSpoolRemoval } from './removal.ts';
import type { Step } from '../apply/step.ts';

/** Pause between two looks, in ms: what lies between asking and writing takes a hook less than a tenth of it. */
const PAUSE_MS = 60;
/** So many looks in a row must find nothing. */
const QUIET_LOOKS = 2;
const MOST_LOOKS = 50;

/**
 * Removes what comes after a purge, whose steps are done: the `trees` whole, what looks like ours in the spools, `leaving`
 * where it is empty. The caller holds the installer's lock.
 */
export async function removeLatecomers(
  home: string,
  spools: readonly string[],
  trees: readonly string[],
  leaving: readonly string[],
): Promise<void> {
  const { lock } = installPaths(home);
  // A program counts as gone when the folder of its versions is.
  removeEmptyFolders(leaving.filter((folder) => !lock.startsWith(folder + sep)));
  for (let looks = 0, quiet = 0; quiet < QUIET_LOOKS && looks < MOST_LOOKS; looks += 1) {
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    const late = [...trees, ...spools.flatMap((spool) => pathsOf(planSpoolRemoval(home, spool).steps))].filter(isThere);
    quiet = late.length === 0 ? quiet + 1 : 0;
    for (const path of late) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function pathsOf(steps: readonly Step[]): readonly string[] {
  return steps.flatMap((step) => ('path' in step ? [step.path] : []));
}
