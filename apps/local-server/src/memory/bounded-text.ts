/** Text fit to be stored and shown: cut on code points, never between the halves of an emoji, free of NUL. */

/** `text` cut to at most `limit` code points; what was cut off is marked with an ellipsis, within the limit. */
export function boundedText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = [...text];
  if (characters.length <= limit) return text;
  return `${characters.slice(0, Math.max(0, limit - 1)).join('')}…`;
}

/** SQLite ends a text at NUL and refuses lone surrogates: the first becomes nothing, the second U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The first line with something on it, without Markdown heading marks, cut to `limit` code points. */
export function firstLine(text: string, limit: number): string {
  const line = text.split(/\r?\n/).find((candidate) => candidate.trim() !== '') ?? '';
  return boundedText(
    line
      .replace(/^[#>*\-\s]+/, '')
      .replace(/\s+/g, ' ')
      .trim(),
    limit,
  );
}

/** The first sentence, cut to `limit` code points. */
export function firstSentence(text: string, limit: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const end = /[.!?](?=\s|$)|[。！？]/u.exec(flat);
  return boundedText(end === null ? flat : flat.slice(0, end.index + end[0].length), limit);
}
