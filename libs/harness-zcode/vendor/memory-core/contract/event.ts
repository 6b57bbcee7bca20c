/**
 * The normalised events. A client's dialect turns whatever its host sends into one of these; the handlers know nothing
 * else of any host, so a tenth client cannot need an eleventh code path.
 */

/** One conversation as the host names it. */
export interface SessionRef {
  /** The host's own id, unchanged. */
  readonly nativeId: string;
  /** Where the id came from; anything but `event` is a guess and is logged as one. */
  readonly origin: 'event' | 'transcript-path' | 'directory-hash';
  /** Set for a subagent whose host tells it apart from its parent. */
  readonly subagent?: { readonly id: string; readonly type?: string };
}

interface EventBase {
  readonly session: SessionRef;
  /** Working directory of the conversation, as the host reports it. */
  readonly cwd: string;
  /** The host's id of the turn, equal on prompt and turn end. */
  readonly turnId?: string;
  /** The host's id of this very event, where it has one: the same id seen twice is the same event. */
  readonly eventId?: string;
}

export interface SessionStartEvent extends EventBase {
  readonly kind: 'session-start';
  readonly source: 'startup' | 'resume' | 'clear' | 'compact';
}

export interface PromptEvent extends EventBase {
  readonly kind: 'prompt';
  /** What the user typed, uncleaned. */
  readonly prompt: string;
}

export interface ToolGuardEvent extends EventBase {
  readonly kind: 'tool-guard';
  readonly toolName: string;
  readonly toolInput: Readonly<Record<string, unknown>>;
}

export interface TurnEndEvent extends EventBase {
  readonly kind: 'turn-end';
  /** The final answer as the host reports it: often only the last model step. */
  readonly answer?: string;
}

export type HookEvent = SessionStartEvent | PromptEvent | ToolGuardEvent | TurnEndEvent;
export type HookEventKind = HookEvent['kind'];
