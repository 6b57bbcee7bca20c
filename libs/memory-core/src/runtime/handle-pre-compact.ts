/**
 * The host is about to replace the conversation with a summary: what was said becomes memory first, so that the opening
 * context that follows the summary can bring it back. The host waits for this hook; what takes longer is done later.
 */
import type { PreCompactEvent } from '../contract/event.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { livingOwner } from '../fs/lock.ts';
import { captureEvent } from './capture-event.ts';
import { openSession } from './open-session.ts';
import type { HookEnvironment } from './run-hook.ts';

/** Kept back for ending the hook, in ms. */
const RESERVE_MS = 300;
const LOOK_AGAIN_MS = 20;

export async function handlePreCompact(event: PreCompactEvent, environment: HookEnvironment): Promise<Reply> {
  const open = openSession(event, environment);
  if (open === undefined || !open.settings.autoCapture) return NOTHING;
  const { conversation } = open;
  const { worker } = await captureEvent(event, { everything: true, awaited: true }, open, environment);
  let working = worker !== undefined;
  void worker?.then(() => (working = false));
  while (conversation.hasRecords() && environment.timeLeft() > RESERVE_MS) {
    if (!working && livingOwner(conversation.lockFile) === undefined) break;
    await new Promise((done) => setTimeout(done, LOOK_AGAIN_MS));
  }
  environment.note({ outcome: conversation.hasRecords() ? 'left-for-later' : 'delivered' });
  return NOTHING;
}
