/** A message as the server keeps it: what a client may send, with everything filled in. */

export interface StoredPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface StoredMessage {
  /** Grows with arrival; unique in the database. */
  readonly id: number;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly StoredPart[];
  readonly turnId: string | undefined;
  readonly peerId: string | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly createdAt: number;
}

/** The text parts of a message, joined. */
export function messageText(message: Pick<StoredMessage, 'parts'>): string {
  return message.parts
    .map((part) => (part.type === 'text' && typeof part['text'] === 'string' ? part['text'] : ''))
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

/** The names of the tools a message called. */
export function toolNames(message: Pick<StoredMessage, 'parts'>): string[] {
  return message.parts.flatMap((part) =>
    part.type === 'tool' && typeof part['tool_name'] === 'string' && part['tool_name'] !== ''
      ? [part['tool_name']]
      : [],
  );
}
