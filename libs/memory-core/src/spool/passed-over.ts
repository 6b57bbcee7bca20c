/**
 * Where a conversation's own record ended while memory was switched off in it. The record goes on all the same: whoever reads
 * it after the switch is back must not take what was said meanwhile for turns that the hooks have missed.
 */
import { join } from 'node:path';
import { readJsonObject } from '../fs/read-json.ts';
import { writeFileAtomic } from '../fs/write-atomic.ts';
import type { ConversationFolder } from './conversation-folder.ts';
import type { TranscriptPosition } from './record.ts';

export interface PassedOver {
  /** No hook has seen memory switched on since. */
  readonly off: boolean;
  /** Turns that begin before it, and that nobody knows of, stay unknown. */
  readonly until: TranscriptPosition;
}

/** The conversation's folder must exist. */
export function notePassedOver(conversation: ConversationFolder, passed: PassedOver): void {
  writeFileAtomic(pathOf(conversation), JSON.stringify(passed), { durable: true });
}

/** Undefined for a conversation in which memory was never switched off. */
export function passedOver(conversation: ConversationFolder): PassedOver | undefined {
  const value = readJsonObject(pathOf(conversation)) as Partial<PassedOver> | undefined;
  return typeof value?.until?.offset === 'number' ? (value as PassedOver) : undefined;
}

function pathOf({ folder }: ConversationFolder): string {
  return join(folder, 'passed-over.json');
}
