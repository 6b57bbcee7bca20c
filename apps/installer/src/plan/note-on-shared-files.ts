/**
 * Files with several names (hard links) are written in place, so that a repository of dotfiles stays the same file. A home that
 * was backed up by hard links shows the change in the backup, too: that must not happen without a word.
 */
import { fileStatus } from '../files/file-status.ts';
import type { Note } from './note.ts';
import type { ShownChange } from './show-plan.ts';

/** One note about all of them, before or after they are written; none where each file has one name. */
export function noteOnSharedFiles(changes: readonly ShownChange[]): readonly Note[] {
  const shared = changes
    .filter(({ action }) => action === 'change')
    .map(({ path }) => ({ path, status: fileStatus(path) }))
    // Of a folder, whose permissions change, the system counts the folders in it.
    .map(({ path, status }) => ({ path, names: status?.isFile() === true ? status.nlink : 0 }))
    .filter(({ names }) => names > 1);
  const [first] = shared;
  if (first === undefined) return [];
  return [
    {
      code: 'file/several-names',
      isWarning: false,
      ...(shared.length === 1 ? { file: first.path } : {}),
      say: (t) => t.severalNames(shared),
    },
  ];
}
