/** A prompt was submitted: note it for capture, and put in front of the model what the memory knows about it. */
import { inside } from '../fs/path.ts';
import type { PromptEvent } from '../contract/event.ts';
import type { HookOutcome } from '../contract/hook-outcome.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { cutText, estimateTokens } from '../capture/cut.ts';
import { isMemorable } from '../capture/memorable.ts';
import { contentKey } from '../capture/content-key.ts';
import { openSource, sourceOf } from '../capture/transcript-source.ts';
import { sessionStateFolder, serverStatePath } from '../fs/home-paths.ts';
import { circuitOpen, closeCircuit, isTrouble, openCircuit } from '../recall/circuit.ts';
import type { Filters } from '../privacy/filters-load.ts';
import { sanitiseBeginning } from '../privacy/pipeline.ts';
import { neutralise, wrapContext } from '../recall/envelope.ts';
import { recall, wantsDigest } from '../recall/recall.ts';
import type { RecallInput, RecallResult } from '../recall/recall-request.ts';
import { claim } from '../fs/claim.ts';
import { DISK_FULL, isDiskFull } from '../fs/disk-full.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { livingOwner } from '../fs/lock.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import { isoTime } from '../log/iso-time.ts';
import { rememberBlock, rememberedBlock } from '../recall/recall-memory.ts';
import { shortHash } from '../session/short-hash.ts';
import { ConversationFolder, someMarked } from '../spool/conversation-folder.ts';
import {
  notePrompt,
  noteRemark,
  promptPath,
  promptSeen,
  pendingPrompt,
  pendingPrompts,
  replacePrompt,
  type PendingPrompt,
} from '../spool/journal.ts';
import { environmentMark } from '../spool/environment-mark.ts';
import { notePassedOver, passedOver } from '../spool/passed-over.ts';
import { readServerDelivery, waitLeft } from '../spool/delivery-state.ts';
import { mayBeFull } from '../spool/spool-size.ts';
import { openConnected, type ConnectedSession } from './open-connected.ts';
import type { Trouble } from './notice.ts';
import type { OpenPlace } from './open-session.ts';
import type { HookEnvironment } from './run-hook.ts';
import { tell, troubleOf } from './tell-trouble.ts';

/**
 * For hosts that number no turns: the same text again within this time is the same event, in ms. It runs from the last hook
 * that had to do with it, for two registrations of ours may run one after the other.
 */
const SAME_EVENT_MS = 500;
/** The same where no such prompt is open: its turn has ended, or the hook that was first has not noted it yet. */
const AT_ONCE_MS = 100;
/** Kept back for writing the answer, in ms. */
const RESERVE_MS = 150;
/** How long a prompt waits for the local server to come up, in ms. */
const LOCAL_SERVER_WAIT_MS = 1_000;

export async function handlePrompt(event: PromptEvent, environment: HookEnvironment): Promise<Reply> {
  const open = openConnected(event, environment);
  if (open === undefined) return NOTHING;
  // Cleaned once; what the two kinds of filters do to it differs.
  const options = { ...open.captured, role: 'user', filters: undefined } as const;
  const text = sanitiseBeginning(event.prompt, open.settings.captureMaxLength, options) ?? '';
  let noted: Noted | undefined;
  let notNoted: HookOutcome | undefined;
  if (open.settings.autoCapture) {
    try {
      noted = note(event, text, open, environment);
      if (noted === undefined) return NOTHING;
    } catch (error) {
      // A full disk or a read-only home: the prompt is lost for capture, and the memory can still be asked.
      notNoted = isDiskFull(error) ? DISK_FULL : 'not-noted';
      open.log.error('a prompt could not be noted', error);
    }
  }
  if (needsWorker(open, noted?.turnId, environment)) environment.startWorker(['deliver', open.session]);
  const recalled = recallFor(text, open, environment);
  // While the server thinks, what the end of the turn would have to do.
  if (noted !== undefined) setImmediate(() => keepIfPossible(() => open.conversation.prepare()));
  const { block = '', trouble } = await recalled;
  if (noted !== undefined) {
    if (event.turnId !== undefined) promptSeen(noted.path);
    else keepIfPossible(() => writeFileAtomic(eventPath(open, shortHash(event.prompt, 16)), ''));
  }
  // Whatever became of the question: this is what somebody has to see to.
  if (notNoted !== undefined) environment.note({ outcome: notNoted });
  const said = tell([isCaptureStopped(open, environment) ? 'full' : undefined, trouble], open, environment);
  if (block === '') return said.notice === undefined ? NOTHING : { kind: 'nothing', ...said };
  environment.note({ injectedTokens: Math.ceil(estimateTokens(block)) });
  return { kind: 'context', text: wrapContext('prompt', block), ...said };
}

