/**
 * The delivery worker: a process of its own that outlives the hook which started it. It captures what the hooks missed,
 * delivers what lies in the spool – of any client, any conversation – and is gone within a minute or so.
 */
import { join } from 'node:path';
import { captureTurns } from '../capture/capture-turns.ts';
import { completeHeld } from '../capture/complete-held.ts';
import { hasUnseen } from '../capture/unseen.ts';
import { commitAll } from '../capture/commit-all.ts';
import { existsSync } from 'node:fs';
import type { Harness } from '../contract/harness.ts';
import type { ResolvedSettings, Settings } from '../contract/settings.ts';
import { claimedAgo } from '../fs/claim.ts';
import { forgetOld, forgetTemporaries } from '../fs/forget-old.ts';
import { CODE_CACHE, homePaths, serverStatePath, type HomePaths } from '../fs/home-paths.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { tryLock } from '../fs/lock.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import type { ApiClient, ApiFailure } from '../http/api.ts';
import { loggedClient } from '../http/logged-client.ts';
import { createLog, type Log } from '../log/log.ts';
import { logUncaught } from '../log/log-uncaught.ts';
import { isBypassed } from '../privacy/bypass.ts';
import type { SanitiseRules } from '../privacy/pipeline.ts';
import { loadSettings } from '../settings/load.ts';
import { backOffOf, concernsServer, endBackOffPause, forgetBackOff, noteBackOff } from '../spool/back-off.ts';
import { Conversation } from '../spool/conversation.ts';
import { allSessions, listNames, markedSessions } from '../spool/conversation-folder.ts';
import { credentialMark } from '../spool/credential-mark.ts';
import { clearUp } from '../spool/clear-records.ts';
import { deliverConversation, type DeliverOutcome } from '../spool/deliver.ts';
import type { DeliverInput } from '../spool/deliver-input.ts';
import { STILL_UNDER_WAY } from '../spool/store-messages.ts';
import {
  pauseAfter,
  readServerDelivery,
  waitLeft,
  writeServerDelivery,
  type ServerDelivery,
} from '../spool/delivery-state.ts';
import { firstSeen } from '../spool/first-seen.ts';
import { expireOld } from '../spool/expire.ts';
import { dropPrompt, dropStrayAnswers, pendingPrompts } from '../spool/journal.ts';
import { paced } from '../spool/pace.ts';
import { environmentMark, isElsewhere, withoutDestination, withoutSettings } from '../spool/environment-mark.ts';
import type { SpoolRecord } from '../spool/record.ts';
import { isSpoolFull, keepMeasured } from '../spool/measure-spool.ts';
import { firstWaiting, settleMark } from '../spool/waiting.ts';
import { startLocalServer } from './local-server.ts';
import { loadFilters, loadProxy } from './neighbour.ts';
import { connect } from './connect.ts';
import { userAgent } from './connect-through.ts';
import { WaitingPlace } from './waiting-place.ts';
import { isLeftOut, isSwitchedOff, sanitiseRules } from './open-session.ts';
import { homeFolder } from './home-folder.ts';

/** How long a worker stays to try again, in ms. */
const LIFE_MS = 60_000;
/** A prompt without an end is given up after this time, in ms: no agent's turn lasts longer. */
const ABANDONED_MS = 12 * 60 * 60_000;
/** A commit that the server refused is asked for once more after this time, in ms, where no other is set. */
const REFUSED_COMMIT_MS = 60 * 60_000;
/** Droppable state of conversations that nobody has gone on with, in ms. */
const FORGET_STATE_MS = 30 * 24 * 60 * 60_000;
/** A file under a temporary name is older than this, in ms, only if the process that wrote it was killed. */
const FORGET_TEMPORARY_MS = 60 * 60_000;

interface Worker {
  readonly harness: Harness;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: HomePaths;
  readonly log: Log;
  /** The conversation whose hook started it. */
  readonly first: string | undefined;
  readonly until: number;
  readonly spoolMaxBytes: number;
  /** Mark of `env`: turns that were said in another environment of its own are none of this worker's. */
  readonly environment: string;
  /** By harness and environment: a user may keep the memories of two clients in two accounts. */
  readonly destinations: Map<string, Destination>;
}

