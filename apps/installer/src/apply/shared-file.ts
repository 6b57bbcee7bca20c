/**
 * Files with more than one name, as dotfile managers make them by hard links. A new file moved into the place of one name would
 * part them in silence: the repository would keep the old content, and the next change there would reach no client. They are
 * written in place, with whole copies beside them until that is done, so that a crash in the middle can be mended.
 */
import { createHash } from 'node:crypto';
import { closeSync, fchmodSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { removeQuietly, resolveLinks, syncFolder, writeFileAtomic } from '@openviking/memory-core/full';
import { namesIn } from '../files/folders.ts';
import type { FileImage } from '../files/image.ts';

/** Copies of a file from before and after a change, beside it; the token says which belong together. */
const COPY = /^(.+)\.ov-(before|after)-([0-9a-f]{8})$/;

/**
 * `target` exists and is no link; `mode`: its permission bits now. Throws the system's error, after putting the old content
 * back; where the disk refuses that too, the copies stay beside a file that is torn.
 */
export function writeInPlace(target: string, image: FileImage, mode: number): void {
  const old = readFileSync(target);
  const token = createHash('sha256').update(old).update('\0').update(image.bytes).digest('hex').slice(0, 8);
  const [before, after] = [copyPath(target, 'before', token), copyPath(target, 'after', token)];
  writeFileAtomic(before, old, { mode: 0o600, durable: true });
  try {
    writeFileAtomic(after, image.bytes, { mode: 0o600, durable: true });
    try {
      overwrite(target, image.bytes, image.mode);
    } catch (error) {
      isPutBack(target, old, mode);
      throw error;
    }
  } catch (error) {
    mend(target);
    throw error;
  }
  // The older one goes last: alone it stands beside a file that is whole.
  removeQuietly(after);
  removeQuietly(before);
  syncFolder(dirname(target));
}

/**
 * Ends what a crash in the middle of `writeInPlace` has left at `path`: a file that is neither as before nor as after and is
 * the beginning of one of them gets its old content back. One with anything else in it was edited since and stays, with the
 * copies; so does one that the disk does not let be written. Returns the copy of before where copies stay.
 */
export function mend(path: string): string | undefined {
  const target = resolveLinks(path);
  let kept: string | undefined;
  for (const token of tokensBeside(target)) {
    const [before, after] = [copyPath(target, 'before', token), copyPath(target, 'after', token)];
    const [now, old, fresh] = [contentOf(target), contentOf(before), contentOf(after)];
    // A copy appears whole or not at all, and the file is touched when both are there.
    if (now !== undefined && old !== undefined && fresh !== undefined && !now.equals(old) && !now.equals(fresh)) {
      const isTorn = isBeginning(now, fresh) || isBeginning(now, old);
      if (!isTorn || !isPutBack(target, old, undefined)) {
        kept = before;
        continue;
      }
    }
    removeQuietly(after);
    removeQuietly(before);
  }
  return kept;
}

/** False where the disk refuses that too: why the writing before it has failed is what a user has to know. */
function isPutBack(target: string, old: Uint8Array, mode: number | undefined): boolean {
  try {
    overwrite(target, old, mode);
    return true;
  } catch {
    return false;
  }
}

function overwrite(target: string, bytes: Uint8Array, mode: number | undefined): void {
  const descriptor = openSync(target, 'r+');
  try {
    ftruncateSync(descriptor, 0);
    for (let written = 0; written < bytes.length;) {
      written += writeSync(descriptor, bytes, written, bytes.length - written, written);
    }
    if (mode !== undefined && process.platform !== 'win32') fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function copyPath(target: string, which: 'before' | 'after', token: string): string {
  return `${target}.ov-${which}-${token}`;
}

function tokensBeside(target: string): readonly string[] {
  const tokens = namesIn(dirname(target)).flatMap((name) => {
    const [, of, , token] = COPY.exec(name) ?? [];
    return of === basename(target) && token !== undefined ? [token] : [];
  });
  return [...new Set(tokens)];
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function isBeginning(part: Buffer, whole: Buffer): boolean {
  return part.length < whole.length && part.equals(whole.subarray(0, part.length));
}
