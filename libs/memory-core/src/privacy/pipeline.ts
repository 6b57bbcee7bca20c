/**
 * The one order in which a text is made fit to rest on disk and to leave the machine, at a prompt as at capture: injected
 * blocks out, `<private>` out, secrets out, then the user's own filters. One place, so that no path forgets a step.
 */
import { boundText } from '../capture/bound.ts';
import { cleanText } from '../capture/clean.ts';
import type { HostMarks } from '../capture/clean.ts';
import { mapStrings } from './deep.ts';
import { stripPrivate, stripPrivateDeep } from './private-tags.ts';
import type { OpenBlocks } from './private-tags.ts';
import { endsInKey, redactDeep, redactSecrets, type JsonMembers } from './redact.ts';
import type { Filters, Role } from './filters-load.ts';

/** What reaches from one text of a message into the next. Begin a message with `{ depth: 0 }`. */
export interface OpenPassages extends OpenBlocks {
  /** True where the text before may have ended inside a private key. */
  key?: boolean;
}

export interface SanitiseOptions extends HostMarks {
  readonly role: Role;
  /** The `redactSecrets` setting. */
  readonly redact: boolean;
  readonly filters?: Filters | undefined;
  /** Absent where a message has but one text. */
  readonly open?: OpenPassages;
}

/** What holds for a whole conversation; the role differs from text to text. */
export type SanitiseRules = Omit<SanitiseOptions, 'role' | 'open'>;

/** The text as it may be kept; undefined when a filter drops it. */
export function sanitise(text: string, options: SanitiseOptions): string | undefined {
  const { open } = options;
  let result = stripPrivate(cleanText(text, options), open);
  if (options.redact) {
    result = redactSecrets(result, open?.key);
    if (open !== undefined) open.key = endsInKey(result);
  }
  const filtered = options.filters === undefined ? result : options.filters.apply(options.role, result);
  return filtered?.trim();
}

/** So much before and behind the place where a text is cut off is searched for secrets that lie across it, in UTF-16 units. */
const CUT_REACH = 4_096;

/**
 * As much of `text` as is needed to keep `maxChars` of it, fit to be kept. Private blocks are taken out of the whole before
 * it is cut off: one may begin before that place and end behind it, or its tag may lie across, and those that stay open go
 * on in the next text. Half a secret would not be recognised any more, nor one whose name is cut off: what lies around the
 * place is redacted before.
 */
export function sanitiseBeginning(text: string, maxChars: number, options: SanitiseOptions): string | undefined {
  const { length } = boundText(text, maxChars);
  if (length === text.length) return sanitise(text, options);
  const { open = { depth: 0 }, ...rest } = options;
  const whole = stripPrivate(text, open);
  const end = boundText(whole, maxChars).length;
  let beginning = whole.slice(0, end);
  if (options.redact && end < whole.length) {
    const from = Math.max(0, end - CUT_REACH);
    const around = redactSecrets(whole.slice(from, end + CUT_REACH), from === 0 && open.key);
    // Where the slice itself cuts the text off, its last part may be half a secret, too, and goes.
    const sure = end + CUT_REACH < whole.length ? around.length - CUT_REACH / 2 : around.length;
    beginning = whole.slice(0, from) + around.slice(0, Math.max(0, Math.min(end - from, sure)));
  }
  // Of its blocks nothing is left to be read again.
  const passages: OpenPassages = { depth: 0, key: open.key === true };
  const result = sanitise(beginning, { ...rest, open: passages });
  open.key = passages.key === true;
  return result;
}

/**
 * The same for a JSON object such as a tool's input: every string and key; filters see no keys. A string that a filter
 * drops becomes empty, as the call itself stays part of the conversation.
 */
export function sanitiseDeep(value: JsonMembers, options: SanitiseOptions): JsonMembers {
  let result = stripPrivateDeep(
    mapStrings(value, (text) => keepBlanks(text, cleanText(text, options))),
    options.open,
  );
  if (options.redact) result = redactDeep(result);
  const filters = options.filters;
  if (filters === undefined) return result;
  return mapStrings(result, (text) => (text === '' ? '' : (filters.apply(options.role, text) ?? '')), 'keep');
}

/** Tool inputs are data: where nothing was removed but blanks at the ends, those blanks belong to it. */
function keepBlanks(before: string, after: string): string {
  return before.trim() === after ? before : after;
}
