/**
 * Dead letters: messages that the server will never take, and records that cannot be read any more. They wait for a person,
 * who reads them, sends them once more after the cause has gone, or throws them away.
 */
import { join } from 'node:path';
import type { Message } from '../contract/message.ts';
import { ensureOwnFolder } from '../fs/folder.ts';
import { readOwn } from '../fs/read-own.ts';
import { removeQuietly, writeFileAtomic } from '../fs/write-atomic.ts';
import { shortHash } from '../session/short-hash.ts';
import type { Conversation } from './conversation.ts';
import { listNames } from './conversation-folder.ts';
import { capturedSides, withCaptured, type CommitIntent, type Origin, type SpoolRecord } from './record.ts';

/** Why it is one: what the server said, or status 0 and `EXPIRED` for one that waited too long. */
export interface DeadReason {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface DeadLetter {
  readonly reason: DeadReason;
  /** ISO 8601. */
  readonly at: string;
  readonly message: Message;
  /** What of the record is needed to send the message again. */
  readonly origin?: Origin & {
    readonly harness: string;
    readonly nativeId: string;
    readonly commit?: CommitIntent;
  };
}

/** Names without extension, in the order of the conversation: `<record>-<message>`, or `<record>-unreadable`. */
export function deadLetterNames(conversation: Conversation): string[] {
  return listNames(conversation.dead)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}

/** Makes a dead letter of the message with this number in a record, or in the append that begins with that record. */
export function buryMessage(
  conversation: Conversation,
  record: SpoolRecord | number,
  index: number,
  message: Message,
  reason: DeadReason,
): void {
  ensureOwnFolder(conversation.dead);
  const [seq, origin] = typeof record === 'number' ? [record, undefined] : [record.seq, originOf(record)];
  const letter: DeadLetter = {
    reason,
    at: new Date().toISOString(),
    message,
    ...(origin === undefined ? {} : { origin }),
  };
  const path = deadLetterPath(conversation, `${String(seq).padStart(12, '0')}-${index}`);
  writeFileAtomic(path, JSON.stringify(letter), { durable: true });
}

function originOf({ harness, nativeId, peer, environment, commit }: SpoolRecord): NonNullable<DeadLetter['origin']> {
  return {
    harness,
    nativeId,
    peer,
    environment,
    ...(commit === undefined ? {} : { commit }),
  };
}

/** Number of dead letters. */
export function deadLetters(conversation: Conversation): number {
  return deadLetterNames(conversation).length;
}

/** Undefined when there is none of that name, or when it is a damaged record. */
export function readDeadLetter(conversation: Conversation, name: string): DeadLetter | undefined {
  try {
    const value = JSON.parse(readOwn(deadLetterPath(conversation, name))) as Partial<DeadLetter> | null;
    const role = value?.message?.role;
    return role === 'user' || role === 'assistant' ? (value as DeadLetter) : undefined;
  } catch {
    return undefined;
  }
}

export function deadLetterPath(conversation: Conversation, name: string): string {
  return join(conversation.dead, `${name}.json`);
}

/**
 * Puts a dead letter at the end of the conversation's queue. `unreadable`: it is a damaged record and stays where it is;
 * `missing`: there is none of that name.
 *
 * The new record's cursor says that this letter is in the queue, the same way as it says which turns are captured: after a
 * kill between the record and the removal of the letter the next call finds that it has been done.
 */
export async function requeueDead(
  conversation: Conversation,
  name: string,
): Promise<'requeued' | 'unreadable' | 'missing'> {
  if (!deadLetterNames(conversation).includes(name)) return 'missing';
  const letter = readDeadLetter(conversation, name);
  if (letter === undefined) return 'unreadable';
  const key = shortHash(`dead letter ${name}`, 12);
  await conversation.append((cursor): Omit<SpoolRecord, 'version' | 'seq' | 'session'> | undefined =>
    capturedSides(cursor, key).user
      ? undefined
      : {
          harness: '',
          nativeId: conversation.session,
          ...letter.origin,
          createdAt: letter.at,
          messages: [letter.message],
          cursor: withCaptured(cursor, key, { user: true, assistant: false }),
        },
  );
  removeQuietly(deadLetterPath(conversation, name));
  return 'requeued';
}
