/** V8's code cache on disk, with a checksum behind it: V8 believes what it is given, and dies of a damaged one. */
import { constants, readFileSync } from 'node:fs';

/** Neither a pipe that somebody has put there is waited for, nor a link followed: no timer runs yet. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
const FLAGS = (O_RDONLY | O_NONBLOCK | O_NOFOLLOW) as unknown as string;

/** Behind the data: how many hooks have added to it, and the checksum of all before it. 32 bits each. */
export const TRAILER_BYTES = 8;
/** Disks lose whole sectors of 512 bytes or more, mostly many: a word of each shows that, at a cost that no hook feels. */
const SECTOR = 512;

interface CodeCache {
  readonly data: Buffer;
  /** How many hooks have added to it what they had to compile. */
  readonly additions: number;
}

/** Undefined when there is none or it is damaged. */
export function readCodeCache(path: string): CodeCache | undefined {
  try {
    const file = readFileSync(path, { flag: FLAGS });
    const data = file.subarray(0, -TRAILER_BYTES);
    if (file.length <= TRAILER_BYTES) return undefined;
    const additions = file.readInt32LE(data.length);
    return file.readInt32LE(data.length + 4) === checksumOf(data, additions) ? { data, additions } : undefined;
  } catch {
    return undefined;
  }
}

/** Length, additions and a word of every sector, mixed as FNV-1a does; signed 32 bits. */
export function checksumOf(data: Buffer, additions: number): number {
  const words = new Int32Array(data.buffer, data.byteOffset, data.length >> 2);
  let sum = 0x811c9dc5 ^ data.length ^ (additions << 24);
  for (let index = 0; index < words.length; index += SECTOR / 4) sum = Math.imul(sum ^ (words[index] ?? 0), 0x01000193);
  return sum;
}
