/**
 * A JSON-RPC batch, which many servers refuse since the protocol dropped it: its requests are sent one by one and their
 * answers are put together again, so that a client of the older revision gets what it expects from any server.
 */
import { INTERNAL_ERROR } from './failure.ts';
import { composeAnswer, MESSAGE_LIMIT, type Message } from './message.ts';

export class Batch {
  private readonly answers: Message[] = [];
  private size = 2;

  /** `open` is how many answers are expected. */
  constructor(
    private open: number,
    private readonly deliver: (message: Message) => Promise<void>,
  ) {}

  /** Takes one answer; the promise resolves when the whole batch is written, or at once when more are expected. */
  answer(message: Message): Promise<void> {
    if (this.size + message.size > MESSAGE_LIMIT) {
      const error = {
        code: INTERNAL_ERROR,
        message: 'The answers of this batch exceed 64 MB together. Send the requests apart.',
      };
      this.answers.push(composeAnswer(message.envelope.id ?? 'null', { error }));
    } else {
      this.answers.push(message);
      this.size += message.size + 1;
    }
    return this.settle();
  }

  /** One request less will be answered: it was cancelled. */
  withdraw(): Promise<void> {
    return this.settle();
  }

  private settle(): Promise<void> {
    this.open--;
    if (this.open > 0 || this.answers.length === 0) return Promise.resolve();
    const chunks: Uint8Array[] = [];
    for (const [index, message] of this.answers.entries()) {
      chunks.push(Buffer.from(index === 0 ? '[' : ','), ...message.chunks);
    }
    chunks.push(Buffer.from(']'));
    const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const envelope = { id: undefined, method: undefined, hasResult: false, hasError: false };
    return this.deliver({ chunks, size, envelope });
  }
}
