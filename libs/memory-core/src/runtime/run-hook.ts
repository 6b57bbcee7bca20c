/**
 * The whole life of a hook process: payload in, one handler, answer out, exit 0. Whatever goes wrong, the host sees an
 * empty answer and success: a memory that fails must not cost anybody a prompt.
 */
import type { HookEvent, HookEventKind } from '../contract/event.ts';
import type { EventBinding, Harness } from '../contract/harness.ts';
import type { HookOutcome } from '../contract/hook-outcome.ts';
import { NOTHING, type Reply } from '../contract/reply.ts';
import { heartbeatPath, homePaths, type HomePaths } from '../fs/home-paths.ts';
import { DISK_FULL, isDiskFull } from '../fs/disk-full.ts';
import { keepIfPossible } from '../fs/keep-if-possible.ts';
import { writeNote } from '../fs/write-note.ts';
import { isoTime } from '../log/iso-time.ts';
import type { Log } from '../log/log.ts';
import { logUncaught } from '../log/log-uncaught.ts';
import type { FiltersModule } from '../privacy/filters-load.ts';
import type { ProxyModule } from '../http/transport.ts';
import { startedByUs } from './depth-mark.ts';
import { loadFilters, loadProxy, loadSeldom } from './neighbour.ts';
import type { SeldomModule } from './seldom-load.ts';
import { readPayload } from './read-stdin.ts';
import { runWorker, startWorker } from './start-worker.ts';
import { homeFolder } from './home-folder.ts';

/** What every handler gets. */
export interface HookEnvironment {
  readonly harness: Harness;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: HomePaths;
  /** ms left of the hook's time. */
  timeLeft(): number;
  /** The server was asked for something slow: from now on only the host's own limit counts. */
  extendToHostLimit(): void;
  /** Notes for the heartbeat: how it went, how much was injected. */
  note(note: HeartbeatNote): void;
  /** Where this hook is logged, once its settings are known. */
  readonly useLog?: (log: Log) => void;
  /** Starts the delivery worker in a process of its own and lets go of it. */
  startWorker(args: readonly string[]): void;
  /** The same for who is to deliver before answering: the promise resolves when that is done. */
  runWorker(args: readonly string[]): Promise<void>;
  readonly bundles: Bundles;
}

/** Code that is loaded only when it is needed. */
export interface Bundles {
  loadProxy(): ProxyModule;
  loadFilters(): FiltersModule;
  loadSeldom(): SeldomModule;
}

export interface HeartbeatNote {
  readonly outcome?: HookOutcome;
  readonly injectedTokens?: number;
}

export type Handler<E extends HookEvent> = (event: E, environment: HookEnvironment) => Promise<Reply> | Reply;

/** Longest time of a hook, in ms; never more than the host allows less 2 s. */
const LONGEST_MS: Record<HookEventKind, number> = {
  'session-start': 8_000,
  prompt: 8_000,
  answer: 8_000,
  'turn-end': 8_000,
  'tool-guard': 1_000,
  // The summary waits for it: what is not sent by then is sent later.
  'pre-compact': 8_000,
  'session-end': 8_000,
};
const HOST_MARGIN_MS = 2_000;

/** The wall-clock limit of one hook, in ms. */
function deadlineOf(kind: HookEventKind, binding: EventBinding | undefined): number {
  return Math.min(LONGEST_MS[kind], hostLimitOf(binding));
}

