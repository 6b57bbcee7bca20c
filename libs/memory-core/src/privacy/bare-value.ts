/** Values without quotes behind an assignment or an option: where they end, and whether a simple word is a password here. */
import { stickyLength, type Source, type Value } from './examined-text.ts';
import { isNameLike, isSecret } from './named-secret.ts';
import { USER, type Named } from './promising-name.ts';
import { isExpression } from './secret-values.ts';

/** What stands behind `name: ` or `name=` without quotes. In JSON that is a number, or no value at all. */
export function bareAssigned(
  source: Source,
  at: number,
  named: Named,
  assigned: RegExpExecArray,
  shouted: boolean,
  prefix: string,
): Value | undefined {
  const quote = /^\\{0,7}"/.exec(assigned[1] ?? '')?.[0];
  if (quote === undefined || assigned[2] !== ':') {
    return bareValue(source, at, named, assigned[0] === '=', shouted, prefix);
  }
  const number = stickyLength(/-?[0-9]{4,40}(?![\w.])/y, source.text, at);
  return number > 0 && named.family === 'password' ? { start: at, end: at + number, quote } : undefined;
}

/** A value of one word; `tight`: nothing stands between it and the sign, as in shells and addresses. */
export function bareValue(
  source: Source,
  at: number,
  named: Named,
  tight: boolean,
  shouted: boolean,
  prefix: string,
): Value | undefined {
  const query = /[?&]/.test(prefix);
  const environment = shouted && tight && !query;
  let value = environment ? source.bare(at, 'word', '') : source.bare(at, 'code', '.:?');
  if (tight && !environment) {
    const ends = source.judged(value).search(/[&#]/);
    if (ends !== -1) value = { start: at, end: at + ends };
  }
  const judged = source.judged(value);
  const behind = source.text.charAt(value.end);
  if (/[([]/.test(behind) || isExpression(judged) || (judged.endsWith('=') && behind === '>')) return undefined;
  const style = environment ? 'environment' : tight ? 'tight' : 'loose';
  if (isSecret(named.family, judged, style, shouted)) return value;
  return named.kind === 'password' && isPlainSecret(source.text, value, judged, { at, tight, shouted, prefix, named })
    ? value
    : undefined;
}

/** So much text around a value is looked at for what shows a configuration, in UTF-16 units. */
const SURROUNDINGS = 160;

/**
 * True for a simple word that is a password by its surroundings: a line of a configuration, an option, a part of an
 * address or of a connection string. In code a simple word is a variable.
 */
function isPlainSecret(
  text: string,
  value: Value,
  judged: string,
  { at, tight, shouted, prefix, named }: { at: number; tight: boolean; shouted: boolean; prefix: string; named: Named },
): boolean {
  if (!/^[A-Z]?[a-z]{5,}(?:-[a-z]+)*[0-9]{0,4}$|^[A-Za-z0-9]*[0-9][A-Za-z0-9]*$/.test(judged) || judged.length < 6)
    return false;
  if (!isSecret('password', judged, 'quoted', false)) return false;
  const before = text.slice(Math.max(0, at - SURROUNDINGS), at);
  const behind = text.slice(value.end, value.end + SURROUNDINGS);
  const beside = `${before}\n${behind}`;
  const hasUser = USER.test(beside);
  const endsLine = /^[ \t]*(?:$|[\r\n]|\\+[nr])/.test(behind);
  if (tight) {
    if (named.family !== 'password' && !hasUser) return false;
    if (prefix.startsWith('-') || /[?&]/.test(prefix)) return /^(?:$|[\s"'&#\\])/.test(behind);
    return hasUser ? /^(?:$|[\s"'\\;,&])/.test(behind) : /^(?:$|[\s"'\\])/.test(behind);
  }
  const startsLine = /(?:^|[\r\n]|\\+[nr]|["'])[ \t]*(?:- )?[\w.-]+[ \t]*[:=][ \t]*$/.test(before);
  if (!endsLine && !/^\\{0,7}["']/.test(behind)) return false;
  if (!startsLine) return false;
  if (hasUser || (shouted && /:[ \t]+$/.test(before))) return true;
  if (named.family !== 'password') return /[0-9]/.test(judged) && /[A-Za-z]/.test(judged) && !isNameLike(judged);
  return (
    /[a-z][_.-]\w*[ \t]*[:=][ \t]*$|(?:^|[\n"']|\\+n)[ \t]*[a-z][\w.-]*:[ \t]+$/.test(before) ||
    /(?:^|[\n"']|\\+n)\[[\w .:-]{1,60}\][ \t]*(?:[\r\n]|\\+[rn])/.test(before)
  );
}