/** Where the turns of one harness go that were said in one environment. */
interface Destination {
  readonly resolved: ResolvedSettings;
  readonly client: ApiClient;
  readonly deliveryPath: string;
}

/**
 * `deliver <session>`: this conversation first, then whatever is marked. `sweep <session>`: every conversation, the
 * back-off forgotten. Ends the process.
 */
export function runWorker(harness: Harness, args: readonly string[]): void {
  let log: Log | undefined;
  const failed = (error: unknown): never => {
    logUncaught('worker', error, log, homePaths(homeFolder()), harness.declaration.id);
    process.exit(1);
  };
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  const mode = args[0] === 'sweep' ? 'sweep' : 'deliver';
  void work(harness, mode, args[1], (chosen) => (log = chosen)).then(() => process.exit(0));
}

async function work(
  harness: Harness,
  mode: 'deliver' | 'sweep',
  first: string | undefined,
  useLog: (log: Log) => void,
): Promise<void> {
  const home = homeFolder();
  const { env } = process;
  const { id, settingDefaults: defaults } = harness.declaration;
  const { settings } = loadSettings({ harness: id, defaults, home, cwd: home, env });
  const paths = homePaths(home, settings.spoolDir);
  const worker: Worker = {
    harness,
    home,
    env,
    paths,
    first,
    log: createLog(paths, id, settings),
    until: performance.now() + paced(LIFE_MS),
    spoolMaxBytes: settings.spoolMaxBytes,
    environment: environmentMark(env),
    destinations: new Map(),
  };
  useLog(worker.log);
  await captureMissed(worker, mode);
  const hasDelivered = await deliverAll(worker, mode);
  // Uninstalled meanwhile: nothing of ours may come back into this home.
  if (existsSync(paths.spool)) keepMeasured(paths.spool, hasDelivered);
  if (mode === 'sweep') {
    const { spoolMaxAgeDays: maxAgeDays } = settings;
    expireOld({ spool: paths.spool, maxAgeDays, log: worker.log, now: Date.now() });
    forgetOldState(worker);
    forgetInterrupted(worker);
  }
}

function destinationOf(
  worker: Worker,
  { harness, environment }: Pick<SpoolRecord, 'harness' | 'environment'>,
  mode: 'deliver' | 'sweep',
): Destination {
  const isOurs = (environment ?? '') === worker.environment;
  const name = `${harness} ${isOurs ? 'here' : environment}`;
  const known = worker.destinations.get(name);
  if (known !== undefined) return known;
  const { declaration, version } = worker.harness;
  // What another client's defaults are, only that client's own worker knows.
  const defaults = harness === declaration.id ? declaration.settingDefaults : undefined;
  const load = (env: Worker['env']): ResolvedSettings =>
    loadSettings({ harness, defaults, home: worker.home, cwd: worker.home, env });
  let resolved = load(isOurs ? worker.env : withoutDestination(worker.env));
  // A record of an older program does not tell. Where the files name no server, it can only have been meant for this one.
  if (environment === undefined && resolved.connection.source.url === 'default') resolved = load(worker.env);
  const plain = connect(resolved, userAgent(declaration.id, version), worker.env, loadProxy);
  const client = loggedClient(plain, worker.log);
  const destination = { resolved, client, deliveryPath: serverStatePath(worker.paths, 'delivery', client.baseUrl) };
  if (mode === 'sweep') endPause(destination);
  worker.destinations.set(name, destination);
  return destination;
}

/**
 * Turns whose end no hook saw, and conversations whose end none saw: of this client only, for only it can read its
 * transcripts.
 */
