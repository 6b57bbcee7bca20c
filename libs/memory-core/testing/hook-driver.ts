/**
 * Runs a hook the way a host does: as a process of its own group, with pipes, under a time limit. It tells apart when the
 * process ended and when its pipes closed, because a worker that inherited a pipe keeps the host waiting although the
 * hook itself is long gone.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { holdersOf, outputsOf } from './pipe-holders.ts';
import type { LivingProcess } from './process-census.ts';
import { WHOLE_THEN_CLOSED } from './stdin-mode.ts';
import type { StdinMode } from './stdin-mode.ts';

/** How long a host waits for the pipes of an ended hook before it kills the group; measured with one that does. */
export const PIPE_GRACE_MS = 1_000;
/** How long the driver waits for the end of pipes that nobody holds: on a loaded machine it only has to notice it. */
const NOTICE_MS = 30_000;

export interface HookCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

export interface HookRunOptions extends HookCommand {
  /** What the host says: normally one JSON value and a newline. */
  readonly payload: string;
  readonly stdin?: StdinMode;
  /** After this the whole group is killed; 60 s by default. */
  readonly timeoutMs?: number;
}

export interface HookRun {
  readonly pid: number;
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Start of the process until its end. */
  readonly wallMs: number;
  /** Start of the process until stdout and stderr were closed: what the host really waits for. */
  readonly closedMs: number;
  /** True when something outlived the hook holding its stdout or stderr, and had to be killed. */
  readonly pipesHeldOpen: boolean;
  /** Who held them, where the system tells: on Linux. */
  readonly pipeHolders: readonly LivingProcess[];
  /** True when the hook was killed at the limit; not when it had ended by itself before the driver came to kill it. */
  readonly timedOut: boolean;
}

/** Runs one hook to its end. Rejects only when the command cannot be started. */
export async function runHook(options: HookRunOptions): Promise<HookRun> {
  const stdin = options.stdin ?? WHOLE_THEN_CLOSED;
  const scratch = stdin.channel === 'file' ? mkdtempSync(join(tmpdir(), 'openviking-stdin-')) : undefined;
  let descriptor: number | undefined;
  if (scratch !== undefined) {
    const file = join(scratch, 'stdin');
    writeFileSync(file, Buffer.concat([...stdin.chunks(options.payload)].map((chunk) => Buffer.from(chunk))));
    descriptor = openSync(file, 'r');
  }
  const started = performance.now();
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: { ...options.env },
    // A group of its own, so that ending the hook also ends everything that it forgot to detach.
    detached: true,
    stdio: [descriptor ?? (stdin.channel === 'null-device' ? 'ignore' : 'pipe'), 'pipe', 'pipe'],
  });
  try {
    return await observe(child, stdin, options, started);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
  }
}

async function observe(
  child: ChildProcess,
  stdin: StdinMode,
  options: HookRunOptions,
  started: number,
): Promise<HookRun> {
  const outputs = outputsOf(child.pid);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));

  let overLimit = false;
  const limit = setTimeout(() => {
    overLimit = true;
    killGroup(child.pid);
  }, options.timeoutMs ?? 60_000);

  const closed = new Promise<number>((done) => {
    child.once('close', () => done(performance.now() - started));
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null; at: number }>((done, failed) => {
    child.once('error', failed);
    child.once('exit', (code, signal) => done({ code, signal, at: performance.now() - started }));
  });

  const feeder = new AbortController();
  if (stdin.channel === 'pipe' && child.stdin !== null) {
    // A hook may end before it has read everything; that is its right, not an error of the driver.
    child.stdin.on('error', () => undefined);
    void feed(child.stdin, stdin, options.payload, feeder.signal);
  }

  try {
    const end = await ended;
    feeder.abort();
    // `close` waits for stdin as well: our own end of a stdin that was kept open must not look like a held pipe.
    child.stdin?.destroy();
    let closedAt = await within(closed, PIPE_GRACE_MS);
    // A timer that is due comes before what happened meanwhile on the pipes: a busy driver looks there once more.
    closedAt ??= await Promise.race([closed, fullTurn()]);
    const pipeHolders = closedAt === undefined ? holdersOf(outputs) : [];
    // Nobody holds them: the driver has only not seen it yet.
    if (pipeHolders?.length === 0) closedAt ??= await within(closed, NOTICE_MS);
    const pipesHeldOpen = closedAt === undefined;
    if (pipesHeldOpen) killGroup(child.pid);
    const closedMs = closedAt ?? (await within(closed, PIPE_GRACE_MS)) ?? performance.now() - started;
    child.stdout?.destroy();
    child.stderr?.destroy();
    return {
      pid: child.pid ?? -1,
      exitCode: end.code,
      signal: end.signal,
      stdout: Buffer.concat(stdout).toString('utf8'),
      stderr: Buffer.concat(stderr).toString('utf8'),
      wallMs: end.at,
      closedMs,
      pipesHeldOpen,
      pipeHolders: pipeHolders ?? [],
      timedOut: overLimit && end.signal === 'SIGKILL',
    };
  } finally {
    clearTimeout(limit);
    feeder.abort();
    killGroup(child.pid);
  }
}

async function feed(stream: Writable, stdin: StdinMode, payload: string, signal: AbortSignal): Promise<void> {
  for (const chunk of stdin.chunks(payload)) {
    if (signal.aborted || stream.destroyed) return;
    if (!stream.write(chunk)) await drained(stream);
    if (stdin.pauseMs > 0) await pause(stdin.pauseMs);
  }
  if (stdin.close && !stream.destroyed) stream.end();
}

/** Waits until the hook has read on, or will never do so. */
function drained(stream: Writable): Promise<void> {
  return new Promise((done) => {
    const settle = (): void => {
      stream.off('drain', settle);
      stream.off('close', settle);
      done();
    };
    stream.on('drain', settle);
    stream.on('close', settle);
  });
}

/** Ends every process of the group that the hook led. The group of a detached worker is another one and is spared. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}

/** Until everything that had happened before was handed on, the ends of streams included. */
async function fullTurn(): Promise<undefined> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((done) => setImmediate(done));
}

/** What the promise yields if it does so in time. Leaves no timer behind that would keep a program from ending. */
async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, milliseconds);
  });
}
