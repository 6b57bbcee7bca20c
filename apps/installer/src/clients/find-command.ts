/** Looks for a program on PATH without starting one. */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from '../machine/machine.ts';

/** Absolute path of a command; undefined when PATH has none. */
export function findCommand(name: string, { env, platform }: Pick<Machine, 'env' | 'platform'>): string | undefined {
  const windows = platform === 'win32';
  const path = env['PATH'] ?? env['Path'] ?? '';
  const endings = windows ? (env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : [''];
  for (const folder of path.split(windows ? ';' : ':')) {
    if (folder === '') continue;
    for (const ending of endings) {
      const file = join(folder, name + ending.toLowerCase());
      try {
        accessSync(file, constants.X_OK);
        if (statSync(file).isFile()) return file;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}
