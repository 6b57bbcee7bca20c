/**
 * Whether what stands beside a name is a secret: a password may be almost anything, so the ways in which it is written decide
 * how strict the look is. What is let through here is stored for good; what is taken wrongly makes memory worthless.
 */
import type { Family } from './promising-name.ts';
import { isLocation, isPlaceholder, looksRandom } from './secret-values.ts';

type Style =
  /** A string literal behind an assignment. */
  | 'quoted'
  /** A string literal in a list: often just another name. */
  | 'listed'
  /** `NAME=value` in capitals. */
  | 'environment'
  /** `name=value`, `--name value`. */
  | 'tight'
  /** `name: value`, `name = value`: as often code as a value. */
  | 'loose'
  /** In a sentence. */
  | 'said';

/** Whether a value of this kind of name, which stands there in this way, is one to keep secret. */
export function isSecret(family: Family, value: string, style: Style, shouted: boolean): boolean {
  if (isPlaceholder(value)) return false;
  if (/\s/.test(value)) return family === 'password' && style === 'quoted' && isSpaced(value);
  const digit = /[0-9]/.test(value);
  const letter = /[A-Za-z]/.test(value);
  const special = /[!@#$%^&*~+?]/.test(value);
  if (family === 'password') {
    if (isLocation(value) || value.length < 4) return false;
    if (/pass|пароль|密码/i.test(value) && !digit && !special) return false;
    if (style === 'quoted' || style === 'environment') return true;
    if (style === 'tight') return value.length >= 6 ? digit || special : digit && letter;
    if (!letter) return digit && style === 'said';
    return value.length >= 6 && ((digit && !/^[A-Z][a-z]+[0-9]$/.test(value)) || special);
  }
  if (isLocation(value)) return false;
  if (family === 'secret') {
    if (style === 'environment' && shouted) return value.length >= 6 && (digit || value.length >= 10);
    if (style === 'quoted')
      return value.length >= 8 && ((digit && letter && !isNameLike(value)) || looksRandom(value, 12));
    if (style === 'tight') return value.length >= 8 && digit && letter && !isNameLike(value);
    return looksRandom(value, 12);
  }
  if (style === 'environment' && shouted) return value.length >= 8 && digit && letter && !isNameLike(value);
  return looksRandom(value, style === 'quoted' ? 16 : 20);
}

/** Words of a message about passwords, or of a label. */
const OF_MESSAGES =
  /^(?:an?|the|is|are|be|to|of|for|in|on|at|or|and|not|no|must|should|can(?:not)?|your|my|new|old|with|from|than|least|too|please|enter|passw(?:or)?[dt]s?|characters?|digits?|step|page|min|max|de|el|la|le|und|der|die|das)$/i;

/** A password of few words, one of which is built like one; messages are not. */
function isSpaced(value: string): boolean {
  const words = value.split(' ');
  return (
    value.length <= 64 &&
    words.length <= 5 &&
    /[A-Za-z]/.test(value) &&
    /[0-9!@#$%^&*~+]/.test(value) &&
    /^[!-~]+(?: [!-~]+)*$/.test(value) &&
    !/[.:?,]$|[(){}<>=[\]]/.test(value) &&
    !words.some((word) => OF_MESSAGES.test(word))
  );
}

/** `api-v2`, `oauth2_client`, `Key1`: words with a number. */
export function isNameLike(value: string): boolean {
  return (
    /^[A-Za-z]+(?:[_.:/-][A-Za-z]+)*[_.:/-]?v?[0-9]{0,2}$/.test(value) ||
    /^[A-Za-z]+[0-9][a-z]*(?:[_.-][A-Za-z]+)+$/.test(value)
  );
}