/** What is to be put in front of the model, and what stood in the way. */
interface Recalled {
  readonly block?: string;
  readonly trouble?: Trouble | undefined;
}

async function recallFor(text: string, open: ConnectedSession, environment: HookEnvironment): Promise<Recalled> {
  if (!open.settings.autoRecall) return {};
  const query = filtered(text, open.queryFilters);
  if (query === undefined || !isMemorable(query, open.settings.minQueryLength)) return {};
  return fetchBlock(cutText(query, open.settings.captureMaxLength), open, environment);
}

/** Asked only where somebody is told. */
function isCaptureStopped({ settings, paths }: OpenPlace, { harness, bundles }: HookEnvironment): boolean {
  if (harness.declaration.showsNotices !== true || !settings.autoCapture) return false;
  const { spoolMaxBytes: most } = settings;
  return mayBeFull(paths.spool, most) && bundles.loadSeldom().isSpoolFull(paths.spool, most);
}

interface Noted {
  readonly turnId: string;
  readonly path: string;
}

/** Writes the prompt into the journal; undefined when this very event was seen before. */
function note(
  event: PromptEvent,
  text: string,
  open: ConnectedSession,
  environment: HookEnvironment,
): Noted | undefined {
  const { conversation } = open;
  conversation.prepareJournal();
  const typed = shortHash(event.prompt, 16);
  const now = Date.now();
  const { harness } = environment;
  const source = sourceOf(event);
  const transcript = openSource(harness, source, environment);
  try {
    const until = transcript === undefined ? {} : { until: transcript.end };
    // A note that cannot be written is no reason to lose the prompt.
    if (passedOver(conversation)?.off === true)
      keepIfPossible(() => notePassedOver(conversation, { off: false, at: now, ...until }));
  } finally {
    transcript?.close();
  }
  if (event.turnId === undefined) {
    const isOpen = pendingPrompts(conversation).some((noted) => noted.typed === typed);
    if (!isFirst(eventPath(open, typed), isOpen ? SAME_EVENT_MS : AT_ONCE_MS)) return undefined;
  }
  const prompt: PendingPrompt = {
    turnId: event.turnId ?? `p-${now.toString(36)}-${typed}`,
    harness: harness.declaration.id,
    ...source,
    text: filtered(text, open.captured.filters) ?? '',
    ...(open.captured.redact ? {} : { unsearched: true }),
    typed,
    ...(harness.transcript?.identity === 'content' ? { content: contentKey(event.prompt, harness.dialect) } : {}),
    at: isoTime(now),
    cwd: event.cwd,
    peer: open.peer,
    environment: environmentMark(environment.env),
    ...(transcript === undefined ? {} : { transcript: transcript.end }),
  };
  const { turnId } = prompt;
  let path: string | undefined = promptPath(conversation, turnId);
  if (!notePrompt(conversation, prompt)) {
    if (pendingPrompt(conversation, turnId) === undefined) replacePrompt(conversation, prompt);
    else path = noteRemark(conversation, prompt);
  }
  return path === undefined ? undefined : { turnId, path };
}

/** Where it cannot be told, a prompt that is stored twice is better than one that is not stored. */
function isFirst(path: string, windowMs: number): boolean {
  try {
    return claim(path, windowMs);
  } catch {
    return true;
  }
}

