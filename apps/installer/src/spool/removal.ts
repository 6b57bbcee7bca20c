/**
 * What a purge takes out of a spool. The usual folder is ours alone; one that a setting names may hold anything else as
 * well, so there only what looks exactly like a conversation of ours goes.
 */
import { join } from 'node:path';
import { allSessions, CONVERSATION_PARTS, SPOOL_NOTES } from '@openviking/memory-core/full';
import { isThere, namesIn } from '../files/folders.ts';
import { usualSpool } from './folders.ts';
import type { Step } from '../apply/step.ts';

/** A file that a killed hook had not finished. */
const isTemporary = (name: string): boolean => /^\.ov-.*\.tmp$/.test(name);

export function planSpoolRemoval(
  home: string,
  folder: string,
): { readonly steps: readonly Step[]; readonly leaving: readonly string[] } {
  const remove = (path: string): readonly Step[] => (isThere(path) ? [{ kind: 'remove-tree', path }] : []);
  if (folder === usualSpool(home)) return { steps: remove(folder), leaving: [] };
  const sessions = allSessions(folder).filter((session) =>
    namesIn(join(folder, session)).every((name) => CONVERSATION_PARTS.includes(name) || isTemporary(name)),
  );
  return {
    steps: [...sessions, ...SPOOL_NOTES, ...namesIn(folder).filter(isTemporary)].flatMap((name) =>
      remove(join(folder, name)),
    ),
    leaving: isThere(folder) ? [folder] : [],
  };
}
