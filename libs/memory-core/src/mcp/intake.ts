/**
 * How much of what the client says may be under way. A client that asks faster than the server answers has to wait: its messages
 * would fill the memory, and a process that dies of that takes all its tools along.
 */
import type { Message } from './message.ts';

export class Intake {
  private accepted = 0;
  private acceptedBytes = 0;
  private roomWanted: (() => void) | undefined;

  /** Full at so many messages, or so many bytes of them. */
  constructor(
    private readonly most: number,
    private readonly mostBytes: number,
  ) {}

  get isEmpty(): boolean {
    return this.accepted === 0;
  }

  get isFull(): boolean {
    return this.accepted >= this.most || this.acceptedBytes >= this.mostBytes;
  }

  enter(message: Message): void {
    this.accepted++;
    this.acceptedBytes += message.size;
  }

  leave(message: Message): void {
    this.accepted--;
    this.acceptedBytes -= message.size;
    this.wake();
  }

  /** Resolves when the next message leaves, or at `wake`. For one caller at a time. */
  change(): Promise<void> {
    return new Promise((resolve) => (this.roomWanted = resolve));
  }

  /** Whoever waits looks again. */
  wake(): void {
    const resume = this.roomWanted;
    this.roomWanted = undefined;
    resume?.();
  }
}
