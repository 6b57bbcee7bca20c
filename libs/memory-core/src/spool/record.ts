/**
 * What lies in the spool. A record is one captured turn together with the cursor that says "captured": both become
 * durable by the same rename, so that no kill can leave one without the other.
 */
import type { Message } from '../contract/message.ts';
import type { TranscriptPosition } from '../contract/transcript.ts';

export type { TranscriptPosition } from '../contract/transcript.ts';

/** How far a conversation has been captured. */
export interface CaptureCursor {
  /**
   * One entry per captured turn, oldest first: `<turn key>`, which sides were captured (`u`, `a`), and, where the client's
   * record numbers no turns, `:` and the key of the prompt's content, `:` and that of the answer's end.
   */
  readonly turns: readonly string[];
  /** Where reading the client's transcript goes on. */
  readonly transcript?: TranscriptPosition;
  /** Captured turns of a record without ids that reading has not passed yet: there they are known by their content. */
  readonly awaited?: readonly AwaitedTurn[];
  /**
   * Keys of turns that another program had captured before this one: they are not captured again, and say nothing about
   * where our own knowledge of the conversation begins.
   */
  readonly foreign?: readonly string[];
  /**
   * What was captured last: the turn, a hash of its last text, of all that the user typed in it (behind it a blank and when,
   * ISO 8601), and how many private blocks it left open. A turn may go on after its end, and the user with it.
   */
  readonly last?: {
    readonly turnId: string;
    readonly text: string;
    readonly typed?: readonly string[];
    readonly open?: number;
  };
  /** Turns since the last commit. */
  readonly uncommitted?: number;
  /**
   * Something has been captured, from here, that no commit has taken whole: the end of the conversation has to.
   * `refused`: a commit was asked for, and this is what the server said (status and code).
   */
  readonly open?: Origin & { readonly refused?: string };
}

/** For whom something was said, and where: it lies with every turn, because another process delivers it. */
export interface Origin {
  readonly peer?: string | undefined;
  /** Mark of the environment, see `environment-mark.ts`; older programs wrote none. */
  readonly environment?: string | undefined;
}

export interface AwaitedTurn {
  readonly turnId: string;
  readonly content: string;
  /** The record has shown a later turn: only what can be nobody else's is this one's. */
  readonly passed?: true;
}

export interface CommitIntent {
  readonly keep_recent_count?: number;
}

/** Commit only if the server then holds at least so many pending tokens. */
export interface ThresholdCommit extends CommitIntent {
  readonly pendingTokens: number;
}

export interface SpoolRecord extends Origin {
  readonly version: 1;
  readonly seq: number;
  /** Id of the conversation on the server. */
  readonly session: string;
  readonly harness: string;
  /** The host's own id. */
  readonly nativeId: string;
  /** Of a subagent's conversation. */
  readonly subagentId?: string;
  /** The client's own record, as an event named it. */
  readonly transcriptPath?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly messages: readonly Message[];
  readonly cursor: CaptureCursor;
  /** Commit once the messages are stored. */
  readonly commit?: CommitIntent;
  /** The same, if there is enough to commit; decided when the messages are stored. */
  readonly commitAbove?: ThresholdCommit;
  /**
   * The turn came from our journal while the client was still writing its transcript: until this time (ms since 1970)
   * only the worker of this harness may deliver it, after having looked for the fuller form.
   */
  readonly heldUntil?: number;
  /** The turn that may be completed, and the folder whose settings say what is kept of it. */
  readonly held?: { readonly turnId: string; readonly cwd: string };
}

export const EMPTY_CURSOR: CaptureCursor = { turns: [] };

/** How many captured turns a conversation remembers. */
export const REMEMBERED_TURNS = 1000;

/** A record from its file's text; undefined when it is not one of ours. */
export function parseRecord(text: string): SpoolRecord | undefined {
  try {
    const value = JSON.parse(text) as Partial<SpoolRecord> | null;
    if (value === null || typeof value !== 'object' || value.version !== 1) return undefined;
    if (typeof value.seq !== 'number' || typeof value.session !== 'string' || !Array.isArray(value.messages))
      return undefined;
    if (typeof value.cursor !== 'object' || value.cursor === null || !Array.isArray(value.cursor.turns))
      return undefined;
    return value as SpoolRecord;
  } catch {
    return undefined;
  }
}

/** Which sides of a turn have been captured. */
export interface CapturedSides {
  readonly user: boolean;
  readonly assistant: boolean;
}

const KEY_LENGTH = 12;

/** The sides of the turn with `key` that the cursor knows. */
export function capturedSides(cursor: CaptureCursor, key: string): CapturedSides {
  for (let index = cursor.turns.length - 1; index >= 0; index -= 1) {
    const entry = cursor.turns[index] ?? '';
    if (entry.startsWith(key) && entry.length > KEY_LENGTH) {
      const sides = entry.slice(KEY_LENGTH).split(':', 1)[0] ?? '';
      return { user: sides.includes('u'), assistant: sides.includes('a') };
    }
  }
  const isForeign = cursor.foreign?.includes(key) === true;
  return { user: isForeign, assistant: isForeign };
}

/** What a captured turn is known by, where the client's record numbers none. */
export interface CapturedContent {
  /** Key of the prompt; empty where only its place told. */
  readonly content: string;
  /** Key of the answer's end; absent where none was captured. */
  readonly answer?: string | undefined;
}

/** That of the captured turn with `key`, where it has one. */
export function contentOf(cursor: CaptureCursor, key: string): CapturedContent | undefined {
  const [, content, answer] = cursor.turns.findLast((turn) => turn.startsWith(key))?.split(':') ?? [];
  return content === undefined ? undefined : { content, answer };
}

/** Of all captured turns, oldest first; of those that have one. */
export function capturedContents(cursor: CaptureCursor): CapturedContent[] {
  return cursor.turns.flatMap((entry) => contentOf({ turns: [entry] }, '') ?? []);
}

/** The cursor after `sides` of the turn with `key` (12 characters) are captured as well. */
export function withCaptured(
  cursor: CaptureCursor,
  key: string,
  sides: CapturedSides,
  known?: CapturedContent,
): CaptureCursor {
  const before = capturedSides(cursor, key);
  const { content, answer }: Partial<CapturedContent> = { ...contentOf(cursor, key), ...known };
  const entry =
    key +
    (sides.user || before.user ? 'u' : '') +
    (sides.assistant || before.assistant ? 'a' : '') +
    (content === undefined ? '' : `:${content}`) +
    (answer === undefined ? '' : `:${answer}`);
  const others = cursor.turns.filter((turn) => !turn.startsWith(key));
  return { ...cursor, turns: [...others, entry].slice(-REMEMBERED_TURNS) };
}
