/**
 * Flushing to disk without standing still: a flush takes a hook as long as all of its own work, and the processor can
 * get on with that in the meantime.
 */
import { closeSync } from 'node:fs';
import { systemCode } from '../errors/error.ts';
import { fsync, openSync } from './operations.ts';

/** Resolves when the content of the file is on disk, and at once when the file is gone. */
export async function flushFile(path: string): Promise<void> {
  let descriptor: number;
  try {
    // Windows flushes through a descriptor that may write.
    descriptor = openSync(path, 'r+');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  await flushDescriptor(descriptor);
}

/** Resolves when the names in the folder are on disk; file systems that cannot flush a folder are left alone. */
export async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    await flushDescriptor(openSync(folder, 'r'));
  } catch {
    // Some network file systems refuse; the name itself is there.
  }
}

function flushDescriptor(descriptor: number): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    fsync(descriptor, (error) => {
      closeSync(descriptor);
      if (error === null || error === undefined || isDenied(error)) resolve();
      else reject(error);
    });
  });
}

/** Node under its permission model flushes nothing, whatever else it allows: what is written is there all the same. */
export function isDenied(error: unknown): boolean {
  return systemCode(error) === 'ERR_ACCESS_DENIED';
}
