/**
 * Where a conversation's own record ended when we saw the conversation first. What lies before is from a time without us,
 * or copied from another conversation, and must not be captured as if it were new.
 */
import { inside } from '../fs/path.ts';
import { createExclusive } from '../fs/exclusive.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import type { ConversationFolder } from './conversation-folder.ts';
import type { Origin, TranscriptPosition } from './record.ts';

export interface FirstSeen extends Origin {
  readonly harness: string;
  readonly nativeId: string;
  readonly subagentId?: string;
  readonly transcriptPath?: string;
  readonly cwd: string;
  /** `start`: the record did not exist yet. `prompt`: it begins with a copy, what is new begins with the first prompt. */
  readonly from: 'start' | 'prompt' | TranscriptPosition;
}

/** Keeps the first note of all. The conversation's folder must exist. */
export function noteFirstSeen(conversation: ConversationFolder, seen: () => FirstSeen): void {
  const path = pathOf(conversation);
  if (readJsonObject(path) === undefined) createExclusive(path, JSON.stringify(seen()));
}

/** Replaces the note. */
export function replaceFirstSeen(conversation: ConversationFolder, seen: FirstSeen): void {
  writeFileAtomic(pathOf(conversation), JSON.stringify(seen));
}

/** Undefined for a conversation whose start we did not see. */
export function firstSeen(conversation: ConversationFolder): FirstSeen | undefined {
  const value = readJsonObject(pathOf(conversation)) as Partial<FirstSeen> | undefined;
  return typeof value?.nativeId === 'string' && value.from !== undefined ? (value as FirstSeen) : undefined;
}

function pathOf({ folder }: ConversationFolder): string {
  return inside(folder, 'first-seen.json');
}
