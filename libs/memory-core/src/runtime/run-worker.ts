/**
 * The delivery worker: a process of its own that outlives the hook which started it. It captures what the hooks missed,
 * delivers what lies in the spool – of any client, any conversation – and is gone within a minute or so.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { captureTurns, completeHeld } from '../capture/capture-turns.ts';
import { existsSync } from 'node:fs';
import type { Harness } from '../contract/harness.ts';
import type { Connection, ResolvedSettings } from '../contract/settings.ts';
import { forgetOld, forgetTemporaries } from '../fs/forget-old.ts';
import { homePaths, serverStatePath, type HomePaths } from '../fs/home-paths.ts';
import { tryLock } from '../fs/lock.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import type { ApiClient, ApiFailure } from '../http/api.ts';
import { createLog, type Log } from '../log/log.ts';
import type { SanitiseRules } from '../privacy/pipeline.ts';
import { shortHash } from '../session/short-hash.ts';
import { loadSettings } from '../settings/load.ts';
import { allSessions, Conversation, listNames, markedSessions } from '../spool/conversation.ts';
import { deliverConversation } from '../spool/deliver.ts';
import { pauseAfter, readServerDelivery, waitLeft, writeServerDelivery } from '../spool/delivery-state.ts';
import { pendingPrompts } from '../spool/journal.ts';
import { paced } from '../spool/pace.ts';
import type { SpoolRecord } from '../spool/record.ts';
import { startLocalServer } from './local-server.ts';
import { loadFilters, loadProxy } from './neighbour.ts';
import { connect } from './connect.ts';
import { sanitiseRules } from './open-session.ts';

/** How long a worker stays to try again, in ms. */
const LIFE_MS = 60_000;
/** A prompt without an end is given up after this time, in ms: no agent's turn lasts longer. */
const ABANDONED_MS = 12 * 60 * 60_000;
/** Droppable state of conversations that nobody has gone on with, in ms. */
const FORGET_STATE_MS = 30 * 24 * 60 * 60_000;
/** A file under a temporary name is older than this, in ms, only if the process that wrote it was killed. */
const FORGET_TEMPORARY_MS = 60 * 60_000;

interface Worker {
  readonly harness: Harness;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: HomePaths;
  readonly resolved: ResolvedSettings;
  readonly client: ApiClient;
  readonly log: Log;
  readonly deliveryPath: string;
  readonly until: number;
}

/**
 * `deliver <session>`: this conversation first, then whatever is marked. `sweep <session>`: every conversation, the
 * back-off forgotten. Ends the process.
 */
export function runWorker(harness: Harness, args: readonly string[]): void {
  process.on('uncaughtException', () => process.exit(1));
  process.on('unhandledRejection', () => process.exit(1));
  void work(harness, args[0] === 'sweep' ? 'sweep' : 'deliver', args[1]).then(() => process.exit(0));
}

/** The worker's whole work, without ending the process: for a hook that delivers synchronously. */
export async function work(harness: Harness, mode: 'deliver' | 'sweep', first: string | undefined): Promise<void> {
  const home = homedir();
  const { env } = process;
  const { id } = harness.declaration;
  const resolved = loadSettings({ harness: id, home, cwd: home, env });
  const paths = homePaths(home, resolved.settings.spoolDir);
  const client = connect(resolved, { harness, env }, loadProxy);
  const worker: Worker = {
    harness,
    home,
    env,
    paths,
    resolved,
    client,
    log: createLog(paths, id, resolved.settings),
    deliveryPath: serverStatePath(paths, 'delivery', client.baseUrl),
    until: performance.now() + paced(LIFE_MS),
  };
  if (mode === 'sweep') forgetBackOff(worker);
  captureMissed(worker, mode, first);
  await deliverAll(worker, mode, first);
  if (mode === 'sweep') {
    forgetOldState(worker);
    forgetInterrupted(worker);
  }
}

/** Turns whose end no hook saw: of this client only, for only it can read its transcripts. */
function captureMissed(worker: Worker, mode: 'deliver' | 'sweep', first: string | undefined): void {
  const sessions = mode === 'sweep' ? allSessions(worker.paths.spool) : first === undefined ? [] : [first];
  for (const session of sessions) {
    if (!session.startsWith(worker.harness.declaration.sessionPrefix)) continue;
    const conversation = new Conversation(worker.paths.spool, session);
    const prompts = pendingPrompts(conversation);
    const oldest = prompts[0];
    if (oldest === undefined) continue;
    try {
      const { settings, rules } = captureSettings(worker, oldest.cwd);
      captureTurns({
        harness: worker.harness,
        conversation,
        nativeId: oldest.nativeId,
        settings,
        rules,
        home: worker.home,
        cwd: oldest.cwd,
        env: worker.env,
        ...(oldest.peer === undefined ? {} : { peer: oldest.peer }),
        abandonedBefore: new Date(Date.now() - ABANDONED_MS).toISOString(),
        now: Date.now(),
      });
    } catch (error) {
      worker.log.error(`catching up ${session}`, error);
    }
  }
}

function captureSettings(
  worker: Worker,
  cwd: string,
): { settings: ResolvedSettings['settings']; rules: SanitiseRules } {
  const { settings } = loadSettings({
    harness: worker.harness.declaration.id,
    home: worker.home,
    cwd,
    env: worker.env,
  });
  const rules = sanitiseRules(worker.harness, settings, { loadFilters });
  return { settings, rules };
}

