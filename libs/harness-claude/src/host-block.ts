/**
 * What Claude Code itself puts where a user's words belong: commands and their output, notes about background tasks,
 * reminders. Kept as user text it would become a memory of things that nobody said.
 */
import { withoutBlocks } from '../vendor/memory-core/hot.ts';

/** Output of the client's own commands and notes of background tasks: what may end up beside a user's words. */
export const HOST_TAGS: readonly string[] = [
  'task-notification',
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
  'bash-stdout',
  'bash-stderr',
  // Written by the extensions for editors, and by the client's own shortcut for its memory files.
  'ide-opened-file',
  'ide-selection',
  'user-memory-input',
];

/** All blocks that the rows of commands, shell lines and notes are made of. */
const HOST_BLOCKS: ReadonlySet<string> = new Set([
  ...HOST_TAGS,
  'command-name',
  'command-message',
  'command-args',
  'command-contents',
  'bash-input',
  'system-reminder',
]);

/** True for a text that holds something, and nothing but the host's own blocks. */
export function isOnlyHostBlocks(text: string): boolean {
  return text.trimStart().startsWith('<') && withoutBlocks(text, HOST_BLOCKS).trim() === '';
}
