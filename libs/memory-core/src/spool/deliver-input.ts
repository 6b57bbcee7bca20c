/** What delivery is given: its parts ask the same worker and the same server. */
import type { ApiClient } from '../http/api.ts';
import type { Log } from '../log/log.ts';
import type { Conversation } from './conversation.ts';
import type { SpoolRecord } from './record.ts';

/** One conversation, the server it goes to, and what the worker answers while it goes. */
export interface DeliverInput {
  readonly conversation: Conversation;
  readonly client: ApiClient;
  readonly timeoutMs: number;
  readonly log: Log;
  /** False for a record that goes elsewhere: it and what lies behind it stay where they are. */
  readonly takes?: (record: SpoolRecord) => boolean;
  /** The held record, completed if possible; called with a record whose hold belongs to this worker's harness. */
  readonly complete?: (record: SpoolRecord) => SpoolRecord | undefined;
  readonly harness: string;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /** Knowledge about this server that survives the process: it has no batch route. */
  readonly capability: { readonly singleMessages: boolean; noteSingleMessages(): void };
}
