/** A turn has ended: it is on disk before the host gets its answer, and a process of its own delivers it. */
import type { TurnEndEvent } from '../contract/event.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { livingOwner } from '../fs/lock.ts';
import { captureTurns } from '../capture/capture-turns.ts';
import { pendingPrompts } from '../spool/journal.ts';
import { markedSessions } from '../spool/conversation.ts';
import { isSpoolFull } from '../spool/spool-size.ts';
import { openSession } from './open-session.ts';
import type { HookEnvironment } from './run-hook.ts';

export async function handleTurnEnd(event: TurnEndEvent, environment: HookEnvironment): Promise<Reply> {
  const open = openSession(event, environment);
  if (open === undefined || !open.settings.autoCapture) return NOTHING;
  const { conversation } = open;
  if (isSpoolFull(open.paths.spool, open.settings.spoolMaxBytes)) {
    environment.note({ outcome: 'spool-full' });
    open.log.error(`nothing is captured: undelivered turns take ${open.settings.spoolMaxBytes} bytes or more`);
    void environment.startWorker(['deliver', open.session]);
    return NOTHING;
  }
  conversation.prepare();
  // Hosts that number no turns end the one that was begun last.
  const turnId = event.turnId ?? pendingPrompts(conversation).at(-1)?.turnId;
  let worker: Promise<void> | undefined;
  const startWorker = (): void => {
    // A worker that has the conversation looks for records once more after it has given the lock back: it sees these.
    if (worker === undefined && livingOwner(conversation.lockFile) === undefined)
      worker = environment.startWorker(['deliver', open.session]);
  };
  const records = await captureTurns({
    harness: environment.harness,
    conversation,
    nativeId: event.session.nativeId,
    settings: open.settings,
    rules: open.captured,
    home: environment.home,
    cwd: event.cwd,
    env: environment.env,
    ...(open.peer === undefined ? {} : { peer: open.peer }),
    ...(turnId === undefined
      ? {}
      : { ended: { turnId, ...(event.answer === undefined ? {} : { answer: event.answer }) } }),
    now: Date.now(),
    meanwhile: { whileWritten: environment.prepareWorker, whileNamed: startWorker },
  });
  environment.note({ outcome: records.length > 0 ? 'captured' : 'nothing-new' });
  if (markedSessions(open.paths.spool).length > 0) startWorker();
  if (!open.settings.writePathAsync) await worker;
  return NOTHING;
}
