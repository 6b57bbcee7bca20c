/**
 * What is at a path, for readers that have to go on whatever is there: below a file, where a folder was meant, Node.js throws
 * even when asked not to, and one such slip in one client's place would end the examination of all the others.
 */
import { statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { resolve } from 'node:path';
import { resolveLinks, systemCode } from '@openviking/memory-core/full';

/** Links are followed. Undefined when nothing is there, below a file or behind a loop of links included; other errors are thrown. */
export function fileStatus(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (leadsNowhere(error)) return undefined;
    throw error;
  }
}

/** Where a file at `path` lies or would lie, links followed to the end; below a file, and where they have no end, the path itself. */
export function placeBehindLinks(path: string): string {
  try {
    return resolveLinks(path);
  } catch (error) {
    if (leadsNowhere(error)) return resolve(path);
    throw error;
  }
}

function leadsNowhere(error: unknown): boolean {
  return ['ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '');
}
