/**
 * What a handler wants said. The dialect writes it in the one form that its host accepts, or leaves it out. A `notice` is
 * one line for the user, not for the model; a host without a channel for it drops it.
 */
export type Reply =
  /** Nothing to say to the model: without a notice stdout stays empty. */
  | { readonly kind: 'nothing'; readonly notice?: string }
  /** Text for the model, already inside our envelope. */
  | { readonly kind: 'context'; readonly text: string; readonly notice?: string }
  /** The tool call must not run; the reason tells the model what to call instead. */
  | { readonly kind: 'deny'; readonly reason: string };

export const NOTHING: Reply = { kind: 'nothing' };
