/**
 * Bounds the bytes of half-received answers over all requests in flight: sixteen calls that answer with 20 MB each must
 * not need 320 MB. Over the limit one holder at a time goes on, so that the total is the limit plus one message and no
 * set of half-read answers can block itself.
 */
export class ByteBudget {
  private total = 0;
  private overdrawn: ByteHolder | undefined;
  private readonly waiting: { readonly holder: ByteHolder; readonly resume: () => void }[] = [];

  constructor(private readonly limit: number) {}

  /** A holder for one message after another of one answer. */
  open(): ByteHolder {
    return new ByteHolder(
      (holder) => this.admit(holder),
      (bytes) => {
        this.total += bytes;
      },
      (holder) => this.freed(holder),
    );
  }

  private admit(holder: ByteHolder): Promise<void> | undefined {
    if (this.total <= this.limit || this.overdrawn === holder) return undefined;
    if (this.overdrawn === undefined) {
      this.overdrawn = holder;
      return undefined;
    }
    return new Promise((resume) => this.waiting.push({ holder, resume }));
  }

  private freed(holder: ByteHolder): void {
    if (this.overdrawn === holder) this.overdrawn = undefined;
    if (this.total <= this.limit) {
      for (const { resume } of this.waiting.splice(0)) resume();
    } else if (this.overdrawn === undefined) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.overdrawn = next.holder;
      next.resume();
    }
  }
}

/** The bytes of one answer that are in memory. */
export class ByteHolder {
  private bytes = 0;

  constructor(
    private readonly admit: (holder: ByteHolder) => Promise<void> | undefined,
    private readonly account: (bytes: number) => void,
    private readonly freed: (holder: ByteHolder) => void,
  ) {}

  /** To be awaited before more is read; undefined when reading may go on at once. */
  mayRead(): Promise<void> | undefined {
    return this.admit(this);
  }

  /** Sets how many bytes are held now. */
  hold(bytes: number): void {
    this.account(bytes - this.bytes);
    this.bytes = bytes;
    if (bytes === 0) this.freed(this);
  }

  /** Gives everything back; also frees a holder that waits. */
  release(): void {
    this.hold(0);
  }
}
