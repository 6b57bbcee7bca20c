/**
 * The queue of the earlier shell installer's hooks: one file for each request that no server had taken. Its hooks claim a file
 * by renaming it, and whatever has an ending of theirs in this folder is sent by the next of them that starts.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expandHome, isObject } from '@openviking/memory-core/full';
import { namesIn } from '../files/folders.ts';
import { readImage } from '../files/image.ts';
import { fileStatus } from '../files/file-status.ts';
import type { Machine } from '../machine/machine.ts';

/** One request of the queue. */
export interface OldEntry {
  readonly kind: 'message' | 'commit';
  /** Id of the conversation on the server. */
  readonly session: string;
  /** What would have been sent. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** ms since 1970. */
  readonly createdAt: number;
  /** The same for two files of one request: its hooks write a new file before they remove the old one. */
  readonly identity: string;
}

/** A file of the queue; `entry` is undefined for one that cannot be understood. */
export interface OldFile {
  readonly name: string;
  readonly path: string;
  readonly entry: OldEntry | undefined;
}

/** A claimed file that is younger than this, in ms, may be on its way to the server right now. */
const CLAIM_MS = 10 * 60_000;
const WAITING = /\.(json|processing)$/;
/** A request is a conversation's turn: more is no such file. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Where the queue lies. */
export function oldQueueFolder({ home, env }: Pick<Machine, 'home' | 'env'>): string {
  const set = env['OPENVIKING_PENDING_DIR']?.trim() ?? '';
  return set === '' ? join(home, '.openviking', 'pending') : (expandHome(set, home) ?? set);
}

/** Files that wait in a folder of the queue, by name; `inFlight` are claimed by a hook that may be alive. */
export function waitingIn(
  folder: string,
  now: number,
): { readonly ready: readonly string[]; readonly inFlight: readonly string[] } {
  const names = namesIn(folder).filter((name) => WAITING.test(name) && isFile(join(folder, name)));
  const isInFlight = (name: string): boolean =>
    name.endsWith('.processing') && ageOf(join(folder, name), now) < CLAIM_MS;
  return { ready: names.filter((name) => !isInFlight(name)), inFlight: names.filter(isInFlight) };
}

/** In the order in which they were queued; those that cannot be understood last. */
export function readOldFiles(folder: string, names: readonly string[]): readonly OldFile[] {
  const files = names.map((name): OldFile => {
    const path = join(folder, name);
    return { name, path, entry: parseOldEntry(textOf(path), name, writtenAt(path)) };
  });
  const at = ({ entry }: OldFile): number => entry?.createdAt ?? Number.MAX_SAFE_INTEGER;
  return files.sort((one, other) => at(one) - at(other) || (one.name < other.name ? -1 : 1));
}

/** Undefined for anything that is no request of that queue. `writtenAt`: when the file was written, ms since 1970. Pure. */
export function parseOldEntry(text: string | undefined, name: string, writtenAt: number): OldEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { type, sessionId: session, payload, createdAt, dedupKey } = value;
  if ((type !== 'addMessage' && type !== 'commitSession') || typeof session !== 'string') return undefined;
  const at = timeOf(createdAt) ?? writtenAt;
  const key = typeof dedupKey === 'string' && dedupKey !== '' ? dedupKey : name.replace(/(_\d+)?\.\w+$/, '');
  return {
    kind: type === 'addMessage' ? 'message' : 'commit',
    session,
    payload: isObject(payload) ? payload : {},
    createdAt: at,
    identity: `${key} ${at}`,
  };
}

/** Whatever spelling of a time; undefined for none. */
function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const at = typeof value === 'string' && !/^\d+$/.test(value) ? Date.parse(value) : Number(value);
  return Number.isFinite(at) && at > 0 && at < 8.64e15 ? at : undefined;
}

function textOf(path: string): string | undefined {
  try {
    if (statSync(path).size > MOST_BYTES) return undefined;
    const image = readImage(path);
    return image === undefined ? undefined : Buffer.from(image.bytes).toString('utf8');
  } catch {
    // Looked at again by the next run, and named by this one.
    return undefined;
  }
}

function ageOf(path: string, now: number): number {
  return now - writtenAt(path);
}

/** Whole ms since 1970; moving a file does not change it. */
function writtenAt(path: string): number {
  return Math.floor(fileStatus(path)?.mtimeMs ?? 0);
}

function isFile(path: string): boolean {
  return fileStatus(path)?.isFile() === true;
}
