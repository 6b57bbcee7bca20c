/**
 * Locks that never need a human. The file names its owner by pid and start token; a dead owner is noticed at once, also
 * when its pid has been given to another process since.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { systemCode } from '../errors/error.ts';
import { createWhole } from './create-whole.ts';
import { utimesSync } from './operations.ts';
import { readOwn } from './read-own.ts';
import { uniqueName } from './unique-name.ts';
import { removeQuietly, writeNewFile } from './write-atomic.ts';

export interface Lock {
  /** Gives the lock back; does nothing when it was lost meanwhile. */
  release(): void;
}

interface Owner {
  readonly pid: number;
  /** Start time of the process where the system tells (Linux), else a random token kept fresh by a heartbeat. */
  readonly start: string;
  readonly id: string;
}

/** A heartbeat older than this, in ms, is a dead owner where the start time cannot be read. */
const STALE_AFTER_MS = 10_000;
const HEARTBEAT_MS = 2_000;

/** Takes the lock at `path`, or returns undefined when a living process holds it. Does not wait. */
export function tryLock(path: string): Lock | undefined {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const owner = thisProcess();
    if (!existsSync(path) && publish(path, owner)) return held(path, owner);
    const seen = readOwner(path);
    if (seen !== undefined && isAlive(seen, path)) return undefined;
    // Without links it is written in place, perhaps this very moment.
    if (seen === undefined && !isOld(path, 1_000)) return undefined;
    breakDeadLock(path, seen?.id);
  }
  return undefined;
}

/** Takes the lock, trying again every few milliseconds for at most `waitMs`. */
export async function lockWithin(path: string, waitMs: number): Promise<Lock | undefined> {
  const until = performance.now() + waitMs;
  for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
    const lock = tryLock(path);
    if (lock !== undefined) return lock;
    if (performance.now() + pause > until) return undefined;
    await new Promise((done) => setTimeout(done, pause));
  }
}

/** Pid of the living process that holds the lock at `path`; undefined when nobody does. */
export function livingOwner(path: string): number | undefined {
  const owner = readOwner(path);
  return owner !== undefined && isAlive(owner, path) ? owner.pid : undefined;
}

/**
 * Start time of a living process from `/proc/<pid>/stat` (field 22, clock ticks since boot); undefined elsewhere, and when
 * it is gone. A killed process whose parent never asks for its end (a container without an init) is gone, too: it still has
 * a pid, but will not work any more. Fields: man proc_pid_stat(5).
 */
export function startToken(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name, field 2, may hold spaces and parentheses: count after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function thisProcess(): Owner {
  return { pid: process.pid, start: startToken(process.pid) ?? 'heartbeat', id: uniqueName() };
}

/** Writes an owner's file; false when there is one. */
function publish(path: string, owner: Owner): boolean {
  const text = JSON.stringify(owner);
  const inPlace = (): boolean => {
    try {
      writeNewFile(path, text, 0o600, false);
      return true;
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    }
  };
  return createWhole(path, text, inPlace) === 'created';
}

function held(path: string, owner: Owner): Lock {
  const beat =
    owner.start === 'heartbeat'
      ? setInterval(() => {
          try {
            utimesSync(path, new Date(), new Date());
          } catch {
            // Lost or removed: release() will see.
          }
        }, HEARTBEAT_MS)
      : undefined;
  beat?.unref();
  return {
    release() {
      if (beat !== undefined) clearInterval(beat);
      if (readOwner(path)?.id !== owner.id) return;
      removeQuietly(path);
    },
  };
}

/**
 * Removes a dead owner's file. Breakers take turns through a second exclusive file: without it a slow breaker could
 * remove the lock that a faster one has just taken.
 */
function breakDeadLock(path: string, deadId: string | undefined): void {
  const turn = `${path}.break`;
  if (!publish(turn, thisProcess())) {
    const breaker = readOwner(turn);
    // Killed in the middle of it. Where files are written in place, nothing but its age tells.
    if (breaker === undefined ? isOld(turn, 5_000) : !isAlive(breaker, turn)) removeQuietly(turn);
    return;
  }
  try {
    if (readOwner(path)?.id === deadId) removeQuietly(path);
  } finally {
    removeQuietly(turn);
  }
}

function readOwner(path: string): Owner | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const value = JSON.parse(readOwn(path)) as Partial<Owner> | null;
    if (typeof value?.pid !== 'number' || typeof value.start !== 'string' || typeof value.id !== 'string')
      return undefined;
    return { pid: value.pid, start: value.start, id: value.id };
  } catch {
    return undefined;
  }
}

function isAlive(owner: Owner, path: string): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    if (systemCode(error) !== 'EPERM') return false;
  }
  if (owner.start === 'heartbeat') return !isOld(path, STALE_AFTER_MS);
  return startToken(owner.pid) === owner.start;
}

function isOld(path: string, ageMs: number): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > ageMs;
  } catch {
    return true;
  }
}
