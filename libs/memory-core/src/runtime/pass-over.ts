/** Memory is switched off here: notes how far the client's record has come, so that it is not captured later. */
import { existsSync } from 'node:fs';
import type { HookEvent } from '../contract/event.ts';
import { openSource, sourceOf } from '../capture/transcript-source.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import type { ConversationFolder } from '../spool/conversation-folder.ts';
import { notePassedOver } from '../spool/passed-over.ts';
import type { HookEnvironment } from './run-hook.ts';

/** Does nothing for a conversation of which nothing was kept: what it said so far is history then anyway. */
export function passOver(
  event: HookEvent,
  { harness, home, env }: HookEnvironment,
  conversation: ConversationFolder,
): void {
  if (event.session.subagent !== undefined || !existsSync(conversation.folder)) return;
  const transcript = openSource(harness, sourceOf(event), { home, env });
  if (transcript === undefined) return;
  keepIfPossible(() => notePassedOver(conversation, { off: true, until: transcript.end }));
  transcript.close();
}
