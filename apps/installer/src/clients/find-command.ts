/** Looks for a program on PATH without starting one. */
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { expandHome } from '@openviking/memory-core/full';
import type { Machine } from '../machine/machine.ts';

/** Absolute path of a command; undefined when PATH has none. A path (absolute, or from `~/`) is looked at as it is. */
export function findCommand(
  name: string,
  { env, platform, home }: Pick<Machine, 'env' | 'platform' | 'home'>,
): string | undefined {
  const windows = platform === 'win32';
  const endings = windows ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';')] : [''];
  const given = expandHome(name, home) ?? name;
  if (isAbsolute(given)) return endings.map((ending) => given + ending.toLowerCase()).find(isProgram);
  if (/[\\/]/.test(name)) return undefined;
  const path = env['PATH'] ?? env['Path'] ?? '';
  const named = windows && !/\.\w+$/.test(name) ? endings.slice(1) : endings;
  for (const folder of path.split(windows ? ';' : ':')) {
    if (folder === '') continue;
    const found = named.map((ending) => join(folder, name + ending.toLowerCase())).find(isProgram);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
