/**
 * Small files that are written again and again, such as heartbeats. Putting a new file in the old one's place makes some
 * file systems flush its content at once (ext4: `auto_da_alloc`), which costs a hook a millisecond; written over in one
 * step, with blanks to a fixed length, no reader meets half of one, and a full disk has room for it.
 */
import { closeSync, constants, fstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensureOwnFolder } from './folder.ts';
import { openSync, writeSync } from './operations.ts';
import { writeFileAtomic } from './write-atomic.ts';

/** Bytes of such a file; a longer text replaces it as every other file. */
const ROOM = 512;

const { O_WRONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

/**
 * Writes `text`, which blanks may follow, as the content of `path`; mode 0600. A link in the place of its folder is put
 * aside. Throws the system's error untouched.
 */
export function writeNote(path: string, text: string): void {
  ensureOwnFolder(dirname(path));
  const bytes = Buffer.alloc(ROOM, ' ');
  const fits = Buffer.byteLength(text) <= ROOM;
  if (fits) bytes.write(text);
  if (!fits || !writeOver(path, bytes)) writeFileAtomic(path, fits ? bytes : text);
}

/** False when no such file is there: none, another kind, a link, another length, or one of two names. */
function writeOver(path: string, bytes: Buffer): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch {
    return false;
  }
  try {
    const found = fstatSync(descriptor);
    // A file with another name, such as one in a backup made of links, is somebody else's as well.
    return (
      found.isFile() && found.nlink === 1 && found.size === ROOM && writeSync(descriptor, bytes, 0, ROOM, 0) === ROOM
    );
  } finally {
    closeSync(descriptor);
  }
}
