/** The order to commit a conversation whole: it lies in the spool like a turn, so that no kill and no outage loses it. */
import type { Harness } from '../contract/harness.ts';
import type { Conversation, Meanwhile } from '../spool/conversation.ts';
import { withProgress } from './commit-plan.ts';
import type { TranscriptSource } from './transcript-source.ts';

export interface CommitAllInput {
  readonly harness: Harness;
  readonly conversation: Conversation;
  readonly source: TranscriptSource;
  readonly meanwhile?: Meanwhile;
}

/** Appends the order, nothing kept back; does nothing where every captured turn is committed. */
export async function commitAll({ harness, conversation, source, meanwhile }: CommitAllInput): Promise<void> {
  await conversation.append((cursor) => {
    if (cursor.open === undefined) return undefined;
    const { refused: _before, ...captured } = cursor.open;
    return {
      harness: harness.declaration.id,
      ...source,
      ...captured,
      createdAt: new Date().toISOString(),
      messages: [],
      cursor: withProgress(cursor, {}),
      commit: { keep_recent_count: 0 },
    };
  }, meanwhile);
}
