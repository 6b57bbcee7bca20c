/**
 * A terminal that somebody sits at, without one: shows what is on the screen after all moves of the cursor, and types when a
 * text has appeared. Knows the codes that the installer and its prompts use, and no others. It breaks no line: one that is
 * too long is there to be seen.
 */
import { PassThrough } from 'node:stream';
import { displayWidth } from '../../src/cli/display-width.ts';

export interface Screen {
  readonly stdin: PassThrough & { readonly isTTY: true };
  readonly out: PassThrough & { readonly isTTY: true; readonly columns: number; readonly rows: number };
  /**
   * Types each text when what stands before it has appeared since the last one; gives up when the program has ended. Rejects
   * when nothing appears within a minute. Returns the screen as it was before each text was typed.
   */
  type(script: readonly (readonly [appears: string, typed: string])[], ended: AbortSignal): Promise<readonly string[]>;
  /** Everything that is to be read, as lines without blanks at their ends. */
  text(): string;
  /** Everything that was written, codes included. */
  raw(): string;
}

export const KEYS = {
  down: '\u001b[B',
  space: ' ',
  enter: '\r',
  escape: '\u001b',
  interrupt: '\u0003',
  end: '\u0004',
} as const;

/** Only to end what hangs. */
const WAIT_MS = 120_000;

export function openScreen(columns = 80): Screen {
  const stdin = Object.assign(new PassThrough(), { isTTY: true as const, setRawMode: () => undefined });
  const out = Object.assign(new PassThrough(), { isTTY: true as const, columns, rows: 40 });
  const rows: string[][] = [[]];
  let [row, column, written, seen] = [0, 0, '', 0];
  const put = (character: string): void => {
    const line = (rows[row] ??= []);
    while (line.length < column) line.push(' ');
    line[column] = character;
    // The second half of a wide character is no character of its own.
    if (displayWidth(character) === 2) line[column + 1] = '';
    column += displayWidth(character);
  };
  const obey = (code: string): void => {
    const [, argument = '', letter = ''] = /^\u001b\[([?\d;]*)([A-Za-z])$/.exec(code) ?? [];
    const count = argument === '' ? 1 : Number(argument);
    if (letter === 'A') row = Math.max(0, row - count);
    else if (letter === 'B') row += count;
    else if (letter === 'C') column += count;
    else if (letter === 'D') column = Math.max(0, column - count);
    else if (letter === 'G') column = count - 1;
    else if (letter === 'J') {
      rows.length = Math.min(rows.length, row + 1);
      rows[row]?.splice(column);
    } else if (letter === 'K') rows[row]?.splice(argument === '2' ? 0 : column);
    else if (letter !== 'm' && letter !== 'h' && letter !== 'l')
      throw new Error(`unknown code ${JSON.stringify(code)}`);
  };
  const text = (): string =>
    Array.from(rows, (line = []) =>
      Array.from(line, (character) => character ?? ' ')
        .join('')
        .trimEnd(),
    ).join('\n');
  out.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk;

    for (const [piece] of chunk.matchAll(/\u001b\[[?\d;]*[A-Za-z]|[^]/gu)) {
      if (piece.length > 1 && piece.startsWith('\u001b')) obey(piece);
      else if (piece === '\n') {
        row += 1;
        column = 0;
        rows[row] ??= [];
      } else if (piece === '\r') column = 0;
      else put(piece);
    }
  });
  return {
    stdin,
    out,
    async type(script, ended) {
      const screens: string[] = [];
      for (const [appears, typed] of script) {
        const until = performance.now() + WAIT_MS;
        while (!written.slice(seen).includes(appears)) {
          if (ended.aborted) return screens;
          if (performance.now() > until) throw new Error(`${appears} has not appeared in:\n${written.slice(seen)}`);
          await new Promise((done) => setTimeout(done, 5));
        }
        // What belongs to it is written at the same moment.
        await new Promise((done) => setTimeout(done, 5));
        seen = written.length;
        screens.push(text());
        stdin.write(typed);
      }
      return screens;
    },
    text,
    raw: () => written,
  };
}
