/**
 * The only way out for text. It takes every key out of what is said, keeps stdout free for one JSON document with
 * `--json`, and is plain where nobody looks at colours.
 */
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { redact } from '../connection/api-key.ts';
import { interrupted } from './interruption.ts';
import { withOwnCommand } from './own-command.ts';
import { wrap } from './wrap.ts';
import type { Messages } from './messages-en.ts';

/** What takes longer than this, in ms, is worth a word. */
const PATIENCE_MS = 1_000;

export interface TerminalOptions {
  readonly out: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly err: Writable & { readonly isTTY?: boolean };
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly texts: Messages;
  readonly json: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What starts this program, for advice. Default: its name. */
  readonly command?: string;
}

/** Codes of the terminal's own palette. */
const COLOURS = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1 } as const;

export class Terminal {
  #texts: Messages;
  readonly #options: TerminalOptions;
  readonly #secrets: string[] = [];

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#texts = options.texts;
  }

  get texts(): Messages {
    return this.#texts;
  }

  /** The user has chosen another language. */
  speak(texts: Messages): void {
    this.#texts = texts;
  }

  /** From here on this text is never shown. */
  keepSecret(text: string): void {
    this.#secrets.push(text);
  }

  /** A line for people. */
  say(line = ''): void {
    this.print(this.advised(line));
  }

  /** A line for people, of a text that was `advised` as a whole: one that was broken into lines since. */
  print(line: string): void {
    const { json, out, err } = this.#options;
    (json ? err : out).write(`${redact(line, this.#secrets)}\n`);
  }

  /** The text with the command that this user has, where it says one that starts this program. */
  advised(text: string): string {
    const { command } = this.#options;
    return command === undefined ? text : withOwnCommand(text, command);
  }

  /** Sentences for people: broken between words on a terminal, where a line that is too long is broken anywhere. */
  tell(text: string, indent = ''): void {
    for (const line of this.#broken(text, this.#options.out.isTTY, indent)) this.print(line);
  }

  /** Sentences about something that went wrong. */
  warn(text: string): void {
    const { err } = this.#options;
    for (const line of this.#broken(text, err.isTTY)) err.write(`${redact(line, this.#secrets)}\n`);
  }

  /** The one document of `--json`. */
  document(value: unknown): void {
    const { out } = this.#options;
    const advised = (_key: string, member: unknown): unknown =>
      typeof member === 'string' ? this.advised(member) : member;
    out.write(`${redact(JSON.stringify(value, advised, 2), this.#secrets)}\n`);
  }

  /** A unified diff, in colour on a terminal. */
  diff(text: string): void {
    for (const line of text.trimEnd().split('\n')) this.say(this.#colour(line));
  }

  /** Columns of a line for people; 80 where that is not known. */
  get columns(): number {
    const { out } = this.#options;
    return out.isTTY === true ? Math.max(40, Math.min(out.columns ?? 80, 100)) : 80;
  }

  /** A text in colour, where colours are shown. */
  paint(text: string, colour: keyof typeof COLOURS): string {
    return this.#hasColours ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text;
  }

  /** Whether questions can be asked. */
  get isInteractive(): boolean {
    const { stdin, out, json } = this.#options;
    return stdin.isTTY === true && out.isTTY === true && !json;
  }

  /** Whether a list can be drawn from which somebody chooses with the arrow keys. */
  get canDraw(): boolean {
    return this.isInteractive && this.#options.env['TERM'] !== 'dumb';
  }

  /** For questions that are drawn by others. Nothing takes keys out of what they show. */
  get console(): {
    readonly input: TerminalOptions['stdin'];
    readonly output: TerminalOptions['out'];
    readonly colours: boolean;
  } {
    const { stdin, out } = this.#options;
    return { input: stdin, output: out, colours: this.#hasColours };
  }

  /** Asks a yes-or-no question; an empty answer is `preset`. Throws the refusal of an interruption when nobody answers. */
  async confirm(question: string, preset: boolean, signal: AbortSignal): Promise<boolean> {
    const { stdin, out } = this.#options;
    const prompt = createInterface({ input: stdin, output: out });
    // On a terminal Ctrl+C and Ctrl+D come to the prompt, which would wait for ever.
    const left = new AbortController();
    for (const event of ['SIGINT', 'close'] as const) prompt.once(event, () => left.abort());
    try {
      const answer = (
        await prompt.question(`${question} ${preset ? '[Y/n]' : '[y/N]'} `, {
          signal: AbortSignal.any([signal, left.signal]),
        })
      ).trim();
      return answer === '' ? preset : /^(y|yes|是|好)$/i.test(answer);
    } catch {
      out.write('\n');
      throw interrupted();
    } finally {
      prompt.close();
    }
  }

  /**
   * Waits for `work`; on a terminal a line says what is being waited for when it takes more than a second, and goes again.
   */
  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    const { err, json } = this.#options;
    if (err.isTTY !== true || json) return work();
    let isShown = false;
    const timer = setTimeout(() => {
      isShown = true;
      err.write(`${what}…`);
    }, PATIENCE_MS);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      // Back to the start of the line, and empty it.
      if (isShown) err.write('\r\u001b[K');
    }
  }

  #broken(text: string, isTTY: boolean | undefined, indent = ''): readonly string[] {
    // Before it is broken: the command may be longer than its name, and a break may come in the middle of it.
    const advice = this.advised(text);
    if (isTTY !== true || this.#options.json) return [indent + advice];
    return advice.split('\n').flatMap((line) => wrap(line, this.columns - indent.length).map((part) => indent + part));
  }

  #colour(line: string): string {
    const colour = line.startsWith('+')
      ? 'green'
      : line.startsWith('-')
        ? 'red'
        : line.startsWith('@@')
          ? 'cyan'
          : undefined;
    return colour === undefined ? line : this.paint(line, colour);
  }

  get #hasColours(): boolean {
    const { out, json, env } = this.#options;
    return out.isTTY === true && !json && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  }
}
