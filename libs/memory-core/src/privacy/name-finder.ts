/** Where the words of names stand in a text: looked for once each, because every prompt of every user is searched. */
import { lowerCase, NAME_WORDS } from './secret-words.ts';

/** Finds the words in order. By plain search: one expression for all of them takes milliseconds to become machine code. */
export class WordFinder {
  readonly #lower: string;
  /** Where each word stands next; those that do not stand anywhere are left out. */
  readonly #next: { readonly word: string; at: number }[];

  /** `words`: those of {@link NAME_WORDS} that may occur, or more. */
  constructor(text: string, words: ReadonlySet<string>) {
    this.#lower = lowerCase(text);
    this.#next = NAME_WORDS.filter((word) => words.has(word))
      .map((word) => ({ word, at: this.#lower.indexOf(word) }))
      .filter(({ at }) => at !== -1);
  }

  /** The first word at or behind `from`. */
  find(from: number): { readonly index: number; readonly length: number } | undefined {
    let index = Infinity;
    let length = 0;
    for (const next of this.#next) {
      if (next.at < from) {
        const at = this.#lower.indexOf(next.word, from);
        next.at = at === -1 ? Infinity : at;
      }
      if (next.at < index) {
        index = next.at;
        length = next.word.length;
      }
    }
    return index === Infinity ? undefined : { index, length };
  }
}
