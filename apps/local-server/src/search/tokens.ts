/** The token estimate that clients and servers of this API share, so that a budget means the same on both sides. */

/** Estimated tokens of `text`: 1.5 for a character at or above U+3000, else a quarter; rounded up. */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (const character of text) quarters += (character.codePointAt(0) ?? 0) >= 0x3000 ? 6 : character.length;
  return Math.ceil(quarters / 4);
}
