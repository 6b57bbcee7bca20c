/** Which clients are on this machine, by the signs that their declarations name. */
import { join } from 'node:path';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { isThere } from '../files/folders.ts';
import { findCommand } from './find-command.ts';
import type { Machine } from '../machine/machine.ts';

/** The first sign of the client that was found: a path. `commands` are names that the user has given to builds of it. */
export function detect(
  client: HarnessDeclaration,
  machine: Machine,
  commands: readonly string[] = [],
): string | undefined {
  for (const command of commands) {
    const found = findCommand(command, machine);
    if (found !== undefined) return found;
  }
  for (const probe of client.detection) {
    if (probe.kind === 'command') {
      const found = findCommand(probe.command, machine);
      if (found !== undefined) return found;
    } else if (probe.os === undefined || probe.os.includes(machine.platform)) {
      const path = probe.path.startsWith('~/') ? join(machine.home, probe.path.slice(2)) : probe.path;
      if (isThere(path)) return path;
    }
  }
  return undefined;
}
