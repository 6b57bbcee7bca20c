/**
 * Program files of the earlier shell installer, in the folder that is ours now. They count as the previous version: a
 * conversation that began before the change may still start them, so they go with the version after it, or with us.
 */
import { join } from 'node:path';
import { isThere } from '../files/folders.ts';
import { readImage } from '../files/image.ts';
import { isOldIntegration, OLD_RECORD } from '../migration/old-files.ts';
import type { Step } from '../apply/step.ts';

/** What that installer put there; anything else in the folder is somebody else's. */
const FOLDERS = ['scripts', 'servers'] as const;

/** Empty unless that installer's own record says that the folder is its. */
export function planLeftovers(folder: string): readonly Step[] {
  if (!isOldIntegration(folder)) return [];
  const record = join(folder, OLD_RECORD);
  const before = readImage(record);
  return [
    ...FOLDERS.map((name) => join(folder, name))
      .filter(isThere)
      .map((path) => ({ kind: 'remove-tree', path }) as const),
    ...(before === undefined ? [] : [{ kind: 'remove', path: record, before } as const]),
  ];
}
