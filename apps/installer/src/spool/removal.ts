/**
 * What a purge takes out of a spool. The usual folder is ours alone; one that a setting names may hold anything else as
 * well, so there only what looks exactly like a conversation of ours goes.
 */
import { join } from 'node:path';
import { allSessions } from '@openviking/memory-core/full';
import { isThere, namesIn } from '../files/folders.ts';
import { usualSpool } from './folders.ts';
import type { Step } from '../apply/step.ts';

/** Everything that can lie in the folder of a conversation. */
const PARTS = new Set([
  'records',
  'pending',
  'dead',
  'cursor.json',
  'append.json',
  'first-seen.json',
  'lock',
  'lock.break',
]);

export function planSpoolRemoval(
  home: string,
  folder: string,
): { readonly steps: readonly Step[]; readonly leaving: readonly string[] } {
  const remove = (path: string): readonly Step[] => (isThere(path) ? [{ kind: 'remove-tree', path }] : []);
  if (folder === usualSpool(home)) return { steps: remove(folder), leaving: [] };
  const sessions = allSessions(folder).filter((session) =>
    namesIn(join(folder, session)).every((name) => PARTS.has(name) || name.startsWith('.ov-')),
  );
  return {
    steps: [...sessions, '.queue'].flatMap((name) => remove(join(folder, name))),
    leaving: isThere(folder) ? [folder] : [],
  };
}
