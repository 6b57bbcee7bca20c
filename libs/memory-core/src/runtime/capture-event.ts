/** Capture as the hooks do it: turn end, compaction and session end differ only in which turns have ended. */
import type { HookEvent } from '../contract/event.ts';
import type { CaptureInput } from '../capture/capture-input.ts';
import { captureTurns } from '../capture/capture-turns.ts';
import { sourceOf } from '../capture/transcript-source.ts';
import { livingOwner } from '../fs/lock.ts';
import { someMarked } from '../spool/conversation-folder.ts';
import { mayBeFull } from '../spool/spool-size.ts';
import type { OpenSession } from './open-session.ts';
import type { HookEnvironment } from './run-hook.ts';

export interface CaptureRequest extends Pick<CaptureInput, 'ended' | 'over'> {
  /** Everything that is captured and not committed is to be committed, with nothing kept back. */
  readonly everything?: boolean;
  /** Somebody waits until it is delivered. */
  readonly awaited?: boolean;
}

/**
 * Captures what has ended and starts the worker if there is work for it. The promise inside, of a worker that is awaited,
 * resolves when that is done; undefined when nobody waits, or another worker has the conversation.
 */
export async function captureEvent(
  event: HookEvent,
  request: CaptureRequest,
  open: OpenSession,
  environment: HookEnvironment,
): Promise<{ readonly worker: Promise<void> | undefined }> {
  const { conversation, settings, paths } = open;
  const { harness } = environment;
  const { everything, awaited, ...turns } = request;
  const args = ['deliver', open.session];
  let worker: Promise<void> | undefined;
  let started = false;
  const startWorker = (): void => {
    // A worker that has the conversation looks for records once more after it has given the lock back: it sees these.
    if (started || livingOwner(conversation.lockFile) !== undefined) return;
    started = true;
    if (awaited === true) worker = environment.runWorker(args);
    else environment.startWorker(args);
  };
  const { spoolMaxBytes: most } = settings;
  if (mayBeFull(paths.spool, most) && environment.bundles.loadSeldom().isSpoolFull(paths.spool, most)) {
    environment.note({ outcome: 'spool-full' });
    open.log.error(`nothing is captured: undelivered turns take ${most} bytes or more`);
    startWorker();
    return { worker };
  }
  conversation.prepare();
  const source = sourceOf(event);
  const common = { harness, conversation, source };
  const records = await captureTurns({
    ...turns,
    ...common,
    origin: () => environment.bundles.loadSeldom().originOf(event, settings, environment),
    settings,
    rules: open.captured,
    home: environment.home,
    cwd: event.cwd,
    env: environment.env,
    isOn: true,
    now: Date.now(),
    ...(everything === true ? {} : { meanwhile: startWorker }),
  });
  if (everything === true) await environment.bundles.loadSeldom().commitAll({ ...common, meanwhile: startWorker });
  environment.note({ outcome: records.length > 0 ? 'captured' : 'nothing-new' });
  if (!started && someMarked(paths.spool, () => true)) startWorker();
  return { worker };
}
