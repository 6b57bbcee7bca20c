/**
 * Memory is switched off here: what the conversation says meanwhile must stay unknown when it is on again. Its record and its
 * subagents go on all the same, and a turn may begin on one side of the switch and end on the other.
 */
import { existsSync, fstatSync } from 'node:fs';
import type { HookEvent } from '../contract/event.ts';
import { openSource, sourceOf, type TranscriptSource } from '../capture/transcript-source.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { serverSessionId } from '../session/session-id.ts';
import { ConversationFolder } from '../spool/conversation-folder.ts';
import { firstSeen } from '../spool/first-seen.ts';
import { dropPrompt, pendingPrompts } from '../spool/journal.ts';
import { notePassedOver, passedOver } from '../spool/passed-over.ts';
import type { HookEnvironment } from './run-hook.ts';

/**
 * Notes how far the record has come, and forgets the turn that was begun and has not ended: a turn is kept if memory was on at
 * its beginning and at its end. What happens in a subagent happens in its parent's turn. Does nothing for a conversation
 * of which nothing was kept: what it said so far is history then anyway.
 */
export function passOver(event: HookEvent, environment: HookEnvironment, spool: string): void {
  const conversation = parentOf(event, environment, spool);
  if (!existsSync(conversation.folder)) return;
  const prompts = pendingPrompts(conversation);
  const { transcriptPath } = prompts.at(-1) ?? firstSeen(conversation) ?? {};
  const source: TranscriptSource =
    event.session.subagent === undefined
      ? sourceOf(event)
      : { nativeId: event.session.nativeId, ...(transcriptPath === undefined ? {} : { transcriptPath }) };
  const transcript = openSource(environment.harness, source, environment);
  const until = transcript === undefined ? {} : { until: transcript.end };
  transcript?.close();
  // The note first: without it a turn that nobody knows of would be taken for one that was missed.
  keepIfPossible(() => notePassedOver(conversation, { off: true, at: Date.now(), ...until }));
  for (const prompt of prompts) dropPrompt(conversation, prompt);
}

/**
 * True for a subagent whose work began when memory was not known to be on in its parent's conversation: it ends with an event
 * that knows nothing of its beginning, and its record shows all of it.
 */
export function beganUnseen(event: HookEvent, environment: HookEnvironment, spool: string): boolean {
  const parent = parentOf(event, environment, spool);
  if (!existsSync(parent.folder)) return true;
  const passed = passedOver(parent);
  if (passed === undefined || passed.off) return passed !== undefined;
  const record = openSource(environment.harness, sourceOf(event), environment);
  if (record === undefined) return true;
  const { birthtimeMs } = fstatSync(record.descriptor);
  record.close();
  return birthtimeMs < (passed.at ?? 0);
}

/** The conversation itself, or that of the agent for which a subagent works. */
function parentOf(
  { session: { nativeId, origin } }: HookEvent,
  { harness }: HookEnvironment,
  spool: string,
): ConversationFolder {
  return new ConversationFolder(spool, serverSessionId(harness.declaration, { nativeId, origin }));
}
