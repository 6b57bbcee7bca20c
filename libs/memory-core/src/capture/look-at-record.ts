/**
 * What journal and record show of a conversation now that may be new, and where reading goes on afterwards. A mistake here
 * captures history as if it had just been said, or reads past a turn that nobody ever captures.
 */
import type { TranscriptTurn } from '../contract/transcript.ts';
import type { FirstSeen } from '../spool/first-seen.ts';
import { turnKey, type PendingPrompt } from '../spool/journal.ts';
import { notePassedOver, type PassedOver } from '../spool/passed-over.ts';
import { capturedSides, type CaptureCursor, type TranscriptPosition } from '../spool/record.ts';
import type { AssembledTurn } from './assemble.ts';
import type { CaptureInput } from './capture-input.ts';
import { GENERATED_TURN_ID } from './generated-turn-id.ts';
import type { OpenTranscript } from './open-transcript.ts';
import { linesFrom } from './read-transcript.ts';

/** Journal, cursor and record of a conversation, as one look at them found them. */
export interface Look {
  readonly prompts: readonly PendingPrompt[];
  readonly transcript: OpenTranscript | undefined;
  /** In file order; without those that are none of ours. */
  readonly turns: readonly TranscriptTurn[];
  /** The record has no ids: its turns are known by their content. */
  readonly byContent: boolean;
  /** Keys of the new turns' contents by turn, there. */
  readonly contents: ReadonlyMap<string, string>;
}

/**
 * What the client's record shows of this conversation that may be new. What lies before the first turn that we know of is
 * history, from a time without us or copied from another conversation: only `import` reads that.
 */
export function lookAt(
  input: CaptureInput,
  prompts: readonly PendingPrompt[],
  cursor: CaptureCursor,
  transcript: OpenTranscript | undefined,
  beginning: FirstSeen['from'] | undefined,
  passed: PassedOver | undefined,
): Look {
  const { harness, source, ended } = input;
  const reader = harness.transcript;
  const byContent = reader?.identify !== undefined;
  const nothing: Look = { prompts, transcript, turns: [], byContent, contents: new Map() };
  if (transcript === undefined || reader?.parse === undefined) return nothing;
  const known = prompts.length > 0 || cursor.turns.length > 0;
  const place = typeof beginning === 'object' ? beginning : undefined;
  const earliestOpen = known && !byContent ? earliest(prompts, cursor) : cursor.transcript;
  const start = earliestOpen ?? place;
  const parsed = reader.parse(linesFrom(transcript, start), source.nativeId, source.subagentId);
  const identified = reader.identify?.({ turns: parsed, prompts, cursor, ended, marks: harness.dialect, transcript }) ??
    // A turn to which the host gave no id cannot be recognised in the journal for certain.
    { turns: parsed.filter((turn) => !turn.turnId.startsWith(GENERATED_TURN_ID)), contents: nothing.contents };
  const own = identified.turns.slice(firstOwn());
  const unseen = unseenUntil(input, passed, transcript);
  return { ...nothing, ...identified, turns: own.filter((turn) => turn.offset >= unseen || isKnown(turn)) };

  function isKnown({ turnId }: TranscriptTurn): boolean {
    const { user, assistant } = capturedSides(cursor, turnKey(turnId));
    return user || assistant || prompts.some((prompt) => prompt.turnId === turnId);
  }

  /** Index of the first turn that is not history. */
  function firstOwn(): number {
    const { turns } = identified;
    if (cursor.turns.length > 0) {
      if (byContent || cursor.transcript === undefined || transcript?.covers(cursor.transcript) === true) return 0;
      // The file is another one, put back or copied: what it shows before the first turn that we know is history.
      const index = turns.findIndex((turn) => isKnown(turn) || turn.turnId === ended?.turnId);
      return index === -1 ? turns.length : index;
    }
    if (prompts.length > 0) {
      const from = prompts[0]?.transcript;
      const behind = from !== undefined && transcript?.covers(from) === true ? from.offset : Infinity;
      const index = turns.findIndex(
        ({ turnId, offset }) =>
          offset >= behind || turnId === ended?.turnId || prompts.some((prompt) => prompt.turnId === turnId),
      );
      return index === -1 ? turns.length : index;
    }
    if (beginning === 'start' || (place !== undefined && transcript?.covers(place) === true)) return 0;
    const index = turns.findIndex((turn) => turn.turnId === ended?.turnId);
    return index === -1 ? turns.length : index;
  }
}

/**
 * Offset before which only turns count that somebody has noted: what was said while memory was switched off begins before
 * it. A hook that captures shows that memory is on again: what it finds in the record is what was said until then. Only the
 * end of a turn without a name does not show where that began.
 */
function unseenUntil(
  { conversation, isOn, ended, now }: CaptureInput,
  passed: PassedOver | undefined,
  transcript: OpenTranscript,
): number {
  if (passed === undefined) return 0;
  const isOver = isOn === true && (ended === undefined || ended.turnId !== undefined);
  if (passed.off && isOver) notePassedOver(conversation, { off: false, at: now, until: transcript.end });
  const { off, until } = passed;
  if (off) return Infinity;
  return until === undefined ? 0 : transcript.covers(until) ? until.offset : Infinity;
}

/** Where reading goes on after this turn: at the next turn's first line, and for a held turn at its own. */
export function positionAfter(
  turn: AssembledTurn,
  { transcript, turns, byContent }: Look,
  held: boolean,
  cursor: CaptureCursor,
): TranscriptPosition | undefined {
  if (transcript === undefined) return undefined;
  const index = turns.findIndex((candidate) => candidate.turnId === turn.turnId);
  if (index !== -1) {
    const next = turns[held ? index : index + 1];
    return next === undefined ? transcript.end : transcript.at(next.offset);
  }
  const noted = turn.prompt?.transcript;
  // The file was written anew since the last look: what comes from now on lies behind the prompt.
  if (byContent && cursor.transcript !== undefined && transcript.covers(cursor.transcript)) return undefined;
  if (byContent && noted !== undefined && transcript.covers(noted)) return noted;
  // Else a turn that the transcript does not show moves nothing.
  return held ? (noted ?? transcript.end) : undefined;
}

/** The earliest place that may hold something of a turn that is not captured; undefined = from the file's start. */
function earliest(prompts: readonly PendingPrompt[], cursor: CaptureCursor): TranscriptPosition | undefined {
  const positions: TranscriptPosition[] = [];
  for (const prompt of prompts) {
    // No transcript when the prompt came: all of the file is later.
    if (prompt.transcript === undefined) return cursor.transcript;
    positions.push(prompt.transcript);
  }
  if (cursor.transcript !== undefined) positions.push(cursor.transcript);
  const newest = positions.at(-1);
  // Places in different files cannot be compared: the file was replaced in between, read the present one whole.
  if (
    newest === undefined ||
    positions.some((position) => position.identity !== newest.identity || position.path !== newest.path)
  )
    return undefined;
  return positions.reduce((a, b) => (a.offset <= b.offset ? a : b));
}
