/**
 * That memory was switched off in a conversation, and where the client's own record ended then. The record goes on all the
 * same, and so do the events: whoever looks after the switch is back must not take what was said meanwhile for turns that
 * the hooks have missed.
 */
import { inside } from '../fs/path.ts';
import { readJsonObject } from '../fs/read-json.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import type { ConversationFolder } from './conversation-folder.ts';
import type { TranscriptPosition } from './record.ts';

export interface PassedOver {
  /** Nothing that begins a turn has found memory switched on since. */
  readonly off: boolean;
  /** When this was noted, in ms since 1970. */
  readonly at?: number;
  /** Turns that begin before it, and that nobody knows of, stay unknown. Absent: there was no record. */
  readonly until?: TranscriptPosition;
}

/** The conversation's folder must exist. */
export function notePassedOver(conversation: ConversationFolder, passed: PassedOver): void {
  writeFileAtomic(pathOf(conversation), JSON.stringify(passed), { durable: true });
}

/** Undefined for a conversation in which memory was never switched off. */
export function passedOver(conversation: ConversationFolder): PassedOver | undefined {
  const value = readJsonObject(pathOf(conversation)) as Partial<PassedOver> | undefined;
  return typeof value?.off === 'boolean' ? (value as PassedOver) : undefined;
}

function pathOf({ folder }: ConversationFolder): string {
  return inside(folder, 'passed-over.json');
}
