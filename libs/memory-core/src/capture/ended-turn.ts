/**
 * Which turn the host has just ended. A host may name it by an id that the record does not have, end it a second time, or not
 * name it at all: a wrong guess would capture a turn twice, or under the id of another.
 */
import type { TranscriptTurn } from '../contract/transcript.ts';
import { turnKey } from '../spool/journal.ts';
import type { PassedOver } from '../spool/passed-over.ts';
import { capturedSides, type CaptureCursor } from '../spool/record.ts';
import type { CaptureInput } from './capture-input.ts';
import { GENERATED_TURN_ID } from './generated-turn-id.ts';
import type { Look } from './look-at-record.ts';

export interface EndedTurn {
  readonly turnId: string;
  readonly answer?: string;
  /** The host's id of a turn that has one of ours: its end may be told twice. */
  readonly alias?: string;
  readonly goesOn?: boolean;
  /** All that is known of the turn, where neither journal nor record has it. */
  readonly turn?: TranscriptTurn;
}

/** The turn that the host has ended, by its id. */
export function endedTurn(
  { harness, ended, source, now }: CaptureInput,
  { turns, prompts, contents }: Look,
  cursor: CaptureCursor,
  passed: PassedOver | undefined,
): EndedTurn | undefined {
  if (ended === undefined) return undefined;
  const last = turns.at(-1)?.turnId;
  // A client may go on with a turn that has ended, and end it again; a subagent's end may be told twice, its turn by then read.
  // What it goes on with while memory is off is not known.
  const again = passed?.off === true ? undefined : cursor.last?.turnId;
  const { turnId = last ?? again ?? source.subagentId } = ended;
  if (turnId === undefined) {
    // The first turn of a conversation that began with memory on, and whose prompt hook has failed. Later such turns are
    // taken for the rest of the one before: what a host repeats then may be another program's reason to go on.
    if (harness.transcript !== undefined || passed !== undefined) return undefined;
    const { prompt: userText, ...rest } = ended;
    const id = `${GENERATED_TURN_ID}${now.toString(36)}`;
    const asked = userText === undefined ? {} : { userText };
    return { ...rest, turnId: id, turn: { turnId: id, ...asked, assistant: [], closed: true, offset: 0 } };
  }
  // A turn whose prompt was not noted: in a record without ids it is the last one, under an id of ours.
  const { user, assistant } = capturedSides(cursor, turnKey(turnId));
  const isNoted = user || assistant || prompts.some((prompt) => prompt.turnId === turnId);
  if (passed !== undefined && !isNoted && !turns.some((turn) => turn.turnId === turnId)) return undefined;
  return !isNoted && last !== undefined && contents.has(last)
    ? { ...ended, turnId: last, alias: turnId }
    : { ...ended, turnId, goesOn: user || assistant };
}
