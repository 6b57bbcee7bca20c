/**
 * Says whether a conversation is to be left alone: no recall, no capture. The patterns may come from a repository, so
 * matching is a bit-parallel automaton that no pattern can slow down.
 */

export interface BypassQuestion {
  /** Globs: `*` stays within one path segment, `**` crosses segments, anything else is itself. */
  readonly patterns: readonly string[];
  readonly sessionId: string;
  readonly cwd: string;
  /** What a leading `~/` stands for. */
  readonly home: string;
}

/** So many characters of patterns are held against names, in all: nobody writes more, and they would slow every hook down. */
const MOST_CHARACTERS = 8_000;

/**
 * True when a pattern matches the whole session id or the whole working directory. `dir/**` includes `dir` itself. Of too
 * many patterns any might match: then, too.
 */
export function isBypassed(question: BypassQuestion): boolean {
  const cwd = slashed(question.cwd).replace(/(?<=.)\/+$/, '');
  let characters = 0;
  const matches = (pattern: string, text: string): boolean => {
    if (!mayMatch(pattern, text)) return false;
    characters += pattern.length;
    return characters > MOST_CHARACTERS || matchesGlob(pattern, text);
  };
  for (const written of new Set(question.patterns)) {
    let pattern = slashed(written.trim());
    if (pattern === '') continue;
    if (pattern === '~' || pattern.startsWith('~/')) {
      pattern = slashed(question.home) + pattern.slice(1);
    }
    if (matches(pattern, question.sessionId) || matches(pattern, cwd)) return true;
    if ((pattern.endsWith('/**') || pattern.endsWith('/')) && matches(pattern, `${cwd}/`)) return true;
  }
  return false;
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

/** False where what stands between the stars is not in the text, in this order: nearly always, and found out at once. */
function mayMatch(pattern: string, text: string): boolean {
  const pieces = pattern.split(/\*+/);
  const [head = ''] = pieces;
  const tail = pieces.at(-1) ?? '';
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  let from = 0;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return true;
}

/** Bit `n` of the state: the first `n` tokens have matched what was read so far. */
function matchesGlob(pattern: string, text: string): boolean {
  const tokens = pattern.match(/\*+|[^*]/gs) ?? [];
  const literal = new Map<string, bigint>();
  let anywhere = 0n;
  let inSegment = 0n;
  tokens.forEach((token, index) => {
    const bit = 1n << BigInt(index);
    if (token === '*') inSegment |= bit;
    else if (token.startsWith('*')) anywhere |= bit;
    else literal.set(token, (literal.get(token) ?? 0n) | bit);
  });
  const wild = anywhere | inSegment;
  const accepted = 1n << BigInt(tokens.length);
  let state = 1n;
  state |= (state & wild) << 1n;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text[index] ?? '';
    const stay = unit === '/' ? anywhere : wild;
    state = ((state & (literal.get(unit) ?? 0n)) << 1n) | (state & stay);
    if (state === 0n) return false;
    state |= (state & wild) << 1n;
  }
  return (state & accepted) !== 0n;
}
