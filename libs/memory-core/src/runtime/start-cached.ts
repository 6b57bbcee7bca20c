/**
 * Starts a bundle from V8's code cache. Compiling 90 KB of JavaScript anew in every process costs a hook a quarter of its
 * own time; Node's compile cache exists from 22.1 on, so this does the same for all that we support.
 *
 * The cache is an optimisation that nothing depends on: a missing, foreign or refused one means that the bundle is
 * compiled as usual, and a new one is written when the hook has done its work.
 */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { CODE_CACHE } from '../fs/home-paths.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';

/* `require`, `module` and `exports` exist in the bundles, which are CommonJS. */
declare const require: (path: string) => unknown;

/**
 * Runs the CommonJS bundle at `path` as its own module. `stamp` names its content: V8 compares no more
 * of a source than its length, and would run the functions of yesterday's bundle if that happened to be as long.
 */
export function startCached(path: string, stamp: string): void {
  const source = readFileSync(path, 'utf8');
  const name = `${stamp}-${process.version}-${process.arch}.bin`;
  const cachePath = join(homedir(), '.openviking', 'state', CODE_CACHE, name);
  const cachedData = readCache(cachePath);
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: path,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  // Written when all that this hook needs has been compiled, and after the host has its answer.
  if (cachedData === undefined || script.cachedDataRejected === true)
    process.once('exit', () => writeCache(cachePath, script));
  const run = script.runInThisContext() as (...scope: unknown[]) => void;
  const module = { exports: {} };
  run(module.exports, require, module, path, dirname(path));
}

/** The cache without its checksum; undefined when there is none or it is damaged. */
function readCache(path: string): Buffer | undefined {
  try {
    const file = readFileSync(path);
    const data = file.subarray(0, -CHECKSUM_BYTES);
    return file.length > CHECKSUM_BYTES && file.readUInt32LE(data.length) === checksum(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function writeCache(path: string, script: Script): void {
  try {
    // In a home where nothing is installed nothing is to appear.
    if (!existsSync(dirname(dirname(path)))) return;
    const data = script.createCachedData();
    const sum = Buffer.alloc(CHECKSUM_BYTES);
    sum.writeUInt32LE(checksum(data));
    writeFileAtomic(path, Buffer.concat([data, sum]), { durable: true });
  } catch {
    // A full disk or a read-only home: the next hook compiles again.
  }
}

const CHECKSUM_BYTES = 4;
/** Disks lose whole sectors: one byte in 61 shows that, at a cost that no hook feels. */
const STEP = 61;

/**
 * V8 believes what it is given: with a damaged cache the process dies in the middle of a hook. Length and every 61st byte,
 * mixed as FNV-1a does.
 */
function checksum(data: Uint8Array): number {
  let sum = 0x811c9dc5 ^ data.length;
  for (let index = 0; index < data.length; index += STEP) sum = Math.imul(sum ^ (data[index] ?? 0), 0x01000193);
  return sum >>> 0;
}
