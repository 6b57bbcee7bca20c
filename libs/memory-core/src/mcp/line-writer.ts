/**
 * The only way anything reaches the client: whole messages, one per line, never two mixed. Writing waits for the reader,
 * so that a slow client slows the server down instead of filling this process.
 */
import type { Writable } from 'node:stream';
import type { Message } from './message.ts';
import type { MemoryRelease } from './release-memory.ts';

const LINE_FEED = Buffer.from('\n');
/** Below this, one write with a copy is cheaper than several without. */
const COPY_LIMIT = 64 * 1024;

export class LineWriter {
  private broken = false;

  /** `onBroken`: the client is gone (EPIPE) and nothing more can be said. */
  constructor(
    private readonly output: Writable,
    private readonly memory: MemoryRelease,
    onBroken: (error: Error) => void,
  ) {
    output.on('error', (error) => {
      this.broken = true;
      onBroken(error);
    });
  }

  /** Resolves when the bytes have left this process, or cannot any more. Never rejects. */
  write(message: Message): Promise<void> {
    if (this.broken || this.output.writableEnded || this.output.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.memory.messageDone(message.size);
        resolve();
      };
      if (message.size < COPY_LIMIT) {
        this.output.write(Buffer.concat([...message.chunks, LINE_FEED]), done);
        return;
      }
      this.output.cork();
      for (const chunk of message.chunks) this.output.write(chunk);
      this.output.write(LINE_FEED, done);
      this.output.uncork();
    });
  }
}
