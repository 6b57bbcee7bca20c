/**
 * One worker waits for everything that rests. A turn end starts a worker, and where a server fails for an hour each of them
 * would stay as long as it may live, dozens at once, to ask the same server for the same conversations.
 */
import { tryLock, type Lock } from '../../fs/lock.ts';
import { inside } from '../../fs/path.ts';
import { paced } from '../../spool/pace.ts';

/** Who waits looks so often, in ms, for what others have left behind. */
const LOOK_MS = 2_000;

export class WaitingPlace {
  readonly #state: string;
  readonly #environment: string;
  #place: Lock | undefined;

  /** `state`: the folder of all state; `environment`: mark of the environment whose turns the worker delivers. */
  constructor(state: string, environment: string) {
    this.#state = state;
    this.#environment = environment;
  }

  /**
   * Waits for `ms`, or less. False, at once, where others do the waiting: one that will look at everything again and again, and
   * one that takes its place when its time is over. That one comes back from here when it has the place, which may
   * last until `until`, by `performance.now()`.
   */
  async wait(ms: number, until: number): Promise<boolean> {
    const look = paced(LOOK_MS);
    if (!this.#take()) {
      const next = this.#lock('next');
      if (next === undefined) return false;
      try {
        do {
          if (performance.now() + look > until) return false;
          await sleep(look);
        } while (!this.#take());
      } finally {
        next.release();
      }
      return true;
    }
    await sleep(Math.min(ms, look));
    return true;
  }

  leave(): void {
    this.#place?.release();
    this.#place = undefined;
  }

  #take(): boolean {
    this.#place ??= this.#lock('waits');
    return this.#place !== undefined;
  }

  #lock(what: 'waits' | 'next'): Lock | undefined {
    const name = `worker-${what}${this.#environment === '' ? '' : `-${this.#environment}`}.lock`;
    try {
      return tryLock(inside(this.#state, name));
    } catch {
      // Uninstalled meanwhile, or a full disk: the next hook starts another worker.
      return undefined;
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
