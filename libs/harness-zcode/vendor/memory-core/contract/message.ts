/** Conversation as it is captured and as it goes over the wire (`POST /sessions/{id}/messages`). */

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ToolPart {
  readonly type: 'tool';
  readonly tool_id: string;
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_output: string;
  readonly tool_status: 'pending' | 'running' | 'completed' | 'error';
}

export type MessagePart = TextPart | ToolPart;

/** One message in the server's shape. `turn_id` lets the worker find out what an ambiguous append has stored. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly MessagePart[];
  readonly turn_id: string;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly peer_id?: string;
}
