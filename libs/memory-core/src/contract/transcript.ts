/**
 * What a client's own record of a conversation yields. A harness that has such a record supplies a pure parser; the core
 * reads the file, remembers how far, and pairs the result with our journal.
 */
import type { identifyByContent } from '../capture/content-identity.ts';
import type { MessagePart } from './message.ts';

/** Begin of the ids that a parser makes for turns to which the host gave none. */
export const GENERATED_TURN_ID = 'h-';

/** One line of a transcript with the byte offset at which it starts. */
export interface TranscriptLine {
  readonly offset: number;
  readonly text: string;
}

/** One turn as the transcript shows it. Texts are raw: cleaning is the core's work, the same for every client. */
export interface TranscriptTurn {
  /** The host's turn id, or `h-` and a hash of the original user text where the host gives none. */
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

/** Where a conversation's transcript may lie and how to read it. */
export interface TranscriptReader {
  /**
   * How a turn of the record is known to be the one that the journal has: by the host's `turn-id`, or, where the record
   * has none, by the `content` of its prompt and its place among turns of the same content. Absent: `turn-id`.
   */
  readonly identity?: 'turn-id' | 'content';
  /** `identifyByContent` where the identity is the `content`, beside `parse`: only those clients' bundles carry it. */
  readonly identify?: typeof identifyByContent;
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
