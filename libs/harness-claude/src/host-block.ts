/**
 * What Claude Code itself puts where a user's words belong: commands and their output, notes about background tasks,
 * reminders. Kept as user text it would become a memory of things that nobody said.
 */
import { withoutBlocks } from '../vendor/memory-core/hot.ts';

/** Blocks that make up the rows of commands and shell lines that the user ran in the client. */
const COMMAND_TAGS = [
  'command-name',
  'command-message',
  'command-args',
  'command-contents',
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
  'bash-input',
  'bash-stdout',
  'bash-stderr',
];

/** A background task has ended: the host prompts the model with it, in the user's place. */
const NOTIFICATION = 'task-notification';

/** For the core, which knows reminders and hook context from every host. */
export const HOST_TAGS: readonly string[] = [...COMMAND_TAGS, NOTIFICATION];

const HOST_BLOCKS: ReadonlySet<string> = new Set([...HOST_TAGS, 'system-reminder']);

/** True for a text that holds something, and nothing but the host's own blocks. */
export function isOnlyHostBlocks(text: string): boolean {
  return text.trimStart().startsWith('<') && withoutBlocks(text, HOST_BLOCKS).trim() === '';
}
