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

/** True when a pattern matches the whole session id or the whole working directory. `dir/**` includes `dir` itself. */
export function isBypassed(question: BypassQuestion): boolean {
  const cwd = slashed(question.cwd).replace(/(?<=.)\/+$/, '');
  for (const written of new Set(question.patterns)) {
    let pattern = slashed(written.trim());
    if (pattern === '') continue;
    if (pattern === '~' || pattern.startsWith('~/')) {
      pattern = slashed(question.home) + pattern.slice(1);
    }
    if (matchesGlob(pattern, question.sessionId) || matchesGlob(pattern, cwd)) return true;
    if ((pattern.endsWith('/**') || pattern.endsWith('/')) && matchesGlob(pattern, `${cwd}/`)) return true;
  }
  return false;
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
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
