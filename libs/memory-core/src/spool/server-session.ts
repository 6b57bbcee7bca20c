/** What the server knows of a conversation: asked before an append, after a doubt, and before a commit by tokens. */
import { isObject } from '../fs/json-object.ts';
import type { ApiFailure } from '../http/api.ts';
import type { DeliverInput } from './deliver-input.ts';

type Asked<Answer> = ({ readonly ok: true } & Answer) | { readonly ok: false; readonly failure: ApiFailure };

/** What the server says of the session; undefined when it does not exist yet. */
export async function sessionState(
  input: DeliverInput,
): Promise<Asked<{ readonly state: Readonly<Record<string, unknown>> | undefined }>> {
  const result = await input.client.call({
    method: 'GET',
    path: `/sessions/${encodeURIComponent(input.conversation.session)}?auto_create=false`,
    timeoutMs: input.timeoutMs,
  });
  // A gateway's own 404 says nothing about the session.
  if (!result.ok)
    return isUnknownSession(result.failure) ? { ok: true, state: undefined } : { ok: false, failure: result.failure };
  return { ok: true, state: isObject(result.value) ? result.value : {} };
}

/** Archived and live messages of the session; 0 when it does not exist yet, null when the server does not tell. */
export async function sessionTotal(input: DeliverInput): Promise<Asked<{ readonly count: number | null }>> {
  const session = await sessionState(input);
  if (!session.ok) return session;
  if (session.state === undefined) return { ok: true, count: 0 };
  const count = session.state['total_message_count'];
  return { ok: true, count: typeof count === 'number' ? count : null };
}

/** The server itself says that it has no such session; a gateway's own 404 says nothing about it. */
export function isUnknownSession(failure: ApiFailure): boolean {
  return failure.class === 'missing' && !failure.foreign;
}
