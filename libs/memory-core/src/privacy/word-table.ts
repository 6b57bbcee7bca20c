/**
 * Tells which of many words occur in a text, in one walk over it. To look for each of them by itself took longer than
 * everything that is done where one is found.
 */

/** Three characters make an index of so many bits, five of which belong to the last one. */
const BITS = 15;
const INDEXES = 1 << BITS;

export class WordTable {
  /** By the three characters with which they begin, the number of a list of words; 0 where there is none. */
  readonly #numbers = new Uint8Array(INDEXES);
  readonly #lists: string[][] = [[]];
  /** Words with letters of other scripts, which most texts show at once that they have none of. */
  readonly #others: readonly string[];
  /** One letter of each of those. */
  readonly #letters: RegExp;

  /**
   * `words` in lower case, of three characters at least unless there is a letter of another script, which begin in no more
   * than 255 ways; throws on others.
   */
  constructor(words: readonly string[]) {
    const isPlain = (word: string): boolean => /^[\0-\x7f]+$/.test(word);
    const wrong = words.find((word) => word !== word.toLowerCase() || /^[\0-\x7f]{0,2}$/.test(word));
    if (wrong !== undefined) {
      throw new Error(
        `a table of words cannot hold "${wrong}": it needs lower case, and three characters if all are ASCII`,
      );
    }
    this.#others = words.filter((word) => !isPlain(word));
    this.#letters = new RegExp(`[${this.#others.map((word) => /[^\0-\x7f]/.exec(word)?.[0] ?? '').join('')}]`);
    for (const word of new Set(words.filter(isPlain))) {
      const key = nextIndex(nextIndex(nextIndex(0, word.charCodeAt(0)), word.charCodeAt(1)), word.charCodeAt(2));
      if (this.#numbers[key] === 0 && this.#lists.length > 255)
        throw new Error(`a table of words cannot hold "${word}": there are too many`);
      this.#numbers[key] ||= this.#lists.push([]) - 1;
      this.#lists[this.#numbers[key]]?.push(word);
    }
  }

  /** Those that occur in `lower`, a text in lower case. */
  occurringIn(lower: string): ReadonlySet<string> {
    const found = new Set(this.#letters.test(lower) ? this.#others.filter((word) => lower.includes(word)) : []);
    const numbers = this.#numbers;
    /** Words that are left to be found, by list; one that has none left is passed over. */
    const lists = this.#lists.map((list) => [...list]);
    const { length } = lower;
    let key = nextIndex(nextIndex(0, lower.charCodeAt(0)), lower.charCodeAt(1));
    for (let index = 2; index < length; index += 1) {
      key = nextIndex(key, lower.charCodeAt(index));
      const number = numbers[key] ?? 0;
      if (number === 0) continue;
      const list = lists[number] ?? [];
      for (let place = list.length - 1; place >= 0; place -= 1) {
        const word = list[place] ?? '';
        if (!lower.startsWith(word, index - 2)) continue;
        found.add(word);
        list.splice(place, 1);
      }
    }
    return found;
  }
}

/** The index one character further. Others may have the same: it only says where to look. */
function nextIndex(index: number, code: number): number {
  return ((index << 5) ^ code) & (INDEXES - 1);
}