/** Carries the time at which a prompt without a turn's id was seen last. */
function eventPath({ paths, session }: OpenPlace, typed: string): string {
  return inside(sessionStateFolder(paths, session), `prompt-${typed}`);
}

function filtered(text: string, filters: Filters | undefined): string | undefined {
  return filters === undefined ? text : filters.apply('user', text)?.trim();
}

/**
 * Where so many conversations wait for another environment or rest, the others are left to the next turn end, which starts a
 * worker in any case: one that finds nothing to do would cost more at each prompt than it brings.
 */
const MOST_LOOKED_AT = 20;

/** Something was left over: turns that were captured and not delivered, or whose end was missed. */
function needsWorker(open: ConnectedSession, noted: string | undefined, { env, bundles }: HookEnvironment): boolean {
  const missed = pendingPrompts(open.conversation).some((prompt) => prompt.turnId !== noted);
  if (missed) return true;
  const state = readServerDelivery(serverStatePath(open.paths, 'delivery', open.client.baseUrl));
  if (waitLeft(state, Date.now()) > 0) return false;
  const { spool } = open.paths;
  const hasWork = (session: string): boolean =>
    // One that is being delivered this moment needs no second worker.
    livingOwner(new ConversationFolder(spool, session).lockFile) === undefined &&
    bundles.loadSeldom().hasWorkHere(spool, session, environmentMark(env));
  return someMarked(spool, hasWork, MOST_LOOKED_AT);
}

async function fetchBlock(query: string, open: ConnectedSession, environment: HookEnvironment): Promise<Recalled> {
  const folder = sessionStateFolder(open.paths, open.session);
  const key = shortHash(query, 16);
  const known = rememberedBlock(folder, key);
  if (known !== undefined) {
    environment.note({ outcome: 'recalled-before' });
    return { block: known };
  }
  const circuit = serverStatePath(open.paths, 'circuit', open.client.baseUrl);
  if (circuitOpen(circuit, Date.now())) {
    environment.note({ outcome: 'circuit-open' });
    return { trouble: 'unreachable' };
  }
  if (wantsDigest(open.settings)) environment.extendToHostLimit();
  const ask = (): Promise<RecallResult> => recall(recallInput(query, open, environment));
  let result = await ask();
  if (result.kind === 'failed' && result.failure.class === 'unsent') {
    const wait = Math.min(LOCAL_SERVER_WAIT_MS, environment.timeLeft() / 2);
    const started = await environment.bundles.loadSeldom().startLocalServer(open, environment, wait);
    if (started === 'answers') result = await ask();
    // A server that is being started is no failing server: the next prompt asks it.
    else if (started === 'starting') return {};
  }
  if (result.kind === 'failed') {
    const { failure } = result;
    environment.note({ outcome: failure.class === 'blocked' ? 'unauthorized' : `failed-${failure.code}` });
    open.log.error(`recall failed: ${failure.class} ${failure.status} ${failure.code}`);
    if (isTrouble(failure)) keepIfPossible(() => openCircuit(circuit, Date.now()));
    return { trouble: troubleOf(failure) };
  }
  closeCircuit(circuit);
  if (result.kind === 'none') return {};
  const block = neutralise(result.text);
  keepIfPossible(() => rememberBlock(folder, key, block));
  return { block };
}

function recallInput(query: string, open: ConnectedSession, environment: HookEnvironment): RecallInput {
  return {
    client: open.client,
    settings: open.settings,
    session: open.session,
    query,
    ...(open.peer === undefined ? {} : { peer: open.peer }),
    ...(open.legacyPeer === undefined ? {} : { legacyPeer: open.legacyPeer }),
    loadLegacy: () => environment.bundles.loadSeldom().legacyRecall,
    capabilityPath: serverStatePath(open.paths, 'capability', open.client.baseUrl),
    timeoutMs: Math.max(100, environment.timeLeft() - RESERVE_MS),
    now: Date.now(),
  };
}
