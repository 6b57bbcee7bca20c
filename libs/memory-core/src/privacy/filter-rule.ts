/**
 * Reads one filter rule as a user writes it: `s/pattern/replacement/flags`, `d/pattern/flags`, `k/pattern/flags`, with
 * any punctuation for `/` and an optional `user:` or `assistant:` before it. Strict: a rule with a slip in it is refused
 * with a reason, because a filter that silently does nothing leaks what it should hide.
 */
import { OpenVikingError } from '../errors/error.ts';

export interface FilterRule {
  /** Replace, drop the text on a match, keep it only on a match. */
  readonly action: 'replace' | 'drop' | 'keep';
  readonly role?: 'user' | 'assistant';
  /** As written, without the escapes of the delimiter that a pattern does not need. */
  readonly pattern: string;
  /** What takes the place of a match, in pieces: literal text, or the number or name of a group. */
  readonly replacement: readonly ReplacementPiece[];
  readonly flags: ReadonlySet<string>;
}

export type ReplacementPiece = { readonly text: string } | { readonly group: number | string };

/** Longer patterns are no filters: they would only cost time. */
export const LONGEST_RULE = 1_000;

const ACTIONS = { s: 'replace', d: 'drop', k: 'keep' } as const;

/** Throws an `OpenVikingError` (`filters/bad-rule`) that says what is wrong with the rule. */
export function parseFilterRule(written: string): FilterRule {
  const rule = written.trim();
  if (rule.length > LONGEST_RULE) throw bad(`it is longer than ${LONGEST_RULE} characters`);
  const prefix = /^(user|assistant):/.exec(rule);
  const letter = rule.charAt(prefix?.[0].length ?? 0);
  if (letter !== 's' && letter !== 'd' && letter !== 'k') {
    throw bad('it must begin with s (replace), d (drop) or k (keep), after an optional user: or assistant:');
  }
  let position = (prefix?.[0].length ?? 0) + 1;
  const delimiter = String.fromCodePoint(rule.codePointAt(position) ?? 0);
  if (!/^[^\p{L}\p{N}\s\\\0]$/u.test(delimiter)) {
    throw bad(`after ${letter} there must be a punctuation mark that separates the parts, as in ${letter}/…/`);
  }
  position += delimiter.length;

  const pattern = readPart(rule, position, delimiter);
  if (pattern === undefined) throw bad(`the ${delimiter} that ends the pattern is missing`);
  if (pattern.content === '') throw bad('its pattern is empty');
  position = pattern.end;
  let replacement: readonly ReplacementPiece[] = [];
  if (letter === 's') {
    const part = readPart(rule, position, delimiter);
    if (part === undefined) throw bad(`the ${delimiter} that ends the replacement is missing`);
    replacement = readReplacement(part.content, delimiter);
    position = part.end;
  }
  return {
    action: ACTIONS[letter],
    ...(prefix === null ? {} : { role: prefix[1] === 'user' ? ('user' as const) : ('assistant' as const) }),
    pattern: plainDelimiters(pattern.content, delimiter),
    replacement,
    flags: readFlags(rule.slice(position), letter === 's' ? 'gimsu' : 'imsu'),
  };
}

function bad(reason: string): OpenVikingError {
  return new OpenVikingError({ code: 'filters/bad-rule', message: `This filter rule cannot be read: ${reason}.` });
}

/** Up to the next delimiter that no backslash escapes. */
function readPart(rule: string, from: number, delimiter: string): { content: string; end: number } | undefined {
  for (let index = from; index < rule.length; index += 1) {
    if (rule[index] === '\\') index += 1;
    else if (rule.startsWith(delimiter, index)) {
      return { content: rule.slice(from, index), end: index + delimiter.length };
    }
  }
  return undefined;
}

/**
 * An escaped delimiter stands for itself. RE2 reads `\|` as a literal bar and `\/` as a slash, so ASCII ones stay as they
 * are; it knows no escape of other marks.
 */
function plainDelimiters(pattern: string, delimiter: string): string {
  if (delimiter.length === 1 && delimiter.charCodeAt(0) < 128) return pattern;
  return pattern.replace(/\\([\s\S])/gu, (pair: string, escaped: string) => (escaped === delimiter ? delimiter : pair));
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** `$1`, `$<name>`, `$&` and `$$` as JavaScript has them, `\1` as sed has it, `\n`, `\t`, `\r`, `\uXXXX`. */
function readReplacement(written: string, delimiter: string): readonly ReplacementPiece[] {
  const pieces: ReplacementPiece[] = [];
  let text = '';
  const token =
    /\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})|[\\$]([0-9]{1,2})|\$<([^>]*)>|\$([&$])|\\([\s\S])|[\s\S]/gu;
  for (const match of written.matchAll(token)) {
    const [whole, long, short, number, name, special, escaped] = match;
    let piece: ReplacementPiece | undefined;
    if (long !== undefined || short !== undefined) text += codePoint(Number.parseInt(long ?? short ?? '', 16));
    else if (number !== undefined) piece = { group: Number(number) };
    else if (name !== undefined) piece = { group: name };
    else if (special === '&') piece = { group: 0 };
    else if (special === '$') text += '$';
    else if (escaped !== undefined) text += escaped === delimiter ? escaped : (ESCAPES[escaped] ?? escaped);
    else text += whole;
    if (piece !== undefined) {
      if (text !== '') pieces.push({ text });
      text = '';
      pieces.push(piece);
    }
  }
  if (text !== '') pieces.push({ text });
  return pieces;
}

function codePoint(value: number): string {
  if (value > 0x10ffff) throw bad('its replacement names a character that does not exist');
  return String.fromCodePoint(value);
}

function readFlags(written: string, allowed: string): ReadonlySet<string> {
  const flags = new Set(written);
  for (const flag of flags) {
    if (!allowed.includes(flag)) throw bad(`“${flag}” is none of its flags (${allowed})`);
  }
  if (flags.size !== written.length) throw bad('it names a flag twice');
  return flags;
}
