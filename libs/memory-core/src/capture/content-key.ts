/**
 * Knows a prompt again by what it says, where the client's record numbers no turns. Apart from the matching itself, because
 * the prompt hook only makes the key.
 */
import type { MessagePart } from '../contract/message.ts';
import { shortHash } from '../session/short-hash.ts';
import { cleanText, type HostMarks } from './clean.ts';

/** How much of a prompt is looked at, in UTF-16 units; only half of that counts, so that blanks cut off make no difference. */
const LOOKED_AT = 8_192;
const KEY_LENGTH = 8;

/** The same for a prompt as a hook gets it and as the client's record repeats it: without what the host adds, and without blanks. */
export function contentKey(text: string, marks: HostMarks): string {
  const clean = cleanText(text.trim().slice(0, LOOKED_AT), marks).replace(/\s+/g, '');
  return shortHash(clean.slice(0, LOOKED_AT / 2), KEY_LENGTH);
}

/** Key of an answer's end, as a host may tell it and its record repeats it; empty where nothing was said. */
export function answered(parts: readonly MessagePart[]): { readonly answer?: string } {
  const last = parts.findLast((part) => part.type === 'text');
  return last === undefined ? {} : { answer: shortHash(last.text.trim(), KEY_LENGTH) };
}
