/**
 * Takes away from everybody but the owner the permission to write. Whoever could write in a folder could put a link in the
 * place of a file: what is changed is what was opened, and never what a link leads to.
 */
import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import { attempt } from '../apply/write-file.ts';

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
      for (const { path: earlier, mode } of done.reverse()) changeMode(earlier, () => mode);
      throw error;
    }
  }
}

function changeMode(path: string, change: (mode: number) => number): void {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    fchmodSync(handle, change(fstatSync(handle).mode & 0o7777));
  } finally {
    closeSync(handle);
  }
}
