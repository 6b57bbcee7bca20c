/** What the parts of a worker share: made once at its start, so that all of them speak of the same home and the same end. */
import type { Harness } from '../../contract/harness.ts';
import type { HomePaths } from '../../fs/home-paths.ts';
import type { Log } from '../../log/log.ts';
import type { Destination } from './destination.ts';

/** One run of the worker: for whom it runs, and until when. */
export interface Worker {
  readonly harness: Harness;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: HomePaths;
  readonly log: Log;
  /** The conversation whose hook started it. */
  readonly first: string | undefined;
  readonly until: number;
  readonly spoolMaxBytes: number;
  /** Mark of `env`: turns that were said in another environment of its own are none of this worker's. */
  readonly environment: string;
  /** By harness and environment: a user may keep the memories of two clients in two accounts. */
  readonly destinations: Map<string, Destination>;
}