function hostLimitOf(binding: EventBinding | undefined): number {
  if (binding === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(200, binding.timeout.value * (binding.timeout.unit === 'seconds' ? 1000 : 1) - HOST_MARGIN_MS);
}

/** ms since the process started. `performance.now()` would load a module for it, 2 % of a hook's time. */
function elapsedMs(): number {
  return process.uptime() * 1000;
}

/**
 * Runs one hook and ends the process. Call it once, as the entry's only statement. `entry` is the name of the entry, which
 * has to be given where several events of the client are of one kind.
 */
export function runHook<K extends HookEventKind>(
  harness: Harness,
  kind: K,
  handler: Handler<Extract<HookEvent, { kind: K }>>,
  entry?: string,
): void {
  const binding = bindingOf(harness, kind, entry);
  const silence = binding?.silence ?? '';
  if (startedByUs(process.env)) return say(silence, () => leave(0));
  const name = binding?.entry ?? entry ?? kind;
  const home = homeFolder();
  const paths = homePaths(home);
  let limit = deadlineOf(kind, binding);
  let note: HeartbeatNote = {};
  let log: Log | undefined;
  let received: unknown;
  let done = false;
  const end = (output: string, outcome: HookOutcome): void => {
    if (done) return;
    done = true;
    const heartbeat = (): void => {
      const kept = outcome === 'ok' ? { outcome, ...note } : { ...note, outcome };
      beat(paths, harness, kind, name, kept);
      log?.info(`${name}: ${kept.outcome}, ${Math.round(elapsedMs())} ms`);
      log?.debug?.(
        `${name}: ${JSON.stringify(received).length} characters in, ${output.length} out, ${kept.injectedTokens ?? 0} tokens`,
      );
      leave(0);
    };
    say(output === '' ? silence : output, heartbeat);
  };
  const failed = (error: unknown): void => {
    logUncaught(kind, error, log, paths, harness.declaration.id);
    end('', isDiskFull(error) ? DISK_FULL : 'error');
  };
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  const expire = (): void => {
    // The answer is written and nobody takes it: the host is gone or stuck.
    if (done) leave(0);
    end('', 'deadline');
  };
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    clearTimeout(timer);
    if (!done) timer = setTimeout(expire, limit - elapsedMs());
  };
  afterTurns(TURNS_WITHOUT_TIMER, arm);
  void (async () => {
    const payload = await readPayload();
    if (payload === undefined) return end('', 'no-payload');
    received = payload;
    const keeper = yieldedTo(harness, payload, process.env);
    if (keeper !== undefined) return end('', `left-to-${keeper}`);
    const event = harness.dialect.toEvent(kind, payload, process.env, name);
    if (event === undefined || event.kind !== kind) return end('', 'not-for-us');
    const reply = await handler(event as Extract<HookEvent, { kind: K }>, {
      harness,
      home,
      env: process.env,
      paths,
      timeLeft: () => Math.max(0, limit - elapsedMs()),
      extendToHostLimit: () => {
        limit = Math.max(limit, Math.min(hostLimitOf(binding), 60_000));
        arm();
      },
      note: (more) => {
        note = { ...note, ...more };
      },
      useLog: (chosen) => {
        log = chosen;
      },
      startWorker: (args) => startWorker(args, home),
      runWorker: (args) => runWorker(args, home),
      bundles: { loadProxy, loadFilters, loadSeldom },
    });
    end(reply === NOTHING ? '' : harness.dialect.toOutput(kind, reply, name), 'ok');
  })().catch(failed);
}

/** A process's first timer costs it 0.3 ms: only a hook gets one that is still there after so many turns of the event loop. */
const TURNS_WITHOUT_TIMER = 3;

function afterTurns(turns: number, action: () => void): void {
  setImmediate(() => (turns > 1 ? afterTurns(turns - 1, action) : action()));
}

/**
 * Opening stdout costs a process half a millisecond: only who has something to say does. Not written straight to the
 * descriptor: where nobody reads, that would stand still, and the deadline with it.
 */
function say(output: string, afterwards: () => void): void {
  if (output === '') return afterwards();
  // A host that has gone away is no reason to fail.
  process.stdout.on('error', afterwards);
  process.stdout.write(output, afterwards);
}

function bindingOf(harness: Harness, kind: HookEventKind, entry: string | undefined): EventBinding | undefined {
  return harness.declaration.events.find(
    (event) => event.kind === kind && (entry === undefined || event.entry === entry),
  );
}

/** The harness whose client runs this hook for us, if one does. */
function yieldedTo(
  harness: Harness,
  payload: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return harness.declaration.yieldsTo?.find(
    ({ variable, payloadKey }) =>
      (variable !== undefined && (env[variable] ?? '') !== '') ||
      (payloadKey !== undefined && Object.hasOwn(payload, payloadKey)),
  )?.harness;
}

function beat(paths: HomePaths, harness: Harness, kind: HookEventKind, entry: string, note: HeartbeatNote): void {
  const path = heartbeatPath(paths, harness.declaration.id, entry);
  const text = JSON.stringify({
    at: isoTime(Date.now()),
    event: kind,
    durationMs: Math.round(elapsedMs()),
    version: harness.version,
    ...note,
  });
  // A read-only home: the hook itself has done its work.
  keepIfPossible(() => writeNote(path, text));
}

function leave(code: number): never {
  process.exit(code);
}
