/**
 * The home and the variables that move files of clients, judged before anything is looked up with them: a relative path would
 * mean another folder in every terminal, and `~` is a folder of that name to everybody but a shell.
 */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Refusal } from '../cli/refusal.ts';
import { isAbsolutePath, isPathVariable } from './location-names.ts';
import type { Machine } from '../machine/machine.ts';

/** Throws a usage refusal for a home that is no folder and for a variable that is no absolute path. */
export function requireLocations({ home, env, cwd, platform, locations }: Machine): void {
  if (statSync(home, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Refusal({
      code: 'home/missing',
      exitCode: 2,
      say: (t) => t.ownHomeMissing(home),
      next: (t) => t.ownHomeMissingNext,
    });
  }
  for (const name of locations ?? []) {
    const value = env[name]?.trim() ?? '';
    if (!isPathVariable(name) || value === '' || isAbsolutePath(value, platform)) continue;
    const better = /^~(?=$|[\\/])/.test(value) ? join(home, value.slice(1)) : resolve(cwd ?? home, value);
    throw new Refusal({
      code: 'env/not-absolute',
      exitCode: 2,
      say: (t) => t.variableNotAbsolute(name, value),
      next: (t) => t.variableNotAbsoluteNext(name, better),
    });
  }
}
