/**
 * Cleaning takes time with the length of a text, and a paste of megabytes must not cost a hook its deadline for characters
 * that are cut off afterwards anyway.
 */

/** How much of a text is looked at, as a multiple of what is kept of it: marks may be shorter than what they replace. */
const LOOKED_AT = 4;
/** A secret is not cut in two: the bound moves back to the last blank within this many characters. */
const LONGEST_WORD = 4_096;

/** As much of `text` as has to be cleaned to keep `maxChars` of it. */
export function boundText(text: string, maxChars: number): string {
  const bound = maxChars * LOOKED_AT + LONGEST_WORD;
  if (text.length <= bound) return text;
  for (let end = bound; end > bound - LONGEST_WORD; end -= 1) {
    if (/\s/.test(text.charAt(end))) return text.slice(0, end);
  }
  return text.slice(0, bound - LONGEST_WORD);
}
