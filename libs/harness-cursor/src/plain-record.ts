/**
 * The older form of the record, which Windows builds wrote: plain text in which a line `user:` or `assistant:` begins a
 * message. A prompt with such a line of its own cannot be told from two messages.
 */
import type { RecordedMessage } from './record-line.ts';

const MARK = /^\uFEFF?(user|assistant):[ \t]*(.*)$/;
/** Begins what is not said but done or thought; it ends at an empty line. */
const ASIDE = /^\[(?:Tool call|Tool result|Thinking)\]/;

export class PlainRecord {
  readonly #emit: (message: RecordedMessage) => void;
  #message: { readonly role: 'user' | 'assistant'; readonly offset: number; readonly lines: string[] } | undefined;
  #isAside = false;

  constructor(emit: (message: RecordedMessage) => void) {
    this.#emit = emit;
  }

  static isMark(line: string): boolean {
    return MARK.test(line.trimEnd());
  }

  addLine(line: string, offset: number): void {
    const text = line.trimEnd();
    const [, role, rest = ''] = MARK.exec(text) ?? [];
    if (role === 'user' || role === 'assistant') {
      this.finish();
      this.#message = { role, offset, lines: rest === '' ? [] : [rest] };
      return;
    }
    if (this.#message?.role === 'assistant' && ASIDE.test(text)) this.#isAside = true;
    if (!this.#isAside) this.#message?.lines.push(text);
    else if (text === '') this.#isAside = false;
  }

  /** No more lines. */
  finish(): void {
    const message = this.#message;
    this.#message = undefined;
    this.#isAside = false;
    if (message === undefined) return;
    this.#emit({ role: message.role, text: message.lines.join('\n').trim(), offset: message.offset });
  }
}
