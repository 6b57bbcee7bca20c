/**
 * What is at a path, for readers that have to go on whatever is there: below a file, where a folder was meant, Node.js throws
 * even when asked not to, and one such slip in one client's place would end the examination of all the others.
 */
import { statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { resolve } from 'node:path';
import { resolveLinks, systemCode } from '@openviking/memory-core/full';

/** Links are followed. Undefined when nothing is there, below a file included; other system errors are thrown. */
export function fileStatus(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Where a file at `path` lies or would lie, links followed to the end; below a file, the path itself. Loops are thrown. */
export function placeBehindLinks(path: string): string {
  try {
    return resolveLinks(path);
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return resolve(path);
    throw error;
  }
}
