/** V8's code cache on disk, with a checksum behind it: V8 believes what it is given, and dies of a damaged one. */
import { constants, readFileSync } from 'node:fs';

/** Neither a pipe that somebody has put there is waited for, nor a link followed: no timer runs yet. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
const FLAGS = (O_RDONLY | O_NONBLOCK | O_NOFOLLOW) as unknown as string;

export const CHECKSUM_BYTES = 4;
/** Disks lose whole sectors of 512 bytes or more, mostly many: a word of each shows that, at a cost that no hook feels. */
const SECTOR = 512;

/** The cache without its checksum; undefined when there is none or it is damaged. */
export function readCodeCache(path: string): Buffer | undefined {
  try {
    const file = readFileSync(path, { flag: FLAGS });
    const data = file.subarray(0, -CHECKSUM_BYTES);
    return file.length > CHECKSUM_BYTES && file.readInt32LE(data.length) === checksumOf(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Length and a word of every sector, mixed as FNV-1a does; signed 32 bits. */
export function checksumOf(data: Buffer): number {
  const words = new Int32Array(data.buffer, data.byteOffset, data.length >> 2);
  let sum = 0x811c9dc5 ^ data.length;
  for (let index = 0; index < words.length; index += SECTOR / 4) sum = Math.imul(sum ^ (words[index] ?? 0), 0x01000193);
  return sum;
}
