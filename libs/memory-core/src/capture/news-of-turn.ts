/**
 * What of a turn is not captured yet. A turn may be noted again while it goes on, and end more than once: without this the
 * same words would be stored again, or what came after the first end would be lost.
 */
import type { MessagePart } from '../contract/message.ts';
import { shortHash } from '../session/short-hash.ts';
import { heardEntry, isHeard, type PendingPrompt } from '../spool/journal.ts';
import type { CaptureCursor } from '../spool/record.ts';
import type { AssembledTurn } from './assemble.ts';
import type { TurnContent } from './messages.ts';

/** What the cursor remembers of the turn that was captured last. */
export function lastOf(
  turnId: string,
  before: CaptureCursor['last'],
  parts: readonly MessagePart[],
  notes: readonly PendingPrompt[],
): NonNullable<CaptureCursor['last']> {
  const same = before?.turnId === turnId ? before : undefined;
  const part = parts.findLast(({ type }) => type === 'text');
  const text = part?.type === 'text' ? textKey(part.text) : (same?.text ?? '');
  return { turnId, text, typed: [...(same?.typed ?? []), ...notes.map(heardEntry)] };
}

function textKey(text: string): string {
  return shortHash(text.trim(), 12);
}

/**
 * What came after the captured end of a turn: another program's hook may have sent the model on, and the same turn ends a
 * second time. Without that end in sight only the newest text counts, for all else may have been captured.
 */
export function continuation(
  { last }: CaptureCursor,
  turnId: string,
  parts: readonly MessagePart[],
  hasEnded: boolean,
): readonly MessagePart[] {
  if (!hasEnded || last?.turnId !== turnId) return [];
  const isLast = (part: MessagePart): boolean => part.type === 'text' && textKey(part.text) === last.text;
  const end = parts.findLastIndex(isLast);
  if (end !== -1) return parts.slice(end + 1).some(({ type }) => type === 'text') ? parts.slice(end + 1) : [];
  const newest = parts.findLast(({ type }) => type === 'text');
  return newest === undefined ? [] : [newest];
}

/**
 * Notes of a turn that are not captured. A turn may be noted again after it was captured: the user added something while it
 * went on. What was captured of it a moment ago, and not dropped any more, is told by what was typed, and when.
 */
export function unheard(
  { turnId, prompt }: AssembledTurn,
  { last }: CaptureCursor,
  isCaptured: boolean,
): PendingPrompt[] {
  if (prompt === undefined) return [];
  const notes = [prompt, ...(prompt.remarks ?? [])];
  if (!isCaptured) return notes;
  const heard = last?.turnId === turnId ? last.typed : undefined;
  return heard === undefined ? [] : notes.filter((note) => !isHeard(note, heard));
}

export function userSide(
  { prompt, transcript }: AssembledTurn,
  notes: readonly PendingPrompt[],
  isCaptured: boolean,
  now: string,
): TurnContent['user'] {
  const [first] = notes;
  if (first !== undefined) {
    const text = notes
      .map((note) => note.text)
      .join('\n\n')
      .trim();
    return { text, sanitised: true, unsearched: notes.some((note) => note.unsearched), at: first.at };
  }
  if (isCaptured || prompt !== undefined) return undefined;
  const text = transcript?.userText;
  return text === undefined ? undefined : { text, sanitised: false, at: transcript?.startedAt ?? now };
}
