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
  /** The host's own record of this conversation, where the event names it. Absolute. */
  readonly transcriptPath?: string;
}

/** A conversation begins or goes on; with `session.subagent`, a subagent does. */
export interface SessionStartEvent extends EventBase {
  readonly kind: 'session-start';
  readonly source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork';
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

/** Part of an answer, reported before the turn ends: hosts whose turn end says nothing of it. */
export interface AnswerEvent extends EventBase {
  readonly kind: 'answer';
  readonly text: string;
}

/** A turn has ended; with `session.subagent`, the whole work of a subagent has. */
export interface TurnEndEvent extends EventBase {
  readonly kind: 'turn-end';
  /** The final answer as the host reports it: often only the last model step. */
  readonly answer?: string;
  /** The turn's prompt, where the host repeats it: all that tells turns apart which have no ids. */
  readonly prompt?: string;
}

/** The host is about to replace the conversation with a summary of it. */
export interface PreCompactEvent extends EventBase {
  readonly kind: 'pre-compact';
}

/** The conversation is over, or the client is. */
export interface SessionEndEvent extends EventBase {
  readonly kind: 'session-end';
}

export type HookEvent =
  SessionStartEvent | PromptEvent | ToolGuardEvent | AnswerEvent | TurnEndEvent | PreCompactEvent | SessionEndEvent;
export type HookEventKind = HookEvent['kind'];
