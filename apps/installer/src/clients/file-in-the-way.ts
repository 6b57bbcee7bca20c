/**
 * A file where a folder has to be: `~/.zcode` made by a slip of `>`, a variable that names a file. Without this check the run
 * ends in the middle with Node's own words, which name neither the file nor a way out.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Refusal } from '../cli/refusal.ts';

/** Throws a refusal that names the file which stands where a folder on the way to one of the paths has to be. */
export function requireFoldersOnTheWay(paths: readonly string[]): void {
  const checked = new Set<string>();
  for (const path of paths) {
    for (let at = dirname(path); !checked.has(at) && dirname(at) !== at; at = dirname(at)) {
      checked.add(at);
      if (!isOtherThanFolder(at)) continue;
      const file = at;
      throw new Refusal({
        code: 'file/in-the-way',
        say: (t) => t.fileInTheWay(file, path),
        next: (t) => t.fileInTheWayNext,
      });
    }
  }
}

function isOtherThanFolder(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch {
    // Missing, or below the one that is found further up.
    return false;
  }
}
