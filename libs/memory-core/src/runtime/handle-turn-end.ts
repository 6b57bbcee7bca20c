/** A turn has ended: it is on disk before the host gets its answer, and a process of its own delivers it. */
import { existsSync } from 'node:fs';
import type { TurnEndEvent } from '../contract/event.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { pendingPrompts } from '../spool/journal.ts';
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
    ? environment.bundles.loadSeldom().beganUnseen(event, environment, open.paths.spool)
    : !existsSync(open.conversation.folder);
  if (isUnseen) return NOTHING;
  // Hosts that number no turns end the one that was begun last.
  const turnId = event.turnId ?? pendingPrompts(open.conversation).at(-1)?.turnId;
  const answer = event.answer === undefined ? {} : { answer: event.answer };
  // The turn id of a subagent's event may be the parent's.
  const ended = isSubagent || turnId === undefined ? answer : { turnId, ...answer };
  const { worker } = await captureEvent(
    event,
    { ended, ...(isSubagent ? { over: true, everything: true } : {}) },
    open,
    environment,
  );
  if (!open.settings.writePathAsync) await worker;
  return NOTHING;
}
