/**
 * Opens a turn for an answer whose prompt is not noted: its hook has failed, or the turn has been captured and goes on. What
 * the host tells of such an answer it tells once, and a client without a record of the conversation has it nowhere else.
 */
import { existsSync } from 'node:fs';
import type { AnswerEvent } from '../contract/event.ts';
import { openSource, sourceOf } from '../capture/transcript-source.ts';
import { isoTime } from '../log/iso-time.ts';
import { notePrompt } from '../spool/journal.ts';
import { passedOver } from '../spool/passed-over.ts';
import type { OpenSession } from './open-session.ts';
import { originOf } from './origin-of.ts';
import type { HookEnvironment } from './run-hook.ts';

/**
 * The id of the turn, noted without a word of the user's; undefined where there is nothing to note: the client's record shows
 * the answer, or memory was not known to be on when its prompt was given.
 */
export function noteAnsweredTurn(
  event: AnswerEvent,
  { conversation, settings }: OpenSession,
  environment: HookEnvironment,
): string | undefined {
  if (!existsSync(conversation.folder) || passedOver(conversation)?.off === true) return undefined;
  const { harness } = environment;
  const source = sourceOf(event);
  const record = openSource(harness, source, environment);
  record?.close();
  if (record !== undefined) return undefined;
  const now = Date.now();
  const turnId = event.turnId ?? conversation.captureState().cursor.last?.turnId ?? `p-${now.toString(36)}`;
  notePrompt(conversation, {
    turnId,
    harness: harness.declaration.id,
    ...source,
    text: '',
    typed: '',
    at: isoTime(now),
    cwd: event.cwd,
    ...originOf(event, settings, environment),
  });
  return turnId;
}
