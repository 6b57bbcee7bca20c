/**
 * Admits requests: at most so many at once, in order, and never two with the same id, so that answers to one id come in
 * the order of its requests. What waits is counted, because a client may send faster than any server answers.
 */
export interface QueuedCall {
  /** `idKey` of the request. */
  readonly key: string;
}

export class CallQueue<Call extends QueuedCall> {
  private readonly waiting: Call[] = [];
  private readonly active = new Map<string, Call>();

  constructor(
    private readonly limit: number,
    private readonly run: (call: Call) => Promise<void>,
  ) {}

  get length(): number {
    return this.waiting.length + this.active.size;
  }

  /** Starts the call, now or when its turn comes. `run` must not reject. */
  add(call: Call): void {
    this.waiting.push(call);
    this.pump();
  }

  /** The oldest call with this id that has been started. */
  started(key: string): Call | undefined {
    return this.active.get(key);
  }

  /** Takes a call out that has not been started yet: the newest with this id. */
  withdraw(key: string): Call | undefined {
    const index = this.waiting.findLastIndex((call) => call.key === key);
    return index < 0 ? undefined : this.waiting.splice(index, 1)[0];
  }

  /** Everything that was admitted or waits. */
  all(): readonly Call[] {
    return [...this.active.values(), ...this.waiting];
  }

  private pump(): void {
    while (this.active.size < this.limit) {
      const index = this.waiting.findIndex((call) => !this.active.has(call.key));
      const call = index < 0 ? undefined : this.waiting.splice(index, 1)[0];
      if (call === undefined) return;
      this.active.set(call.key, call);
      void this.run(call).finally(() => {
        this.active.delete(call.key);
        this.pump();
      });
    }
  }
}
