/** Keeps what V8 has compiled for the hooks to come; apart from the reading, which every hook does. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Script } from 'node:vm';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import { checksumOf, TRAILER_BYTES } from './code-cache.ts';

/** Writes what has been compiled of `script` so far, what was in the cache before included; never throws. */
export function writeCodeCache(path: string, script: Script, additions: number): void {
  try {
    // In a home where nothing is installed nothing is to appear.
    if (!existsSync(dirname(dirname(path)))) return;
    const data = script.createCachedData();
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.writeInt32LE(additions);
    trailer.writeInt32LE(checksumOf(data, additions), 4);
    writeFileAtomic(path, Buffer.concat([data, trailer]));
  } catch {
    // A full disk or a read-only home: the next hook compiles again.
  }
}
