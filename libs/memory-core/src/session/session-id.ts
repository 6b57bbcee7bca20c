/** Conversation ids on the server: one rule for all clients, so that hooks, worker and `status` name the same thing. */
import type { SessionRef } from '../contract/event.ts';
import type { HarnessDeclaration } from '../contract/harness.ts';
import { shortHash } from './short-hash.ts';

/** Longer ids are cut and get a hash: they are folder names too. */
const MAX_LENGTH = 160;

/** Between a conversation's id and that of its subagent. */
const SUBAGENT = '__subagent-';

/** `<prefix><native id>`, a subagent's with `__subagent-<id>`; only `A-Za-z0-9._-` survive. */
export function serverSessionId(
  declaration: Pick<HarnessDeclaration, 'sessionPrefix' | 'sessionIdFiller'>,
  session: SessionRef,
): string {
  const safe = (text: string): string => text.replace(/[^A-Za-z0-9._-]/gu, declaration.sessionIdFiller);
  const id =
    declaration.sessionPrefix +
    safe(session.nativeId) +
    (session.subagent === undefined ? '' : `${SUBAGENT}${safe(session.subagent.id)}`);
  if (id.length <= MAX_LENGTH) return id;
  return `${id.slice(0, MAX_LENGTH - 13)}-${shortHash(id, 12)}`;
}

/** The session that the user sees: that of the conversation which a subagent's belongs to, and any other one itself. */
export function conversationOf(sessionId: string): string {
  const [conversation = sessionId] = sessionId.split(SUBAGENT);
  return conversation;
}