async function deliverAll(worker: Worker, mode: 'deliver' | 'sweep', first: string | undefined): Promise<void> {
  let everything = mode === 'sweep';
  for (;;) {
    const state = readServerDelivery(worker.deliveryPath);
    if (state.blockedFor !== undefined && state.blockedFor === credentialMark(worker.resolved.connection)) return;
    const wait = waitLeft(state, Date.now());
    if (wait > 0) {
      if (performance.now() + wait > worker.until) return;
      await sleep(wait);
      continue;
    }
    const marked = markedSessions(worker.paths.spool);
    const others = everything ? allSessions(worker.paths.spool) : marked;
    everything = false;
    const sessions = [...new Set([...(first === undefined ? [] : [first]), ...others])];
    let failure: ApiFailure | undefined;
    for (const session of sessions) {
      const stopped = await deliverOne(worker, new Conversation(worker.paths.spool, session));
      failure ??= stopped;
      // What concerns the server concerns every conversation; one that the server cannot digest must not stop the others.
      if (stopped !== undefined && (stopped.status === 0 || stopped.status === 429 || stopped.class === 'blocked'))
        break;
    }
    if (failure === undefined) return;
    if (!(await noteFailure(worker, failure))) return;
  }
}

/** Undefined when the conversation is drained, or when another worker sees to it. */
async function deliverOne(worker: Worker, conversation: Conversation): Promise<ApiFailure | undefined> {
  while (conversation.hasRecords()) {
    const lock = tryLock(conversation.lockFile);
    if (lock === undefined) return undefined;
    try {
      const outcome = await deliverConversation({
        conversation,
        client: worker.client,
        timeoutMs: paced(worker.resolved.settings.timeoutMs),
        log: worker.log,
        harness: worker.harness.declaration.id,
        complete: (record) => complete(worker, conversation, record),
        now: Date.now,
        pause: sleep,
        capability: singleMessageCapability(worker),
      });
      if (outcome.kind === 'stopped') return outcome.failure;
      noteSuccess(worker);
      conversation.unmark();
      if (conversation.hasRecords()) conversation.mark();
    } finally {
      lock.release();
    }
    // A hook may have appended after the last look and found the lock taken: the loop looks once more, without the lock.
  }
  conversation.unmark();
  if (conversation.hasRecords()) conversation.mark();
  return undefined;
}

function complete(worker: Worker, conversation: Conversation, record: SpoolRecord): SpoolRecord | undefined {
  const { settings, rules } = captureSettings(worker, record.held?.cwd ?? worker.home);
  return completeHeld(
    {
      harness: worker.harness,
      conversation,
      nativeId: record.nativeId,
      settings,
      rules,
      home: worker.home,
      env: worker.env,
      now: Date.now(),
    },
    record,
  );
}

function singleMessageCapability(worker: Worker): { singleMessages: boolean; noteSingleMessages(): void } {
  const path = serverStatePath(worker.paths, 'capability', worker.client.baseUrl);
  return {
    singleMessages: readJsonObject(path)?.['singleMessages'] === true,
    noteSingleMessages: () => writeFileAtomic(path, JSON.stringify({ ...readJsonObject(path), singleMessages: true })),
  };
}

/** True when it is worth trying again in this process. */
async function noteFailure(worker: Worker, failure: ApiFailure): Promise<boolean> {
  // Uninstalled meanwhile: nothing of ours may come back into this home.
  if (!existsSync(worker.paths.spool)) return false;
  worker.log.error(`delivery stopped: ${failure.class} ${failure.status} ${failure.code} ${failure.message}`);
  if (failure.class === 'unsent' && (await startLocalServer(worker, worker, 5_000)) === 'answers') return true;
  const before = readServerDelivery(worker.deliveryPath);
  const failures = before.failures + 1;
  const lastError = `${failure.status} ${failure.code}`;
  const blockedFor = failure.class === 'blocked' ? credentialMark(worker.resolved.connection) : undefined;
  const pause = pauseAfter(failures, failure.retryAfterMs);
  writeServerDelivery(worker.deliveryPath, {
    ...(before.lastSuccess === undefined ? {} : { lastSuccess: before.lastSuccess }),
    failures,
    nextAttemptAt: blockedFor === undefined ? Date.now() + pause : 0,
    lastError,
    ...(blockedFor === undefined ? {} : { blockedFor }),
  });
  return blockedFor === undefined && performance.now() + pause < worker.until;
}

function noteSuccess(worker: Worker): void {
  writeServerDelivery(worker.deliveryPath, { failures: 0, nextAttemptAt: 0, lastSuccess: new Date().toISOString() });
}

/** A new conversation is a good moment to try a server again that did not answer; refused credentials stay refused. */
function forgetBackOff(worker: Worker): void {
  const state = readServerDelivery(worker.deliveryPath);
  if (state.failures > 0) writeServerDelivery(worker.deliveryPath, { ...state, failures: 0, nextAttemptAt: 0 });
}

/** Tells credentials apart without telling what they are: 32 bits of a hash give nothing to guess from. */
function credentialMark(connection: Connection): string {
  const text = JSON.stringify([
    connection.baseUrl,
    connection.apiKey,
    connection.account,
    connection.user,
    connection.extraHeaders,
  ]);
  return shortHash(text, 8);
}

function forgetOldState(worker: Worker): void {
  const folder = join(worker.paths.state, 'sessions');
  for (const name of listNames(folder)) forgetOld(join(folder, name), FORGET_STATE_MS);
}

/** What a killed process had begun to write may hold a prompt: it must not lie there for good. */
function forgetInterrupted({ paths }: Worker): void {
  const conversations = allSessions(paths.spool).map((session) => new Conversation(paths.spool, session));
  const folders = conversations.flatMap(({ folder, records, pending, dead }) => [folder, records, pending, dead]);
  for (const folder of [...folders, paths.state, join(paths.state, 'heartbeat')])
    forgetTemporaries(folder, FORGET_TEMPORARY_MS);
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
