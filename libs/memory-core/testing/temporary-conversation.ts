/** A conversation in a spool of its own, away from every home: most of what the spool does needs nothing else. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Conversation } from '../src/spool/conversation.ts';

export interface TemporaryConversation {
  /** For what lies beside the spool: records of a client, files of others. */
  readonly folder: string;
  readonly spool: string;
  readonly conversation: Conversation;
  /** Removes everything. */
  remove(): void;
}

/** Its folders exist, and nothing in them. */
export function temporaryConversation(session = 'aa-one'): TemporaryConversation {
  const folder = mkdtempSync(join(tmpdir(), 'openviking-test-'));
  const spool = join(folder, 'spool');
  const conversation = new Conversation(spool, session);
  conversation.prepare();
  return { folder, spool, conversation, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
