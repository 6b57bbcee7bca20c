/**
 * A message as the earlier hooks would have sent it → as ours lie in the spool. Those hooks knew less about secrets, so what
 * they kept is looked through before it rests on the disk a second time.
 */
import { createHash } from 'node:crypto';
import { isObject, redactDeep } from '@openviking/memory-core/full';
import type { Message, MessagePart } from '@openviking/memory-core/full';
import type { OldEntry } from './old-queue.ts';

/** Undefined for a request that holds no message. Pure. */
export function messageOf({ payload, createdAt, identity }: OldEntry): Message | undefined {
  const { role, content, parts, turn_id: turnId, created_at: at, peer_id: peer } = payload;
  if (role !== 'user' && role !== 'assistant') return undefined;
  const kept = Array.isArray(parts) && parts.length > 0 ? parts.filter(isObject) : textPart(content);
  if (kept.length === 0) return undefined;
  return {
    role,
    // The server knows more kinds of parts than we make; they go as they are.
    parts: redactDeep(kept) as unknown as readonly MessagePart[],
    turn_id: typeof turnId === 'string' && turnId !== '' ? turnId : `queued-${shortIdentity(identity)}`,
    created_at: typeof at === 'string' && at !== '' ? at : new Date(createdAt).toISOString(),
    ...(typeof peer === 'string' && peer !== '' ? { peer_id: peer } : {}),
  };
}

/** What stands for a request of the old queue where it was taken over. */
export function shortIdentity(identity: string): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, 16);
}

function textPart(content: unknown): readonly { readonly type: 'text'; readonly text: string }[] {
  return typeof content === 'string' && content.trim() !== '' ? [{ type: 'text', text: content }] : [];
}
