/**
 * Takes away from everybody but the owner the permission to write. Whoever could write in a folder could put a link in the
 * place of a file: what is changed is what was opened, and never what a link leads to.
 */
import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import { attempt } from '../apply/write-file.ts';

/** Windows has neither of the two flags. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

const OTHERS_WRITE = 0o022;

/** Folders before what is in them. Throws a refusal when one may not be changed; those before it are then as they were. */
export function closePaths(paths: readonly string[]): void {
  const done: { readonly path: string; readonly mode: number }[] = [];
  for (const path of paths) {
    try {
      attempt(path, () => {
        changeMode(path, (mode) => {
          done.push({ path, mode });
          return mode & ~OTHERS_WRITE;
        });
      });
    } catch (error) {
      for (const { path: earlier, mode } of done.reverse()) reopen(earlier, mode);
      throw error;
    }
  }
}

/** What has gone meanwhile needs no way back, and why the others were not closed is what has to be told. */
function reopen(path: string, mode: number): void {
  try {
    changeMode(path, () => mode);
  } catch {
    return;
  }
}

function changeMode(path: string, change: (mode: number) => number): void {
  const handle = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    fchmodSync(handle, change(fstatSync(handle).mode & 0o7777));
  } finally {
    closeSync(handle);
  }
}
