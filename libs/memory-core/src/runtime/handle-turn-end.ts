/** A turn has ended: it is on disk before the host gets its answer, and a process of its own delivers it. */
import { existsSync } from 'node:fs';
import type { TurnEndEvent } from '../contract/event.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { shortHash } from '../session/short-hash.ts';
import type { Conversation } from '../spool/conversation.ts';
import { areWordsHeard, pendingPrompts } from '../spool/journal.ts';
import { captureEvent } from './capture-event.ts';
import { openSession } from './open-session.ts';
import type { HookEnvironment } from './run-hook.ts';

/** With a subagent in the event, its whole conversation has ended: nobody goes on with it. */
export async function handleTurnEnd(event: TurnEndEvent, environment: HookEnvironment): Promise<Reply> {
  const open = openSession(event, environment);
  if (open === undefined || !open.settings.autoCapture) return NOTHING;
  const isSubagent = event.session.subagent !== undefined;
  // A conversation begins with its start or a prompt. Of one that only ends, nobody knows whether memory was on before.
  const isUnseen = isSubagent
    ? environment.bundles.loadSeldom().beganUnseen(event, environment, open)
    : !existsSync(open.conversation.folder);
  if (isUnseen) return NOTHING;
  const turnId = event.turnId ?? (isSubagent ? undefined : unnumbered(event, open.conversation));
  const answer = {
    ...(event.answer === undefined ? {} : { answer: event.answer }),
    ...(event.prompt === undefined ? {} : { prompt: event.prompt }),
  };
  // The turn id of a subagent's event may be the parent's.
  const ended = isSubagent || turnId === undefined ? answer : { turnId, ...answer };
  const { worker } = await captureEvent(
    event,
    { ended, awaited: !open.settings.writePathAsync, ...(isSubagent ? { over: true, everything: true } : {}) },
    open,
    environment,
  );
  await worker;
  return NOTHING;
}

/**
 * The open turn that ends where the host numbers none: the oldest one with the prompt that the event repeats. Where it repeats
 * none, or one that nobody noted, the newest one: a turn that the user stops has no end, so an older one that is open has
 * most likely been stopped. Had it only been waiting, its answer would be kept beside the wrong prompt, and the next one
 * behind it: nothing is lost, and nothing stored twice. Undefined where the turn that was captured last goes on.
 */
function unnumbered({ prompt }: TurnEndEvent, conversation: Conversation): string | undefined {
  const prompts = pendingPrompts(conversation);
  const newest = prompts.at(-1)?.turnId;
  if (prompt === undefined || newest === undefined) return newest;
  const typed = shortHash(prompt, 16);
  const repeated = prompts.find((noted) => noted.typed === typed);
  if (repeated !== undefined) return repeated.turnId;
  const heard = conversation.captureState().cursor.last?.typed;
  return heard !== undefined && areWordsHeard(typed, heard) ? undefined : newest;
}
