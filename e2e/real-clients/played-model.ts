/**
 * A model that follows a script. It knows where it is in a turn from the request alone, as a real one does, so that retries,
 * subagents and a summary in between need no bookkeeping.
 */
import { textOf } from './anthropic-stub.ts';
import type { ModelAnswer, ModelRequest } from './anthropic-stub.ts';

/** What the model does in a turn: one answer per request of the turn, in order. */
export interface ScriptedTurn {
  /** Text by which the user's message is recognised. */
  readonly prompt: string;
  readonly steps: readonly ModelAnswer[];
}

/** What it says when the client asks for a summary of the conversation, to compact it. */
export const SUMMARY = 'The summary that the client asked for.';

/** Answers by the turn of the script that was begun last; what a user adds while it runs begins none. */
export function playedModel(script: readonly ScriptedTurn[]): (request: ModelRequest) => ModelAnswer {
  return ({ messages }) => {
    for (let index = messages.length - 1; index >= 0; index -= 1) {
      const message = messages[index];
      if (message?.role !== 'user') continue;
      const text = textOf(message);
      if (text.includes('<summary>') && index === messages.length - 1) return { text: `<summary>${SUMMARY}</summary>` };
      const turn = script.find(({ prompt }) => text.includes(prompt));
      if (turn === undefined) continue;
      const taken = messages.slice(index).filter(({ role }) => role === 'assistant').length;
      const step = turn.steps[taken];
      if (step === undefined) throw new Error(`The script has no step ${taken + 1} for "${turn.prompt}".`);
      return step;
    }
    throw new Error('The client asks for something that no turn of the script begins with.');
  };
}