async function captureMissed(worker: Worker, mode: 'deliver' | 'sweep'): Promise<void> {
  const { first } = worker;
  if (isSpoolFull(worker.paths.spool, worker.spoolMaxBytes)) return;
  const sessions = mode === 'sweep' ? allSessions(worker.paths.spool) : first === undefined ? [] : [first];
  for (const session of sessions) {
    try {
      await catchUp(worker, new Conversation(worker.paths.spool, session), mode);
    } catch (error) {
      worker.log.error(`catching up ${session}`, error);
    }
  }
}

async function catchUp(worker: Worker, conversation: Conversation, mode: 'deliver' | 'sweep'): Promise<void> {
  const prompts = pendingPrompts(conversation);
  const known = prompts.at(-1) ?? firstSeen(conversation);
  if (known === undefined || known.harness !== worker.harness.declaration.id) return;
  const { harness, home, env } = worker;
  // Its settings may lie in files that only its own environment names.
  if (isElsewhere(known, worker.environment)) return;
  const { nativeId, subagentId, transcriptPath, cwd, peer, environment } = known;
  const source = {
    nativeId,
    ...(subagentId === undefined ? {} : { subagentId }),
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
  };
  const isOver = mode === 'sweep' && prompts.length === 0 && mayBeOver(worker, conversation);
  const hasMore = prompts.length > 0 || (mode === 'sweep' && hasUnseen(harness, source, conversation, { home, env }));
  if (!isOver && !hasMore) return;
  const { settings, rules } = captureSettings(worker, cwd);
  const place = { session: conversation.session, nativeId, cwd, home };
  const isOff = (by: Settings): boolean =>
    !by.autoCapture || isSwitchedOff(by, place, () => isBypassed) || isLeftOut(subagentId, by);
  if (isOff(settings)) {
    // A variable of the shell that started this worker switches nothing off in the conversations of others.
    const isOwn = conversation.session === worker.first;
    if (!isOwn && !isOff(captureSettings(worker, cwd, withoutSettings(env)).settings)) return;
    // Switched off since: what was noted before is not kept either.
    for (const prompt of prompts) dropPrompt(conversation, prompt);
    return;
  }
  const common = { harness, conversation, source };
  if (hasMore) {
    const abandonedBefore = new Date(Date.now() - ABANDONED_MS).toISOString();
    await captureTurns({
      ...common,
      origin: () => ({ peer, environment }),
      settings,
      rules,
      home,
      cwd,
      env,
      abandonedBefore,
      now: Date.now(),
    });
  }
  // What the server refused had been asked for: whoever wants no commit of idle conversations wants this one all the same.
  const isRefused = conversation.deliveredCursor().cursor.open?.refused !== undefined;
  const idleMs = settings.commitIdleTimeoutSeconds * 1000 || (isRefused ? REFUSED_COMMIT_MS : 0);
  if (isOver && idleMs > 0 && claimedAgo(join(conversation.folder, 'cursor.json')) >= idleMs) await commitAll(common);
}

/**
 * The client was killed, or its end has no event that reaches us, or the server refused to commit: what was captured would
 * never become memory.
 */
function mayBeOver({ harness }: Worker, conversation: Conversation): boolean {
  const { open } = conversation.deliveredCursor().cursor;
  const isOwed = open?.refused !== undefined || (open !== undefined && harness.declaration.commitAt === 'session-end');
  return isOwed && !conversation.hasRecords();
}

function captureSettings(
  worker: Worker,
  cwd: string,
  env = worker.env,
): { settings: ResolvedSettings['settings']; rules: SanitiseRules } {
  const { settings } = loadSettings({
    harness: worker.harness.declaration.id,
    defaults: worker.harness.declaration.settingDefaults,
    home: worker.home,
    cwd,
    env,
  });
  const rules = sanitiseRules(worker.harness, settings, { loadFilters });
  return { settings, rules };
}

/** True where something was delivered. */
async function deliverAll(worker: Worker, mode: 'deliver' | 'sweep'): Promise<boolean> {
  const place = new WaitingPlace(worker.paths.state, worker.environment);
  try {
    return await deliverInRounds(worker, mode, place);
  } finally {
    place.leave();
  }
}

