/** Makes a path or an address fit behind the label of a choice: a line that wraps tears the list apart. */
import { displayWidth } from '../cli/display-width.ts';

/** Columns that a list of the prompt library takes for itself: bar and mark, and the codes of their colours, which it counts. */
export const LIST_FRAME = 18;

/** The text in at most `width` columns; its middle gives way, because both ends tell more. */
export function fit(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const characters = [...text];
  let head = characters.slice(0, Math.ceil(characters.length / 2));
  let tail = characters.slice(head.length);
  while (head.length + tail.length > 0 && displayWidth([...head, '…', ...tail].join('')) > width) {
    if (head.length > tail.length) head = head.slice(0, -1);
    else tail = tail.slice(1);
  }
  return [...head, '…', ...tail].join('');
}
