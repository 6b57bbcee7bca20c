/** A conversation starts or goes on: deliver what was left over, and tell the model who it works for. */
import { inside } from '../fs/path.ts';
import type { SessionStartEvent } from '../contract/event.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { estimateTokens } from '../capture/cut.ts';
import { claim } from '../fs/claim.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { serverStatePath, sessionStateFolder } from '../fs/home-paths.ts';
import { isTrouble, openCircuit } from '../recall/circuit.ts';
import { openingContext, type OpeningResult } from '../recall/opening-context.ts';
import { openSource, sourceOf } from '../capture/transcript-source.ts';
import { environmentMark } from '../spool/environment-mark.ts';
import { noteFirstSeen } from '../spool/first-seen.ts';
import { openConnected, type ConnectedSession } from './open-connected.ts';
import type { Trouble } from './notice.ts';
import type { HookEnvironment } from './run-hook.ts';
import { tell, troubleOf } from './tell-trouble.ts';

/**
 * Some hosts fire the event twice: the second with the same source within this time stays silent, in ms. Another source is
 * another event: a summary may follow a resume at once.
 */
const REPEATED_MS = 2_000;
const LOCAL_SERVER_WAIT_MS = 3_000;
const RESERVE_MS = 200;

export async function handleSessionStart(event: SessionStartEvent, environment: HookEnvironment): Promise<Reply> {
  const open = openConnected(event, environment);
  if (open === undefined) return NOTHING;
  if (!claim(inside(sessionStateFolder(open.paths, open.session), `started-${event.source}`), REPEATED_MS))
    return NOTHING;
  // A subagent is a part of the work that its parent's start has prepared; a dozen may start at once.
  const isSubagent = event.session.subagent !== undefined;
  if (!isSubagent) {
    noteBeginning(event, open, environment);
    environment.startWorker(['sweep', open.session]);
  }
  const [first] = await Promise.all([
    open.settings.noAutoInject ? undefined : buildOpening(event, open, environment),
    isSubagent ? undefined : sendIdlePolicy(open, environment),
  ]);
  const opening = first === undefined ? undefined : await withLocalServer(first, event, open, environment);
  if (opening === undefined) return NOTHING;
  const said = tell([opening.trouble], open, environment);
  if (opening.text === '') return said.notice === undefined ? NOTHING : { kind: 'nothing', ...said };
  environment.note({ injectedTokens: Math.ceil(estimateTokens(opening.text)) });
  return { kind: 'context', text: opening.text, ...said };
}

/** Of a conversation that is new to us: remembers that it began with memory on, and how far the client's record reaches. */
function noteBeginning(event: SessionStartEvent, open: ConnectedSession, environment: HookEnvironment): void {
  const { harness } = environment;
  if (!open.settings.autoCapture) return;
  const source = sourceOf(event);
  keepIfPossible(() => {
    open.conversation.prepare();
    noteFirstSeen(open.conversation, () => {
      const transcript = openSource(harness, source, environment);
      transcript?.close();
      // What a fork, or a resumed conversation under a new id, begins with is copied there later.
      const unread = event.source === 'startup' || event.source === 'clear' ? 'start' : 'prompt';
      return {
        harness: harness.declaration.id,
        ...source,
        cwd: event.cwd,
        peer: open.peer,
        environment: environmentMark(environment.env),
        from: event.source === 'fork' ? 'prompt' : (transcript?.end ?? unread),
      };
    });
  });
}

function buildOpening(
  event: SessionStartEvent,
  open: ConnectedSession,
  environment: HookEnvironment,
): Promise<OpeningResult> {
  const limits = [open.settings.sessionStartMaxBytes, environment.harness.declaration.contextMaxBytes ?? 0].filter(
    (limit) => limit > 0,
  );
  return openingContext({
    client: open.client,
    settings: open.settings,
    session: open.session,
    ...(open.peer === undefined ? {} : { peer: open.peer }),
    resumed: event.source === 'resume' || event.source === 'compact',
    timeoutMs: timeLimit(open, environment),
    maxBytes: limits.length === 0 ? 0 : Math.min(...limits),
  });
}

/** The opening as it is after the embedded server, if that is the one that did not answer, has been started. */
async function withLocalServer(
  first: OpeningResult,
  event: SessionStartEvent,
  open: ConnectedSession,
  environment: HookEnvironment,
): Promise<OpeningResult & { readonly trouble?: Trouble | undefined }> {
  let opening = first;
  let starting = false;
  if (opening.failure?.class === 'unsent') {
    const wait = Math.min(LOCAL_SERVER_WAIT_MS, environment.timeLeft() / 2);
    const started = await environment.bundles.loadSeldom().startLocalServer(open, environment, wait);
    starting = started === 'starting';
    if (started === 'answers') {
      [opening] = await Promise.all([
        buildOpening(event, open, environment),
        event.session.subagent === undefined ? sendIdlePolicy(open, environment) : undefined,
      ]);
    }
  }
  if (opening.failure === undefined) return opening;
  const { failure } = opening;
  environment.note({ outcome: failure.class === 'blocked' ? 'unauthorized' : `failed-${failure.code}` });
  open.log.error(`opening context incomplete: ${failure.class} ${failure.status} ${failure.code}`);
  // The prompt that follows at once must not wait for the same server again; one that is coming up is no such server.
  if (!starting && opening.unanswered && isTrouble(failure)) {
    const path = serverStatePath(open.paths, 'circuit', open.client.baseUrl);
    keepIfPossible(() => openCircuit(path, Date.now()));
  }
  return { ...opening, trouble: starting ? undefined : troubleOf(failure) };
}

/** ms for each request. */
function timeLimit(open: ConnectedSession, environment: HookEnvironment): number {
  return Math.min(open.settings.timeoutMs, Math.max(100, environment.timeLeft() - RESERVE_MS));
}

/** The server then commits the tail of a conversation whose client was killed. A missing session is created with it. */
async function sendIdlePolicy(open: ConnectedSession, environment: HookEnvironment): Promise<void> {
  const seconds = open.settings.commitIdleTimeoutSeconds;
  const path = `/sessions/${encodeURIComponent(open.session)}/config`;
  const policy = seconds > 0 ? { idle_timeout_seconds: seconds } : null;
  const timeoutMs = timeLimit(open, environment);
  const common = { timeoutMs, ...(open.peer === undefined ? {} : { peer: open.peer }) };
  const result = await open.client.call({ method: 'PATCH', path, body: { auto_commit_policy: policy }, ...common });
  if (result.ok || result.failure.class !== 'missing' || policy === null) return;
  await open.client.call({
    method: 'POST',
    path: '/sessions',
    body: { session_id: open.session, auto_commit_policy: policy },
    ...common,
  });
}
