/**
 * Reads JSON as people keep it in configuration files: comments, trailing commas and a byte order mark are blanked out,
 * and the engine parses the rest. It only says that a text is broken; where, is worked out by `json-mistake.ts`, for those
 * who show it to people.
 */
export type TolerantJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

// Texts are matched first so that nothing inside them counts; an unclosed text or comment runs to the end at once, which
// keeps the search linear, and then fails to parse. For the same reason no look-behind: it would be tried everywhere.
const TEXT_OR_COMMENT = /"(?:[^"\\]|\\[^])*(?:"|$)|\/\/[^\n\r]*|\/\*[^]*?(?:\*\/|$)/g;
const TEXT_OR_LAST_COMMA = /"(?:[^"\\]|\\[^])*(?:"|$)|,(?=\s*[\]}])/g;

/** Parses JSON, with comments, trailing commas and a byte order mark allowed. Never throws. */
export function parseTolerantJson(text: string): TolerantJson {
  const source = withoutByteOrderMark(text);
  return parse(source) ?? parse(blankExtras(source)) ?? { ok: false };
}

export function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function parse(source: string): TolerantJson | undefined {
  try {
    return { ok: true, value: JSON.parse(source) as unknown };
  } catch {
    return undefined;
  }
}

/** Blanks in place of comments and trailing commas; every other character stays where it is. An unclosed comment stays. */
export function blankExtras(source: string): string {
  return source
    .replace(TEXT_OR_COMMENT, (match) =>
      match.startsWith('"') || (match.startsWith('/*') && !/^\/\*[^]*\*\/$/.test(match))
        ? match
        : match.replace(/[^\n\r]/g, ' '),
    )
    .replace(TEXT_OR_LAST_COMMA, (match, at: number, whole: string) =>
      match === ',' && endsValue(whole, at) ? ' ' : match,
    );
}

/** Whether a value stands before this place: `[1,]` is a slip, `[,]` and `[1,,]` are mistakes. */
function endsValue(source: string, end: number): boolean {
  let at = end - 1;
  while (at > 0 && /\s/.test(source.charAt(at))) at -= 1;
  return /[\]}"\w]/.test(source.charAt(at));
}
