/**
 * What a client's own record of a conversation yields. A harness that has such a record supplies a pure parser; the core
 * reads the file, remembers how far, and pairs the result with our journal.
 */
import type { Dialect } from './harness.ts';
import type { MessagePart } from './message.ts';

/** One line of a transcript with the byte offset at which it starts. */
export interface TranscriptLine {
  readonly offset: number;
  readonly text: string;
}

/** One turn as the transcript shows it. Texts are raw: cleaning is the core's work, the same for every client. */
export interface TranscriptTurn {
  /**
   * The host's turn id; for a turn to which it gave none, `GENERATED_TURN_ID` and what the record has to tell it apart. Where
   * the identity is the `content`, any name that no other turn of this reading has.
   */
  readonly turnId: string;
  /** Text of the message that opened the turn; absent when the record no longer holds it. */
  readonly userText?: string;
  /** Text of every successful step in order, with tool calls paired to their outputs. */
  readonly assistant: readonly MessagePart[];
  /** ISO time of the turn's first and last line, where the record has them. */
  readonly startedAt?: string;
  readonly completedAt?: string;
  /** True once the record itself shows the end: a final finish reason, or a later turn's first line. */
  readonly closed: boolean;
  /** Byte offset of the turn's first line: an open turn is read again from here. */
  readonly offset: number;
}

/** A place in a file that can be told from the same place in another file of the same name. */
export interface TranscriptPosition {
  readonly path: string;
  /** Inode and birth time: a file written anew has others. */
  readonly identity: string;
  /** Hash of the first bytes: a file reset in place keeps its inode. */
  readonly head: string;
  /** Hash of the bytes before the place: a file written anew may begin as it did before. */
  readonly tail?: string;
  /** Everything before this byte has been captured. */
  readonly offset: number;
}

/** What is known of a conversation when the turns of its record are told apart. */
export interface IdentifyInput {
  /** In file order. */
  readonly turns: readonly TranscriptTurn[];
  /** Prompts that were noted and whose turn is not captured, oldest first. */
  readonly prompts: readonly {
    readonly turnId: string;
    readonly content?: string;
    /** Where the record ended when the prompt came. */
    readonly transcript?: TranscriptPosition;
  }[];
  readonly cursor: {
    /** Captured turns, oldest first: key, sides, key of the content and of the answer. */
    readonly turns: readonly string[];
    readonly transcript?: TranscriptPosition;
    /** Captured turns that the record is still to show. */
    readonly awaited?: readonly { readonly turnId: string; readonly content: string; readonly passed?: true }[];
  };
  /** The turn that the host has just ended, with the answer or its beginning. */
  readonly ended?: { readonly turnId?: string; readonly answer?: string } | undefined;
  /** What the host mixes into texts, as the dialect says it. */
  readonly marks: Pick<Dialect, 'hostTags' | 'hostNoise'>;
  readonly transcript: {
    /** True where `position` is a place in this very content. */
    covers(position: TranscriptPosition): boolean;
  };
}

/** The turns of a record, told apart. */
export interface Identified {
  /** In file order, with the id under which each is or will be captured; without those that are captured for certain. */
  readonly turns: readonly TranscriptTurn[];
  /** Content keys of the turns that are new, by their id. */
  readonly contents: ReadonlyMap<string, string>;
}

/** Where a conversation's transcript may lie and how to read it. */
export interface TranscriptReader {
  /**
   * How a turn of the record is known to be the one that the journal has: by the host's `turn-id`, or, where the record
   * has none, by the `content` of its prompt and its place among turns of the same content. Absent: `turn-id`.
   */
  readonly identity?: 'turn-id' | 'content';
  /**
   * `identifyByContent` where the identity is the `content`, beside `parse`. Not the same as `identity`: a prompt hook has
   * to know how its turn will be told apart, and does not carry the code that does it.
   */
  readonly identify?: (input: IdentifyInput) => Identified;
  /**
   * The record keeps every prompt that the model was given: one that it does not show although it shows a later one was
   * refused, by another program's hook perhaps, and must not be remembered.
   */
  readonly showsEveryPrompt?: true;
  /** Candidate files, best first. Pure: the core checks which exists. */
  locate(context: {
    readonly nativeId: string;
    readonly subagentId?: string;
    /** As the host's event names the file. */
    readonly transcriptPath?: string;
    readonly home: string;
    readonly env: Readonly<Record<string, string | undefined>>;
  }): readonly string[];
  /**
   * Complete lines in file order → turns in order. Never throws: a line that is not understood is left out. Absent where
   * only the place is of interest: the prompt hook notes how far the file reaches and carries no parser.
   */
  parse?(lines: Iterable<TranscriptLine>, nativeId: string, subagentId?: string): readonly TranscriptTurn[];
}
