/**
 * Cuts a context to what the client shows its model whole. Over the limit the model gets a file name instead of the memory,
 * and a cut in the middle of the envelope would make it read everything that follows as recalled text.
 */

const CUT_MARK = '\n… (cut to fit this client)\n';
const CLOSING_TAG = /<\/openviking-context>\s*$/;

/**
 * `text`, or the longest beginning of it that fits `limit` UTF-16 code units together with a mark, never cut inside a
 * character and with the envelope's closing tag kept.
 */
export function fittedText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const tail = CUT_MARK + (CLOSING_TAG.test(text) ? '</openviking-context>' : '');
  let end = Math.max(0, limit - tail.length);
  // Between the halves of a surrogate pair there is no place to cut.
  if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(end))) end -= 1;
  const body = text.replace(CLOSING_TAG, '');
  return body.slice(0, end).trimEnd() + tail;
}
