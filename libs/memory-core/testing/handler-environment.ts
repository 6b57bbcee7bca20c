/** What a handler gets, without the process around it: plenty of time, no worker that starts, no bundle that is loaded. */
import type { Harness } from '../src/contract/harness.ts';
import { homePaths } from '../src/fs/home-paths.ts';
import type { HookEnvironment } from '../src/runtime/run-hook.ts';
import type { SeldomModule } from '../src/runtime/seldom-load.ts';
import type { TemporaryHome } from './temporary-home.ts';

export interface HandlerEnvironment {
  readonly home: TemporaryHome;
  readonly harness: Harness;
  /** Given, where a handler needs it: a test that must load the core late cannot have it loaded here. */
  readonly seldom?: SeldomModule;
  /** Told of every worker that would be left behind. */
  readonly startWorker?: (args: readonly string[]) => void;
}

export function handlerEnvironment({ home, harness, seldom, startWorker }: HandlerEnvironment): HookEnvironment {
  const missing = (what: string) => (): never => {
    throw new Error(`this test was not given ${what}`);
  };
  return {
    harness,
    home: home.path,
    env: {},
    paths: homePaths(home.path),
    timeLeft: () => 5_000,
    extendToHostLimit: () => undefined,
    note: () => undefined,
    startWorker: startWorker ?? (() => undefined),
    runWorker: async () => undefined,
    bundles: {
      loadSeldom: seldom === undefined ? missing('seldom') : () => seldom,
      loadFilters: missing('filters'),
      loadProxy: missing('a proxy'),
    },
  };
}
