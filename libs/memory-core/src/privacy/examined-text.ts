/**
 * A text under examination, and how its runs of characters are read. Many names may stand in one long run: read anew for each
 * of them, a text without blanks would take seconds.
 */

/** A value in code, a sentence or an address: ends where those go on. */
const BARE = /[^\s"'`<>,;(){}[\]\\|，。；、）】」]+/y;
/** A value behind `NAME=` in a shell or an environment file: ends at a blank. */
const BARE_WORD = /(?:[^\s"'`\\]|\\(?![nrtu"'\\/]))+/y;

/** A value is judged by its beginning; however long it is, it is redacted whole. */
export const JUDGED = 256;

/** Reads runs of characters. Many words may stand in one run: its end is looked for once. */
class RunReader {
  readonly #pattern: RegExp;
  readonly #text: string;
  #start = 0;
  #end = 0;

  constructor(pattern: RegExp, text: string) {
    this.#pattern = new RegExp(pattern.source, 'y');
    this.#text = text;
  }

  /** End of the run that goes on at `at`; `at` itself when there is none. */
  endOf(at: number): number {
    if (at >= this.#start && at < this.#end) return this.#end;
    this.#pattern.lastIndex = at;
    const length = this.#pattern.exec(this.#text)?.[0].length ?? 0;
    this.#start = at;
    this.#end = at + length;
    return this.#end;
  }
}

/** A text under examination. */
export class Source {
  readonly text: string;
  /** False where nothing is called a value: then there are no pairs of name and value. */
  readonly hasValues: boolean;
  /** False where nothing is called a login, as the lines of a `.netrc` have one. */
  readonly hasLogins: boolean;
  readonly #bare: RunReader;
  readonly #word: RunReader;

  constructor(text: string, occurring: ReadonlySet<string>) {
    this.text = text;
    this.hasValues = occurring.has('value') || occurring.has('default');
    this.hasLogins = occurring.has('login');
    this.#bare = new RunReader(BARE, text);
    this.#word = new RunReader(BARE_WORD, text);
  }

  /** The bare value at `at`, without marks of punctuation at its end. */
  bare(at: number, kind: 'code' | 'word', trailing: string): Value {
    let end = (kind === 'code' ? this.#bare : this.#word).endOf(at);
    // Only a few: more of them are no end of a sentence.
    const least = Math.max(at, end - 8);
    while (end > least && trailing.includes(this.text.charAt(end - 1))) end -= 1;
    return { start: at, end };
  }

  /** As much of a value as is needed to judge it. */
  judged(value: Value): string {
    return this.text.slice(value.start, Math.min(value.end, value.start + JUDGED));
  }
}

/** Where a value lies in the text. */
export interface Value {
  readonly start: number;
  readonly end: number;
  /** Set for a bare number in JSON: its mark is a string. */
  readonly quote?: string;
}

/** What `pattern`, a sticky one, matches at `at`; empty when it does not. */
export function stickyText(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Length of what `pattern`, a sticky one, matches at `at`. */
export function stickyLength(pattern: RegExp, text: string, at: number): number {
  return stickyText(pattern, text, at).length;
}