async function deliverInRounds(worker: Worker, mode: 'deliver' | 'sweep', place: WaitingPlace): Promise<boolean> {
  const { first, paths } = worker;
  let everything = mode === 'sweep';
  let hasDelivered = false;
  for (;;) {
    const marked = (everything ? allSessions(paths.spool) : markedSessions(paths.spool))
      .filter((session) => session !== first)
      .map((session) => new Conversation(paths.spool, session));
    const own = first === undefined ? [] : [new Conversation(paths.spool, first)];
    // A new conversation is a good moment to try again.
    if (everything) [...own, ...marked].forEach(endBackOffPause);
    everything = false;
    const round: Round = { closed: new Map(), failed: new Map(), succeeded: new Set(), waits: [] };
    const [failing, others] = partition(marked, (conversation) => backOffOf(conversation) !== undefined);
    for (const conversation of [...own, ...others, ...failing]) {
      try {
        if (await deliverOne(worker, mode, conversation, round)) hasDelivered = true;
      } catch (error) {
        // A full disk, a file that somebody holds: what could not be noted is settled by asking the server, see `deliver`.
        worker.log.error(`delivering ${conversation.session}`, error);
      }
    }
    if (round.waits.length === 0) return hasDelivered;
    const wait = Math.min(...round.waits);
    if (performance.now() + wait > worker.until || !(await place.wait(wait, worker.until))) return hasDelivered;
  }
}

function partition<Item>(items: readonly Item[], fits: (item: Item) => boolean): [Item[], Item[]] {
  const [yes, no]: [Item[], Item[]] = [[], []];
  for (const item of items) (fits(item) ? yes : no).push(item);
  return [yes, no];
}

/** Where the server fails at so many conversations in a row, it is most likely the server: the others wait for its pause to end. */
const MOST_FAILING = 5;

/** Once over all conversations. */
interface Round {
  /** Destinations to which nothing more is sent in this round: a pause, refused credentials. */
  readonly closed: Map<Destination, boolean>;
  /** Conversations in a row at which a server has failed that answers. */
  readonly failed: Map<Destination, number>;
  /** Servers that have carried something out: what rests for one of them is tried again, unless they did so before, too. */
  readonly succeeded: Set<Destination>;
  /** Times, in ms, after which something is worth trying again. */
  readonly waits: number[];
}

/**
 * Delivers what the conversation holds, unless another worker does or its server is not to be asked now. True where
 * something of it was delivered.
 */
async function deliverOne(
  worker: Worker,
  mode: 'deliver' | 'sweep',
  conversation: Conversation,
  round: Round,
): Promise<boolean> {
  let hasDelivered = false;
  while (conversation.hasRecords()) {
    const head = firstWaiting(conversation);
    if (head !== undefined && isElsewhere(head, worker.environment)) {
      worker.log.info(`${conversation.session} waits for a hook with the environment it was said in`);
      return hasDelivered;
    }
    const destination = head === undefined ? undefined : destinationOf(worker, head, mode);
    if (destination !== undefined && (isClosed(destination, round) || isResting(conversation, destination, round)))
      return hasDelivered;
    const lock = tryLock(conversation.lockFile);
    if (lock === undefined) return hasDelivered;
    const before = conversation.sequence();
    const { seq: deliveredBefore } = conversation.deliveredCursor();
    let sent = false;
    try {
      if (destination === undefined) clearUp(conversation, worker.log);
      else {
        const outcome = await deliverTo(worker, destination, conversation, mode);
        const isProgress = conversation.deliveredCursor().seq > deliveredBefore;
        if (isProgress) hasDelivered = true;
        if (outcome.kind === 'stopped') {
          await noteFailure(worker, { destination, conversation, isProgress }, outcome.failure, round);
          return hasDelivered;
        }
        if (outcome.answered) noteSuccess(destination, round);
        forgetBackOff(conversation);
        sent = outcome.messages > 0;
        if (sent) worker.log.info(`delivered ${outcome.messages} messages of ${conversation.session}`);
      }
      settleMark(conversation);
    } finally {
      lock.release();
    }
    // What can be neither sent nor removed now would be found again and again.
    const left = new Set(conversation.sequence());
    if (!sent && before.every((seq) => left.has(seq))) break;
    // A hook may have appended after the last look and found the lock taken: the loop looks once more, without the lock.
  }
  settleMark(conversation);
  return hasDelivered;
}

