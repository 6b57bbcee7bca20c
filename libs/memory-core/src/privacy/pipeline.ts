/**
 * The one order in which a text is made fit to rest on disk and to leave the machine, at a prompt as at capture: injected
 * blocks out, `<private>` out, secrets out, then the user's own filters. One place, so that no path forgets a step.
 */
import { cleanText } from '../capture/clean.ts';
import type { HostMarks } from '../capture/clean.ts';
import { mapStrings } from './deep.ts';
import { stripPrivate, stripPrivateDeep } from './private-tags.ts';
import type { OpenBlocks } from './private-tags.ts';
import { redactDeep, redactSecrets, type JsonMembers } from './redact.ts';
import type { Filters, Role } from './filters-load.ts';

export interface SanitiseOptions extends HostMarks {
  readonly role: Role;
  /** The `redactSecrets` setting. */
  readonly redact: boolean;
  readonly filters?: Filters | undefined;
  /** Private blocks that reach from one text of the message into the next; absent where there is but one text. */
  readonly open?: OpenBlocks;
}

/** What holds for a whole conversation; the role differs from text to text. */
export type SanitiseRules = Omit<SanitiseOptions, 'role' | 'open'>;

/** The text as it may be kept; undefined when a filter drops it. */
export function sanitise(text: string, options: SanitiseOptions): string | undefined {
  let result = stripPrivate(cleanText(text, options), options.open);
  if (options.redact) result = redactSecrets(result);
  const filtered = options.filters === undefined ? result : options.filters.apply(options.role, result);
  return filtered?.trim();
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
