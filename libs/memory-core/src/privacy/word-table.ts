/**
 * Tells which of many words occur in a text, in one walk over it. To look for each of them by itself took longer than
 * everything that is done where one is found.
 */

/** Words are told apart by their first three characters, which are ASCII. */
const ASCII = 128;

export class WordTable {
  /** Number of the group of words with these two first characters; 0 where there is none. */
  readonly #pairs = new Uint8Array(ASCII * ASCII);
  /** Per group and third character, 1 where some word of the group goes on like that. */
  readonly #thirds: Uint8Array;
  readonly #groups: string[][] = [[]];
  /** Words of other scripts, which most texts show at once that they have none of. */
  readonly #others: readonly string[];

  /** `words` in lower case, of three characters at least unless they are of another script; throws on others. */
  constructor(words: readonly string[]) {
    const isPlain = (word: string): boolean => word.charCodeAt(0) < ASCII;
    const wrong = words.find(
      (word) => word === '' || word !== word.toLowerCase() || (isPlain(word) && !/^[\0-\x7f]{3}/.test(word)),
    );
    if (wrong !== undefined) {
      throw new Error(
        `a table of words cannot hold "${wrong}": it needs lower case, and three ASCII characters to begin with`,
      );
    }
    this.#others = words.filter((word) => !isPlain(word));
    for (const word of new Set(words.filter(isPlain))) {
      const key = word.charCodeAt(0) * ASCII + word.charCodeAt(1);
      this.#pairs[key] ||= this.#groups.push([]) - 1;
      this.#groups[this.#pairs[key]]?.push(word);
    }
    this.#thirds = new Uint8Array(this.#groups.length * ASCII);
    this.#groups.forEach((group, number) => {
      for (const word of group) this.#thirds[number * ASCII + word.charCodeAt(2)] = 1;
    });
  }

  /** Those that occur in `lower`, a text in lower case. */
  occurringIn(lower: string): ReadonlySet<string> {
    const found = new Set(this.#others.filter((word) => lower.includes(word)));
    const pairs = this.#pairs;
    const thirds = this.#thirds;
    let first = lower.charCodeAt(0);
    let second = lower.charCodeAt(1);
    for (let index = 0; index + 2 < lower.length; index += 1) {
      const third = lower.charCodeAt(index + 2);
      if ((first | second | third) < ASCII) {
        const group = pairs[first * ASCII + second] ?? 0;
        if (group !== 0 && thirds[group * ASCII + third] === 1) {
          for (const word of this.#groups[group] ?? []) {
            if (lower.startsWith(word, index)) found.add(word);
          }
        }
      }
      first = second;
      second = third;
    }
    return found;
  }
}
