/** Commits idle sessions when they are due. One timer, set for the next one: a machine without work is not woken up. */
import type { SessionStore } from '../store/session-store.ts';

/** Timers measure time awake: after a night's sleep the clock is looked at again within this time. */
const LONGEST_WAIT_MS = 10 * 60_000;

export class IdleCommits {
  readonly #sessions: SessionStore;
  readonly #now: () => number;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAt: number | undefined;

  constructor(sessions: SessionStore, now: () => number, report: (error: unknown) => void) {
    this.#sessions = sessions;
    this.#now = now;
    this.#report = report;
  }

  /** Looks up when the next commit is due and sets the timer for it. */
  readonly reschedule = (): void => {
    const due = this.#sessions.nextIdleDue();
    // A due time that only moved away needs no new timer: the old one finds nothing to do and looks again.
    if (due === undefined || (this.#dueAt !== undefined && this.#dueAt <= due)) return;
    this.#set(due);
  };

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #set(due: number): void {
    this.stop();
    this.#dueAt = due;
    const wait = Math.min(LONGEST_WAIT_MS, Math.max(10, due - this.#now()));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#dueAt = undefined;
      try {
        this.#sessions.commitIdle();
        this.reschedule();
      } catch (error) {
        this.#report(error);
        this.#set(this.#now() + LONGEST_WAIT_MS);
      }
    }, wait);
  }
}
