/**
 * A first look that settles most texts: without a word or a beginning by which secrets are known, nothing that finds secrets
 * is loaded or run, which would cost a hook more than all else that it does. It is no grammar of its own: every step of
 * `secrets.ts` is open only where one of the tables shared with it says so, and any of them raises suspicion.
 */
import { DEEPEST } from './deep.ts';
import { FORMAT_RUN, FORMAT_RUNS, formatStarts, SHAPE_ANCHORS, SHAPE_RUN, startGroups } from './format-starts.ts';
import {
  DISGUISE,
  endOfName,
  lowerCase,
  NAME_WORDS,
  OPTION,
  OPTION_TRACES,
  PARAMETER,
  PASSWORD_PARAMETER,
  PLACE_SIGNS,
  PLACE_TRACES,
  qualifierOfKey,
  SHORT_NAME,
  STEP_WORDS,
  USER_INFO,
} from './secret-words.ts';

/** Many words hold this one: where it does not occur, none of them has to be looked for. */
const STEM = 'pass';

interface Words {
  readonly withStem: readonly string[];
  readonly others: readonly string[];
}

function split(words: readonly string[]): Words {
  return {
    withStem: words.filter((word) => word.includes(STEM)),
    others: words.filter((word) => !word.includes(STEM)),
  };
}

/** Words of which one is enough, wherever it stands. */
const ALWAYS = split([...Object.values(STEP_WORDS).flat(), ...PLACE_TRACES]);
const NAMES = split(NAME_WORDS);

/** So long a text nearly always shows a trace: to search it twice would take longer, in UTF-16 units. */
const LONG = 20_000;

/** Made at first use, as those that few texts need. */
let anchors: RegExp | undefined;
let parameters: RegExp | undefined;

/** False where no step of the search would find a secret in `text`. */
export function mayHoldSecret(text: string): boolean {
  if (text.length > LONG) return true;
  const lower = lowerCase(text);
  const has = (word: string): boolean => lower.includes(word);
  const hasStem = has(STEM);
  return (
    ALWAYS.others.some(has) ||
    (hasStem && ALWAYS.withStem.some(has)) ||
    (OPTION.test(text) && OPTION_TRACES.some(has)) ||
    NAMES.others.some((word) => isNamed(text, lower, word)) ||
    (hasStem && NAMES.withStem.some((word) => isNamed(text, lower, word))) ||
    (has('pw') && SHORT_NAME.test(text)) ||
    Object.values(PLACE_SIGNS).some(({ of, sign }) => has(of) && sign.test(text)) ||
    (/[?&]/.test(text) && (parameters ??= new RegExp(`${PARAMETER}|${PASSWORD_PARAMETER}`, 'i')).test(text)) ||
    (text.includes('@') && USER_INFO.test(text)) ||
    DISGUISE.test(text) ||
    (FORMAT_RUN.test(text) && hasFormat(text))
  );
}

/**
 * The same for a JSON value: every string, keys included. What is redacted for the name beside it has a name that is
 * suspicious by itself. So is what is nested too deeply to be looked through.
 */
export function mayHoldSecretDeep(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return mayHoldSecret(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= DEEPEST) return true;
  if (Array.isArray(value)) return value.some((item: unknown) => mayHoldSecretDeep(item, depth + 1));
  return Object.entries(value).some(([key, item]) => mayHoldSecret(key) || mayHoldSecretDeep(item, depth + 1));
}

/** True where `word` ends a name: `password`, `api_key_prod`, but not `tokens` or `keyboard`. */
function isNamed(text: string, lower: string, word: string): boolean {
  return places(lower, word).some(
    (at) =>
      endOfName(text, at + word.length) !== undefined &&
      (word !== 'key' || text[at - 1] === '_' || qualifierOfKey(text, at) !== undefined),
  );
}

/** True where a format begins and goes on for as long as such a secret does. */
function hasFormat(text: string): boolean {
  // Nearly all of a text is blanks and short words: what is left of it is searched in no time.
  const runs = text.match(FORMAT_RUNS)?.join(' ') ?? '';
  anchors ??= new RegExp(Object.values(SHAPE_ANCHORS).join('|'));
  if (SHAPE_RUN.test(runs) && anchors.test(runs)) return true;
  // One search after the other: hundreds of alternatives in one expression take thirty times as long.
  if (!formatStarts().some((start) => runs.includes(start))) return false;
  return startGroups().some(({ shortest, starts }) =>
    starts.some((start) => places(runs, start).some((at) => isRun(runs, at, shortest))),
  );
}

/** True where `length` visible ASCII characters stand in a row. */
function isRun(text: string, at: number, length: number): boolean {
  const end = text.indexOf(' ', at);
  return (end === -1 ? text.length : end) - at >= length;
}

/** Where `word` stands in `text`. */
function places(text: string, word: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) found.push(at);
  return found;
}
