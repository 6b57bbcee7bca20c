/**
 * The only way out for text. It takes every key out of what is said, keeps stdout free for one JSON document with
 * `--json`, and is plain where nobody looks at colours.
 */
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { redact } from '../connection/api-key.ts';
import type { Messages } from './messages-en.ts';

export interface TerminalOptions {
  readonly out: Writable & { readonly isTTY?: boolean };
  readonly err: Writable & { readonly isTTY?: boolean };
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly texts: Messages;
  readonly json: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export class Terminal {
  readonly texts: Messages;
  readonly #options: TerminalOptions;
  readonly #secrets: string[] = [];

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.texts = options.texts;
  }

  /** From here on this text is never shown. */
  keepSecret(text: string): void {
    this.#secrets.push(text);
  }

  /** A line for people. */
  say(line = ''): void {
    const { json, out, err } = this.#options;
    (json ? err : out).write(`${redact(line, this.#secrets)}\n`);
  }

  /** A line about something that went wrong. */
  warn(line: string): void {
    this.#options.err.write(`${redact(line, this.#secrets)}\n`);
  }

  /** The one document of `--json`. */
  document(value: unknown): void {
    this.#options.out.write(`${redact(JSON.stringify(value, null, 2), this.#secrets)}\n`);
  }

  /** A unified diff, in colour on a terminal. */
  diff(text: string): void {
    for (const line of text.trimEnd().split('\n')) this.say(this.#colour(line));
  }

  /** Whether questions can be asked. */
  get isInteractive(): boolean {
    const { stdin, out, json } = this.#options;
    return stdin.isTTY === true && out.isTTY === true && !json;
  }

  /** Asks a yes-or-no question; an empty answer is `preset`. */
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
      return false;
    } finally {
      prompt.close();
    }
  }

  #colour(line: string): string {
    const { out, json, env } = this.#options;
    if (out.isTTY !== true || json || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb') return line;
    const code = line.startsWith('+') ? 32 : line.startsWith('-') ? 31 : line.startsWith('@@') ? 36 : undefined;
    return code === undefined ? line : `\u001b[${code}m${line}\u001b[0m`;
  }
}
