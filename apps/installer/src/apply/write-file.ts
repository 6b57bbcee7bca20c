/** Writing and removing one file in a home: links of both kinds stay, permissions are exact, and the owner stays the owner. */
import { chmodSync, chownSync, statSync, unlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { resolveLinks, systemCode, writeFileAtomic } from '@openviking/memory-core/full';
import { Refusal } from '../cli/refusal.ts';
import { requirePlainFile } from '../files/image.ts';
import { writeInPlace } from './shared-file.ts';
import type { FileImage } from '../files/image.ts';

/** Writes the file whole. Throws a refusal that names path and cause. */
export function placeFile(path: string, image: FileImage): void {
  const target = resolveLinks(path);
  const old = statusOf(target);
  if (old !== undefined) requirePlainFile(path, old);
  attempt(path, () => {
    if (old !== undefined && old.nlink > 1) return writeInPlace(target, image, old.mode & 0o7777);
    writeFileAtomic(target, image.bytes, { mode: image.mode, durable: true });
    // A new file takes the place of the old one: run as root, it would belong to root.
    if (old === undefined || process.getuid?.() !== 0) return;
    chownSync(target, old.uid, old.gid);
    // Changing the owner clears the set-user-ID and set-group-ID bits.
    chmodSync(target, image.mode);
  });
}

/** Removes the file behind a link, not the link. */
export function removeFile(path: string): void {
  attempt(path, () => unlinkSync(resolveLinks(path)));
}

/** Runs a change to the file system; a failure becomes a refusal. */
export function attempt<T>(path: string, change: () => T): T {
  try {
    return change();
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    const code = systemCode(cause) ?? 'error';
    throw new Refusal({
      code: 'file/unwritable',
      file: path,
      say: (t) => t.unwritable(path, code),
      next: (t) => (code === 'ENOSPC' ? t.diskFullNext : t.permissionsNext),
      cause,
    });
  }
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
