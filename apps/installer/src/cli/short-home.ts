/**
 * The home folder as `~` in what people read. On every platform: a rule that knows one separator shows nothing shortened on the
 * other, and one that knows no boundary makes `~` of half a name.
 */

/** `text` with each path in or below `home` shortened; one that ends with the home itself only at the end of the text. */
export function shortHome(text: string, home: string): string {
  const folder = home.replace(/[\\/]+$/, '');
  if (folder === '') return text;
  const literal = folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(new RegExp(`(?<![\\w.\\\\/-])${literal}(?=[\\\\/]|$)`, 'g'), '~');
}