function deliverTo(
  worker: Worker,
  destination: Destination,
  conversation: Conversation,
  mode: 'deliver' | 'sweep',
): Promise<DeliverOutcome> {
  return deliverConversation({
    conversation,
    client: destination.client,
    timeoutMs: paced(destination.resolved.settings.timeoutMs),
    log: worker.log,
    harness: worker.harness.declaration.id,
    takes: (record) => !isElsewhere(record, worker.environment) && destinationOf(worker, record, mode) === destination,
    complete: (record) => complete(worker, record),
    now: Date.now,
    pause: sleep,
    capability: singleMessageCapability(worker, destination),
  });
}

/** The server has failed at this conversation, and not enough time has passed since. */
function isResting(conversation: Conversation, destination: Destination, round: Round): boolean {
  const known = backOffOf(conversation);
  if (known === undefined || (round.succeeded.has(destination) && known.isOwn !== true)) return false;
  const wait = waitLeft(known, Date.now());
  if (wait > 0) round.waits.push(wait);
  return wait > 0;
}

/** Asked once a round. */
function isClosed(destination: Destination, round: Round): boolean {
  const known = round.closed.get(destination);
  if (known !== undefined) return known;
  const state = readServerDelivery(destination.deliveryPath);
  const isBlocked = state.blockedFor === credentialMark(destination.resolved.connection);
  const wait = waitLeft(state, Date.now());
  if (!isBlocked && wait > 0) round.waits.push(wait);
  const closed = isBlocked || wait > 0;
  round.closed.set(destination, closed);
  return closed;
}

function complete(worker: Worker, record: SpoolRecord): SpoolRecord | undefined {
  const { settings, rules } = captureSettings(worker, record.held?.cwd ?? worker.home);
  return completeHeld(
    {
      harness: worker.harness,
      settings,
      rules,
      home: worker.home,
      env: worker.env,
    },
    record,
  );
}

/** For how long a server is taken for one without the batch route, in ms: it may be updated. */
const CAPABILITY_MS = 6 * 60 * 60_000;

function singleMessageCapability(worker: Worker, destination: Destination): DeliverInput['capability'] {
  const path = serverStatePath(worker.paths, 'capability', destination.client.baseUrl);
  const until = readJsonObject(path)?.['singleMessagesUntil'];
  const now = Date.now();
  return {
    singleMessages: typeof until === 'number' && until > now && until - now <= CAPABILITY_MS,
    noteSingleMessages: () =>
      writeFileAtomic(path, JSON.stringify({ ...readJsonObject(path), singleMessagesUntil: now + CAPABILITY_MS })),
  };
}

/** What a delivery was about that stopped; `isProgress`: a part of it had been delivered. */
interface Stopped {
  readonly destination: Destination;
  readonly conversation: Conversation;
  readonly isProgress: boolean;
}

/**
 * What is known of the server is read right before it is written, and no lock stands around both: of what two workers note
 * in the same moment, one is lost. That costs a request too many or a pause too long by one step, and the next answer mends it.
 */
