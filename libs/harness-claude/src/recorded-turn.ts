/**
 * A turn while it is put together from rows: what the user wrote, what the model said and called, and whether it came to an
 * end. Tool outputs find their calls by id, wherever in the file they stand.
 */
import type { AssistantRow, RecordedCall, RecordedOutput } from './transcript-row.ts';
import type { MessagePart, TranscriptTurn } from '../vendor/memory-core/hot.ts';

type Part =
  | { readonly kind: 'text'; readonly text: string; readonly messageId?: string; readonly isCut: boolean }
  | { readonly kind: 'call'; readonly call: RecordedCall; readonly messageId?: string; output?: RecordedOutput };

export class RecordedTurn {
  readonly id: string;
  /** Byte offset of the turn's first row. */
  readonly offset: number;
  readonly #texts: string[] = [];
  #parts: Part[] = [];
  #startedAt: string | undefined;
  #completedAt: string | undefined;
  #isFinished = false;
  #isInterrupted = false;

  constructor(id: string, offset: number) {
    this.id = id;
    this.offset = offset;
  }

  /** The user wrote something, and the model has not begun to answer. */
  get isUnanswered(): boolean {
    return this.#texts.length > 0 && this.#parts.length === 0;
  }

  /** A row of this turn, of whatever kind, was written at this time. */
  seen(at: string | undefined): void {
    this.#startedAt ??= at;
    this.#completedAt = at ?? this.#completedAt;
  }

  addUserText(text: string): void {
    this.#texts.push(text);
    this.#isFinished = false;
  }

  addAnswer(row: AssistantRow): void {
    const origin = row.messageId === undefined ? {} : { messageId: row.messageId };
    for (const block of row.blocks) {
      this.#parts.push(
        typeof block === 'string'
          ? { kind: 'text', text: block, ...origin, isCut: row.stop === 'cut' }
          : { kind: 'call', call: block, ...origin },
      );
    }
    // Thinking that comes after the answer's text, in a row of its own, takes nothing back.
    if (row.blocks.length > 0 || row.stop === 'final') this.#isFinished = row.stop === 'final';
  }

  /** True when the output is that of a call of this turn. The first output of a call stands. */
  takeOutput(output: RecordedOutput): boolean {
    const part = this.#parts.findLast((candidate) => candidate.kind === 'call' && candidate.call.id === output.callId);
    if (part?.kind !== 'call') return false;
    part.output ??= output;
    return true;
  }

  /** The client has put something to the model that asks for more. */
  goesOn(): void {
    this.#isFinished = false;
  }

  /** The user stopped the model: half a sentence of a message that was never completed is no answer. */
  interrupt(): void {
    this.#isInterrupted = true;
    const last = this.#parts.at(-1);
    if (last?.kind !== 'text' || !last.isCut) return;
    const { messageId } = last;
    while (this.#parts.at(-1)?.kind === 'text' && this.#parts.at(-1)?.messageId === messageId) this.#parts.pop();
  }

  /** The turn in the core's shape; undefined when nothing was said in it, such as for a command of the client. */
  toTurn(hasSuccessor: boolean): TranscriptTurn | undefined {
    const closed = hasSuccessor || this.#isFinished || this.#isInterrupted;
    const assistant = this.#parts.flatMap((part): MessagePart[] => {
      if (part.kind === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
      const { call, output } = part;
      return [
        {
          type: 'tool',
          tool_id: call.id,
          tool_name: call.name,
          tool_input: call.input,
          tool_output: output?.text ?? '',
          // Without an output: still at work while the turn is open, never answered once it is closed.
          tool_status: output === undefined ? (closed ? 'pending' : 'running') : output.isError ? 'error' : 'completed',
        },
      ];
    });
    if (assistant.length === 0 && this.#texts.length === 0) return undefined;
    return {
      turnId: this.id,
      ...(this.#texts.length === 0 ? {} : { userText: this.#texts.join('\n\n') }),
      assistant,
      ...(this.#startedAt === undefined ? {} : { startedAt: this.#startedAt }),
      ...(this.#completedAt === undefined ? {} : { completedAt: this.#completedAt }),
      closed,
      offset: this.offset,
    };
  }
}
