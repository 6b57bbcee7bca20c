/**
 * The hook's half of reading commented JSON: blank out comments and trailing commas, and let the engine parse the rest.
 * It only says that a text is broken; where, is worked out by `jsonc.ts`, for those who show it to people.
 */
export type TolerantJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

// Texts are matched first so that nothing inside them counts; an unclosed text or comment runs to the end at once, which
// keeps the search linear, and then fails to parse. For the same reason no look-behind: it would be tried everywhere.
const TEXT_OR_COMMENT = /"(?:[^"\\]|\\[^])*(?:"|$)|\/\/[^\n\r]*|\/\*[^]*?(?:\*\/|$)/g;
const TEXT_OR_LAST_COMMA = /"(?:[^"\\]|\\[^])*(?:"|$)|,(?=\s*[\]}])/g;

/** Parses JSON, with comments, trailing commas and a byte order mark allowed. Never throws. */
export function parseTolerantJson(text: string): TolerantJson {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return parse(source) ?? parse(withoutExtras(source)) ?? { ok: false };
}

function parse(source: string): TolerantJson | undefined {
  try {
    return { ok: true, value: JSON.parse(source) as unknown };
  } catch {
    return undefined;
  }
}

function withoutExtras(source: string): string {
  return source
    .replace(TEXT_OR_COMMENT, (match) =>
      match.startsWith('"') || (match.startsWith('/*') && !/^\/\*[^]*\*\/$/.test(match)) ? match : ' ',
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
