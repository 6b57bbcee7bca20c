/**
 * Starts a bundle from V8's code cache. Compiling 90 KB of JavaScript anew in every process costs a hook a quarter of its
 * own time; Node's compile cache exists from 22.1 on, so this does the same for all that we support.
 *
 * The cache is an optimisation that nothing depends on: a missing, foreign or refused one means that the bundle is
 * compiled as usual, and a new one is written when the hook has done its work.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import { CODE_CACHE } from '../fs/home-paths.ts';
import { inside } from '../fs/path.ts';
import { readCodeCache } from './code-cache.ts';
import { homeFolder } from './home-folder.ts';
import type { SeldomModule } from './seldom-load.ts';

/* `require`, `module` and `exports` exist in the bundles, which are CommonJS. */
declare const require: (path: string) => unknown;

/**
 * The first turn of a conversation takes other ways through the bundle than those that follow, and a cache holds the
 * functions that were called: so many hooks after the first add theirs. From then on nothing is written any more.
 */
const MOST_ADDITIONS = 3;

/**
 * Runs the bundle at `path` as its own module. Its text is ASCII, so that V8 keeps it as it is and nothing is decoded, and one
 * function expression that takes what CommonJS gives a module. `stamp` names its content: V8 compares no more of a source
 * than its length, and would run the functions of yesterday's bundle if that happened to be as long.
 */
export function startCached(path: string, stamp: string): void {
  const folder = dirname(path);
  const name = `${stamp}-${process.version}-${process.arch}.bin`;
  const cachePath = inside(homeFolder(), '.openviking', 'state', CODE_CACHE, name);
  const source = sourceAt(path);
  if (source === undefined) return;
  const cache = readCodeCache(cachePath);
  const script = new Script(source, {
    filename: path,
    ...(cache === undefined ? {} : { cachedData: cache.data }),
  });
  const additions = cache === undefined || script.cachedDataRejected === true ? 0 : cache.additions + 1;
  // Written when all that this hook needs has been compiled, and after the host has its answer.
  if (additions <= MOST_ADDITIONS) process.once('exit', () => keep(cachePath, script, additions, folder));
  const run = script.runInThisContext() as (...scope: unknown[]) => void;
  const module = { exports: {} };
  run(module.exports, require, module, path, folder);
}

/** Undefined when it is gone, halfway through an upgrade: a hook without its program says nothing, and breaks nothing. */
function sourceAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function keep(cachePath: string, script: Script, additions: number, folder: string): void {
  try {
    (require(inside(folder, 'seldom.cjs')) as SeldomModule).writeCodeCache(cachePath, script, additions);
  } catch {
    // An upgrade has just taken the folder away.
  }
}