async function noteFailure(
  worker: Worker,
  { destination, conversation, isProgress }: Stopped,
  failure: ApiFailure,
  round: Round,
): Promise<void> {
  // Uninstalled meanwhile: nothing of ours may come back into this home.
  if (!existsSync(worker.paths.spool)) return;
  const { session } = conversation;
  worker.log.error(
    `delivery of ${session} stopped: ${failure.class} ${failure.status} ${failure.code} ${failure.message}`,
  );
  const local = { client: destination.client, paths: worker.paths };
  if (failure.code === STILL_UNDER_WAY) {
    // That is about one conversation: a server that answers keeps the others waiting for nothing.
    round.waits.push(failure.retryAfterMs ?? 0);
    return;
  }
  if (failure.class === 'unsent' && (await startLocalServer(local, worker, 5_000)) === 'answers') {
    round.waits.push(0);
    return;
  }
  const { deliveryPath } = destination;
  const lastError = `${failure.status} ${failure.code}`;
  if (concernsServer(failure)) {
    noteServerFailure(destination, failure, lastError, round);
    return;
  }
  if (isProgress) noteSuccess(destination, round);
  const failed = (round.failed.get(destination) ?? 0) + 1;
  round.failed.set(destination, failed);
  const state = { ...readServerDelivery(deliveryPath), lastError };
  if (failed >= MOST_FAILING) pauseServer(destination, state, round);
  else writeServerDelivery(deliveryPath, state);
  // Last, for it throws where it cannot be noted: the server has its pause all the same.
  const succeededAt = Date.parse(state.lastSuccess ?? '');
  round.waits.push(noteBackOff(conversation, failure, { isProgress, now: Date.now(), succeededAt }));
}

function noteServerFailure(destination: Destination, failure: ApiFailure, lastError: string, round: Round): void {
  const { blockedFor: _outdated, ...known } = readServerDelivery(destination.deliveryPath);
  if (failure.class !== 'blocked') {
    pauseServer(destination, { ...known, lastError }, round, failure.retryAfterMs);
    return;
  }
  round.closed.set(destination, true);
  writeServerDelivery(destination.deliveryPath, {
    ...known,
    failures: known.failures + 1,
    nextAttemptAt: 0,
    failedAt: Date.now(),
    lastError,
    blockedFor: credentialMark(destination.resolved.connection),
  });
}

/** Nothing more is sent there until a pause is over, which grows with each one in which nothing was carried out. */
function pauseServer(destination: Destination, known: ServerDelivery, round: Round, retryAfterMs?: number): void {
  round.closed.set(destination, true);
  const failures = known.failures + 1;
  const pause = pauseAfter(failures, retryAfterMs);
  const failedAt = Date.now();
  writeServerDelivery(destination.deliveryPath, { ...known, failures, nextAttemptAt: failedAt + pause, failedAt });
  round.waits.push(pause);
}

function noteSuccess(destination: Destination, round: Round): void {
  round.failed.delete(destination);
  round.succeeded.add(destination);
  const success = { failures: 0, nextAttemptAt: 0, lastSuccess: new Date().toISOString() };
  writeServerDelivery(destination.deliveryPath, success);
}

/** A new conversation is a good moment to try a server again that did not answer; refused credentials stay refused. */
function endPause({ deliveryPath }: Destination): void {
  const state = readServerDelivery(deliveryPath);
  if (state.failures > 0)
    keepIfPossible(() => writeServerDelivery(deliveryPath, { ...state, failures: 0, nextAttemptAt: 0 }));
}

function forgetOldState(worker: Worker): void {
  for (const name of ['sessions', CODE_CACHE]) {
    const folder = join(worker.paths.state, name);
    for (const entry of listNames(folder)) forgetOld(join(folder, entry), FORGET_STATE_MS);
  }
  // A conversation that was delivered whole and not gone on with: what is left is a cursor.
  for (const session of allSessions(worker.paths.spool)) {
    const { folder, pending, dead, records } = new Conversation(worker.paths.spool, session);
    if ([records, pending, dead].every((part) => listNames(part).length === 0)) forgetOld(folder, FORGET_STATE_MS);
  }
}

/** What a killed process had begun to write may hold a prompt: it must not lie there for good. */
function forgetInterrupted({ paths }: Worker): void {
  const conversations = allSessions(paths.spool).map((session) => new Conversation(paths.spool, session));
  conversations.forEach(dropStrayAnswers);
  const folders = conversations.flatMap(({ folder, records, pending, dead }) => [folder, records, pending, dead]);
  for (const folder of [...folders, paths.state, join(paths.state, 'heartbeat')])
    forgetTemporaries(folder, FORGET_TEMPORARY_MS);
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
