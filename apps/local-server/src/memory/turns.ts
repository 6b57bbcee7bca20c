/**
 * Groups messages into turns. A turn becomes one memory, so the grouping decides what is remembered together; its key
 * makes that happen once, also when a turn is archived in two steps.
 */
import type { StoredMessage } from './stored-message.ts';

export interface Turn {
  /** Stable for the same turn, whatever part of it is at hand. */
  readonly key: string;
  readonly messages: readonly StoredMessage[];
}

/** Turns in order of their first message: by `turn_id`, else a question of the user with the answers that follow it. */
export function groupTurns(messages: readonly StoredMessage[]): Turn[] {
  const turns = new Map<string, StoredMessage[]>();
  let current: { readonly key: string; answered: boolean } | undefined;
  for (const message of messages) {
    let key: string;
    if (message.turnId !== undefined) {
      key = `turn:${message.turnId}`;
      current = undefined;
    } else if (current === undefined || (message.role === 'user' && current.answered)) {
      key = `message:${message.id}`;
      current = { key, answered: message.role === 'assistant' };
    } else {
      key = current.key;
      if (message.role === 'assistant') current.answered = true;
    }
    const turn = turns.get(key);
    if (turn === undefined) turns.set(key, [message]);
    else turn.push(message);
  }
  return [...turns].map(([key, grouped]) => ({ key, messages: grouped }));
}
