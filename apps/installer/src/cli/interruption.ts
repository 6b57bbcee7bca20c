/** Two ways to stop a run that are no failure: Ctrl+C, and no for an answer. Nothing has been changed after either. */
import { Refusal } from './refusal.ts';

/** Ctrl+C. */
export function interrupted(): Refusal {
  return new Refusal({ code: 'interrupted', exitCode: 130, say: (t) => t.interrupted, next: undefined });
}

/** The answer to a question was no. */
export function declined(): Refusal {
  return new Refusal({ code: 'declined', exitCode: 0, say: (t) => t.declined, next: undefined });
}
