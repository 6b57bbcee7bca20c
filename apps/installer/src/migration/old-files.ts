/**
 * Files that the earlier shell installer had written for a client beside the wiring: what ours takes the place of, and what
 * nothing of ours replaces and would go on telling the model about tools that are gone.
 */
import { join } from 'node:path';
import { readJsonObject } from '@openviking/memory-core/full';
import { readImage } from '../files/image.ts';
import type { Step } from '../apply/step.ts';
import type { Machine } from '../machine/machine.ts';

/** The record that it left in the folder of a client's program files. */
export const OLD_RECORD = 'integration.json';
const ID = 'openviking-memory';

/** Below the home, by client. All of it was the installer's own. */
const SURPLUS: Readonly<Record<string, readonly string[]>> = {
  cursor: ['.cursor/rules/openviking-memory.mdc'],
};

/** True where that installer's own record says that a client's folder is its. */
export function isOldIntegration(folder: string): boolean {
  return readJsonObject(join(folder, OLD_RECORD))?.['id'] === ID;
}

/** Takes away what nothing of ours replaces. Only for a client of which `isOldIntegration` is true. */
export function planSurplus(client: string, { home }: Pick<Machine, 'home'>): readonly Step[] {
  return (SURPLUS[client] ?? []).flatMap((name): readonly Step[] => {
    const path = join(home, name);
    const before = readImage(path);
    return before === undefined ? [] : [{ kind: 'remove', path, before }];
  });
}
