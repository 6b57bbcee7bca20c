/**
 * Memory is switched off here: what the conversation says meanwhile must stay unknown when it is on again. Its record and its
 * subagents go on all the same, and a turn may begin on one side of the switch and end on the other.
 */
import { existsSync, fstatSync } from 'node:fs';
import type { HookEvent } from '../contract/event.ts';
import type { OpenTranscript } from '../capture/open-transcript.ts';
import { linesFrom } from '../capture/read-transcript.ts';
import { openSource, sourceOf, type TranscriptSource } from '../capture/transcript-source.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import type { Log } from '../log/log.ts';
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
 * that knows nothing of its beginning, and its record shows all of it. `stat` is the system's.
 */
export function beganUnseen(
  event: HookEvent,
  environment: HookEnvironment,
  { paths, log }: { readonly paths: { readonly spool: string }; readonly log: Pick<Log, 'error'> },
  stat: (descriptor: number) => FileTimes = fstatSync,
): boolean {
  const parent = parentOf(event, environment, paths.spool);
  if (!existsSync(parent.folder)) return true;
  const passed = passedOver(parent);
  if (passed === undefined || passed.off) return passed !== undefined;
  const record = openSource(environment.harness, sourceOf(event), environment);
  if (record === undefined) return true;
  let began: number | undefined;
  try {
    began = beganAt(record, event, environment, stat(record.descriptor));
  } finally {
    record.close();
  }
  if (began === undefined) log.error('a subagent is left out: nothing tells whether it began with memory switched on');
  return began === undefined || began < (passed.at ?? 0);
}

interface FileTimes {
  readonly birthtimeMs: number;
  readonly ctimeMs: number;
}

/**
 * In ms since 1970; undefined where nothing tells. A file system that keeps no times of birth has 0, and where the system does
 * not tell them, Node gives the time of the last change: then the record's own first time counts, if it has one.
 */
function beganAt(
  record: OpenTranscript,
  event: HookEvent,
  { harness }: HookEnvironment,
  { birthtimeMs, ctimeMs }: FileTimes,
): number | undefined {
  if (birthtimeMs > 0 && birthtimeMs !== ctimeMs) return birthtimeMs;
  const { nativeId, subagentId } = sourceOf(event);
  const [first] = harness.transcript?.parse?.(linesFrom(record, undefined), nativeId, subagentId) ?? [];
  const times = [birthtimeMs, Date.parse(first?.startedAt ?? '')].filter((time) => time > 0);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The conversation itself, or that of the agent for which a subagent works. */
function parentOf(
  { session: { nativeId, origin } }: HookEvent,
  { harness }: HookEnvironment,
  spool: string,
): ConversationFolder {
  return new ConversationFolder(spool, serverSessionId(harness.declaration, { nativeId, origin }));
}
