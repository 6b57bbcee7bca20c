/**
 * The conversation is over: what is left of it goes to disk, the running turn of a user who interrupted it included, and
 * all of it is to become memory. Hosts give this event little time, so the worker does the rest.
 */
import type { SessionEndEvent } from '../contract/event.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { captureEvent } from './capture-event.ts';
import { openSession } from './open-session.ts';
import type { HookEnvironment } from './run-hook.ts';

export async function handleSessionEnd(event: SessionEndEvent, environment: HookEnvironment): Promise<Reply> {
  const open = openSession(event, environment);
  if (open === undefined || !open.settings.autoCapture) return NOTHING;
  await captureEvent(event, { over: true, everything: true }, open, environment);
  return NOTHING;
}
