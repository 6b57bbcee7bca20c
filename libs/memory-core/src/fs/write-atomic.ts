/**
 * Whole-file writes that a kill, a full disk or a reader in between cannot tear: unique temporary name beside the file,
 * then rename. A link at `path` is replaced, so that nobody who plants one leads our own files
 * elsewhere; who writes a user's file asks `resolveLinks` first.
 */
import { closeSync, existsSync, fstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { systemCode } from '../errors/error.ts';
import { isDenied } from './flush.ts';
import { makeFolder } from './folder.ts';
import { inside } from './path.ts';
import { fchmodSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from './operations.ts';
import { patiently } from './patience.ts';
import { refuseWhenUninstalled } from './uninstalled.ts';
import { uniqueName } from './unique-name.ts';

export interface WriteAtomicOptions {
  /** Mode of the file, whatever it was before. Default 0o600. */
  readonly mode?: number;
  /** Flush file and folder to disk before returning. */
  readonly durable?: boolean;
}

/** Writes `data` as the whole content of `path`. Folders are made with 0700. Throws the system's error untouched. */
export function writeFileAtomic(path: string, data: string | Uint8Array, options: WriteAtomicOptions = {}): void {
  const folder = dirname(path);
  makeFolder(folder);
  const temporary = inside(folder, `.ov-${uniqueName()}.tmp`);
  try {
    writeNewFile(temporary, data, options.mode ?? 0o600, options.durable === true);
    renameWithRetry(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
  if (options.durable) syncFolder(folder);
}

/** Creates `path` exclusively and fills it; throws EEXIST when it is there. */
export function writeNewFile(path: string, data: string | Uint8Array, mode: number, durable: boolean): void {
  refuseWhenUninstalled();
  const descriptor = openSync(path, 'wx', mode);
  try {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
    for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
    // The umask may have taken bits away that an existing file had. Only then: Node under its permission model denies it.
    if (process.platform !== 'win32' && (fstatSync(descriptor).mode & 0o777) !== mode) fchmodSync(descriptor, mode);
    if (durable) flush(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function flush(descriptor: number): void {
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!isDenied(error)) throw error;
  }
}

/** Follows links by hand to the end, also where the last one dangles, so that a rename never replaces a link. */
export function resolveLinks(path: string): string {
  let current = resolve(path);
  for (let hops = 0; hops < 40; hops += 1) {
    try {
      return realpathSync(current);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
    try {
      current = resolve(dirname(current), readlinkSync(current));
    } catch {
      // Not a link: the file is missing. Its folder may still be reached through links.
      try {
        return join(realpathSync(dirname(current)), current.slice(dirname(current).length).replace(/^[\\/]+/, ''));
      } catch {
        return current;
      }
    }
  }
  return current;
}

/** Makes a rename durable; file systems that cannot flush a folder are left alone. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, 'r');
    fsyncSync(descriptor);
  } catch {
    // Some network file systems refuse; the rename itself has happened.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Renames a file that nobody else renames or removes; what only fails for a moment is tried again. */
export function renameWithRetry(from: string, to: string): void {
  patiently(
    () => renameSync(from, to),
    () => !existsSync(from) && existsSync(to),
  );
}

/** Removes a file; a missing one is fine, any other trouble too: this is for clearing up. */
export function removeQuietly(path: string): void {
  try {
    patiently(
      () => unlinkSync(path),
      () => !existsSync(path),
    );
  } catch {
    // Nothing depends on it.
  }
}
