/** A turn as capture leaves it in the spool, for tests of what becomes of it there. */
import type { Message } from '../src/contract/message.ts';
import { turnKey } from '../src/spool/journal.ts';
import { withCaptured, type CaptureCursor, type SpoolRecord } from '../src/spool/record.ts';

const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** A record before the spool has given it its number. */
export type CapturedTurn = Omit<SpoolRecord, 'version' | 'seq' | 'session'>;

/** One side of the turn `turnId`; it says its id where nothing else is given. */
export function messageOf(role: Message['role'], turnId: string, text = turnId): Message {
  return { role, parts: [{ type: 'text', text }], turn_id: turnId, created_at: CREATED_AT };
}

/** Captured are those sides of the turn that have a message. */
export function capturedTurn(
  cursor: CaptureCursor,
  turnId: string,
  messages: readonly Message[],
  more: Partial<CapturedTurn> = {},
): CapturedTurn {
  const has = (side: Message['role']): boolean => messages.some(({ role }) => role === side);
  return {
    harness: 'one',
    nativeId: 'one',
    createdAt: CREATED_AT,
    messages: [...messages],
    cursor: withCaptured(cursor, turnKey(turnId), { user: has('user'), assistant: has('assistant') }),
    ...more,
  };
}
