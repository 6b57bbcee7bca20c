/**
 * What stays behind where no receipt tells who made it: files with nothing left in them, and folders with nothing left in
 * them. Deleting them could take what was there before us; saying nothing leaves a user to wonder.
 */
import { dirname, join } from 'node:path';
import { namesIn } from '../files/folders.ts';
import type { Step } from '../apply/step.ts';

/** Folders that the steps empty, outermost first, without those that go with the run (`leaving`) and without what is above `home`. */
export function emptiedFolders(steps: readonly Step[], leaving: readonly string[], home: string): readonly string[] {
  const gone = new Set(
    steps.flatMap((step) => (step.kind === 'remove' || step.kind === 'remove-tree' ? [step.path] : [])),
  );
  const emptied = new Set<string>();
  for (const path of [...gone]) {
    for (let folder = dirname(path); folder !== home && dirname(folder) !== folder; folder = dirname(folder)) {
      if (!namesIn(folder).every((name) => gone.has(join(folder, name)))) break;
      if (!leaving.includes(folder)) {
        emptied.add(folder);
        break;
      }
      gone.add(folder);
    }
  }
  return [...emptied].sort();
}
