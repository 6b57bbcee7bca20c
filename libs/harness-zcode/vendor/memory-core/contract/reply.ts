/** What a handler wants said. The dialect writes it in the one form that its host accepts, or leaves it out. */
export type Reply =
  /** Nothing to say: stdout stays empty. */
  | { readonly kind: 'nothing' }
  /** Text for the model, already inside our envelope. */
  | { readonly kind: 'context'; readonly text: string }
  /** The tool call must not run; the reason tells the model what to call instead. */
  | { readonly kind: 'deny'; readonly reason: string };

export const NOTHING: Reply = { kind: 'nothing' };
