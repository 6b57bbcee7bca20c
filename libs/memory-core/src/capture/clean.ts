/**
 * Takes out of a text what nobody in the conversation said: blocks that we or the host injected. Without it, recalled
 * memories would be captured as new ones and come back stronger at every turn.
 */
import { ENVELOPE_PARTS, INJECTED_TAGS } from '../recall/envelope.ts';
import { withoutBlocks } from './blocks.ts';

/** What one host mixes into texts. */
export interface HostMarks {
  /** Tags around what the host adds, in lower case with `-` for `_`; they are removed by the same rules as ours. */
  readonly hostTags?: readonly string[] | undefined;
  /** What it adds without tags. Each must run in linear time; every match is removed. */
  readonly hostNoise?: readonly RegExp[] | undefined;
}

const OURS: ReadonlySet<string> = new Set([...INJECTED_TAGS, ...ENVELOPE_PARTS]);

/** `text` without injected blocks, host noise and NUL, as well-formed Unicode, trimmed. Linear and idempotent. */
export function cleanText(text: string, { hostTags, hostNoise }: HostMarks = {}): string {
  let result = wellFormed(text);
  if (result.includes('\0')) result = result.replaceAll('\0', '');
  result = withoutBlocks(result, hostTags === undefined ? OURS : new Set([...OURS, ...hostTags]));
  for (const noise of hostNoise ?? []) {
    result = result.replace(noise.global ? noise : new RegExp(noise.source, `${noise.flags}g`), '');
  }
  return result.trim();
}

/** Lone surrogates as U+FFFD: half a character is no valid JSON on the wire. */
function wellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed();
}
