/**
 * Which names promise a secret, and how much: `db_password` always, `token` only beside what looks like one, `compass` never.
 * Without the difference either passwords get through or ordinary code is blacked out.
 */
import { qualifierOfKey } from './secret-words.ts';

/** How much a name promises: any value of a `password` is one, a `token` may be a word of a grammar. */
export type Family = 'password' | 'secret' | 'token';

/** What stands beside a value: a word that promises a secret. */
export interface Named {
  readonly family: Family;
  /** Stands in the mark. */
  readonly kind: string;
}

/** The name of which `word`, at `index`, is the last part; undefined where the word only looks like one. */
export function nameAt(text: string, index: number, word: string): Named | undefined {
  const lower = word.toLowerCase();
  if (lower > '\u007f') return { family: /[钥鑰证證牌]/.test(word) ? 'secret' : 'password', kind: zhKind(word) };
  const before = text[index - 1] ?? '';
  // A word inside a longer one counts only where a new part of the name begins: `dbPassword`, `db_password`.
  const begins =
    !/[A-Za-z]/.test(before) || (/^[A-Z]/.test(word) && /[a-z]/.test(before)) || isEscapeLetter(text, index);
  if (lower === 'key') {
    const qualifier = qualifierOfKey(text, index);
    if (qualifier === undefined) return begins && before === '_' ? { family: 'token', kind: 'key' } : undefined;
    if (/aws|amazon/i.test(text.slice(Math.max(0, index - 24), index)))
      return { family: 'secret', kind: 'aws-secret-key' };
    return { family: 'secret', kind: /api[_\-. ]?$/i.test(qualifier) ? 'api-key' : 'secret-key' };
  }
  if (lower === 'token') return { family: 'token', kind: 'token' };
  if (lower === 'secret' || lower === '_auth' || lower.startsWith('credential'))
    return { family: 'secret', kind: 'secret' };
  if (lower === 'psk' && !begins) return undefined;
  if (lower === 'pass' || lower === 'pwd') {
    // `pass` alone is many things, `db_pass` a password.
    const isPassword = /[_.-]/.test(before) || USER.test(text.slice(Math.max(0, index - 80), index));
    return begins ? { family: isPassword ? 'password' : 'secret', kind: 'password' } : undefined;
  }
  return { family: 'password', kind: 'password' };
}

function zhKind(word: string): string {
  if (/[钥鑰]/.test(word)) return 'secret-key';
  return /[证證牌]/.test(word) ? 'token' : 'password';
}

/** True when the letter before `index` belongs to an escape such as `\n`. */
function isEscapeLetter(text: string, index: number): boolean {
  return text[index - 2] === '\\' && /[nrt]/.test(text[index - 1] ?? '');
}

/** A user beside a password. */
export const USER =
  /(?:\b|\\n)(?:user(?:[ _-]?(?:name|id))?|login|uid|account|host(?:name)?|server|e?mail)\\{0,7}["']?[ \t]*[:=]/i;

/** What belongs to the name before the word, with a leading `--`, `?` or `&`. */
export function namePrefix(text: string, wordStart: number): string {
  return /(?:--?|[?&])?[\w.-]*$/.exec(text.slice(Math.max(0, wordStart - 40), wordStart))?.[0] ?? '';
}

/** A name in capitals, as variables of the environment have them. */
export function isShouted(name: string): boolean {
  return /[A-Z]/.test(name) && !/[a-z]/.test(name.replace(/^\\?[nrt](?=[A-Z])/, ''));
}
