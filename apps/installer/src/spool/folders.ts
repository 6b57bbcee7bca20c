/**
 * Where the spools of a home are. `spoolDir` may be set, and for each client on its own; turns that were captured before it
 * was set still lie in the usual place.
 */
import { homePaths } from '@openviking/memory-core/full';
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { settingsFor } from '../machine/machine.ts';
import type { Machine } from '../machine/machine.ts';

export function usualSpool(home: string): string {
  return homePaths(home).spool;
}

/** Every spool folder, the usual one last; absolute, each once, whether it exists or not. */
export function spoolFolders(
  machine: Pick<Machine, 'home' | 'env'>,
  clients: readonly HarnessDeclaration[],
): readonly string[] {
  const set = clients.map((client) => settingsFor(machine, client).settings.spoolDir);
  return [...new Set([...set, usualSpool(machine.home)])];
}
