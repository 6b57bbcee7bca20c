/**
 * The terminal as the prompt library may write to it. The library colours everything whatever `NO_COLOR` says, and for an
 * empty choice it has an English word that nobody can change.
 */
import { Writable } from 'node:stream';
import type { TerminalOptions } from '../cli/terminal.ts';

type Output = TerminalOptions['out'];

/** Codes of colour and weight; those that move the cursor stay. */

const STYLES = /\u001b\[[\d;]*m/g;
/** The library's word for "nothing was chosen", alone behind the bar of its list. */

const NOTHING = /(?<=│(?:\u001b\[\d+m)* {2}(?:\u001b\[\d+m)*)none(?=(?:\u001b\[\d+m)*(?:\n|$))/g;

/** What is written to it has reached the terminal before the call returns: other lines must not overtake it. */
export function drawnOutput(terminal: Output, colours: boolean): Output {
  const drawn = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, written) {
      const text = chunk.toString().replace(NOTHING, '–');
      terminal.write(colours ? text : text.replace(STYLES, ''));
      written();
    },
  });
  return Object.defineProperties(drawn, {
    isTTY: { get: () => terminal.isTTY },
    columns: { get: () => terminal.columns },
    rows: { get: () => (terminal as { readonly rows?: number }).rows },
  });
}
