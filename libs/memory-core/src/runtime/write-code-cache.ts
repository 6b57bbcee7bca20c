/** Keeps what V8 has compiled for the hooks to come; apart from the reading, which every hook does. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Script } from 'node:vm';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import { CHECKSUM_BYTES, checksumOf } from './code-cache.ts';

/** Writes what has been compiled of `script` so far; never throws. */
export function writeCodeCache(path: string, script: Script): void {
  try {
    // In a home where nothing is installed nothing is to appear.
    if (!existsSync(dirname(dirname(path)))) return;
    const data = script.createCachedData();
    const sum = Buffer.alloc(CHECKSUM_BYTES);
    sum.writeInt32LE(checksumOf(data));
    writeFileAtomic(path, Buffer.concat([data, sum]), { durable: true });
  } catch {
    // A full disk or a read-only home: the next hook compiles again.
  }
}
