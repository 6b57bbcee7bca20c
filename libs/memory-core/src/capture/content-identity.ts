/**
 * Tells the turns of a record that numbers none: which of them are the journal's prompts, which are captured already, and
 * which nobody has seen. Position alone does not tell, because clients write such files anew, and content alone does not,
 * because people say "continue" again and again.
 *
 * When in doubt a turn counts as one that is known: a tool call too few in a memory is a smaller loss than a turn that is
 * stored twice.
 */
import type { HostMarks } from './clean.ts';
import { contentKey } from './content-key.ts';
import { GENERATED_TURN_ID, type TranscriptTurn } from '../contract/transcript.ts';
import type { PendingPrompt } from '../spool/journal.ts';
import { capturedContents, type CaptureCursor } from '../spool/record.ts';
import type { OpenTranscript } from './open-transcript.ts';

export interface IdentifyInput {
  /** In file order. */
  readonly turns: readonly TranscriptTurn[];
  /** Oldest first. */
  readonly prompts: readonly PendingPrompt[];
  readonly cursor: CaptureCursor;
  readonly marks: HostMarks;
  readonly transcript: Pick<OpenTranscript, 'covers'>;
}

export interface Identified {
  /** In file order, with the id under which each is or will be captured; without those that are captured for certain. */
  readonly turns: readonly TranscriptTurn[];
  /** Content keys of the turns that are new, by their id. */
  readonly contents: ReadonlyMap<string, string>;
}

/** A turn that the record is expected to show. */
interface Expected {
  readonly turnId: string;
  readonly content: string | undefined;
  /** Where in this very file it must lie behind; undefined when that is not known. */
  readonly from: number | undefined;
}

export function identifyByContent({ turns, prompts, cursor, marks, transcript }: IdentifyInput): Identified {
  // The rest of a turn whose beginning is not in what was read belongs to nobody.
  const seen = turns.flatMap((turn) =>
    turn.userText === undefined ? [] : [{ turn, content: contentKey(turn.userText, marks) }],
  );
  const goesOn = cursor.transcript !== undefined && transcript.covers(cursor.transcript);
  const awaited = (cursor.awaited ?? []).map((turn): Expected => ({ ...turn, from: goesOn ? 0 : undefined }));
  const pending = prompts
    .filter(({ turnId }) => !awaited.some((turn) => turn.turnId === turnId))
    .map(({ turnId, content, transcript: at }): Expected => ({
      turnId,
      content,
      from: at !== undefined && transcript.covers(at) ? at.offset : undefined,
    }));
  const expected = [...awaited, ...pending];
  const owners: (string | undefined)[] = seen.map(() => undefined);
  const places = matchContents(expected, seen, owners);
  const first = Math.min(...places.filter((place) => place !== undefined), seen.length);
  const known = new Set<number>();
  if (!goesOn) leaveOutCaptured(cursor, seen, owners, first, known);
  matchByOrder(expected, places, seen, owners, known);

  const contents = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const content of capturedContents(cursor)) counts.set(content, (counts.get(content) ?? 0) + 1);
  const identified = seen.flatMap(({ turn, content }, index) => {
    if (known.has(index)) return [];
    const owner = owners[index];
    if (owner !== undefined) return [{ ...turn, turnId: owner }];
    const ordinal = (counts.get(content) ?? 0) + 1;
    counts.set(content, ordinal);
    const turnId = `${GENERATED_TURN_ID}${content}-${ordinal}`;
    contents.set(turnId, content);
    return [{ ...turn, turnId }];
  });
  return { turns: identified, contents };
}

interface SeenTurn {
  readonly turn: TranscriptTurn;
  readonly content: string;
}

/** Gives every expected turn the seen one of the same content, in the order of both; returns its index where there is one. */
function matchContents(
  expected: readonly Expected[],
  seen: readonly SeenTurn[],
  owners: (string | undefined)[],
): (number | undefined)[] {
  const places: (number | undefined)[] = expected.map(() => undefined);
  const take = (which: number, index: number): void => {
    places[which] = index;
    owners[index] = expected[which]?.turnId;
  };
  let after = 0;
  expected.forEach(({ content, from }, which) => {
    if (from === undefined) return;
    const fits = (index: number, least: number): boolean => {
      const candidate = seen[index];
      return (
        owners[index] === undefined &&
        candidate !== undefined &&
        candidate.content === content &&
        candidate.turn.offset >= least
      );
    };
    let index = after;
    while (index < seen.length && !fits(index, from)) index += 1;
    if (index === seen.length) for (index = after; index < seen.length && !fits(index, 0);) index += 1;
    if (index === seen.length) return;
    take(which, index);
    after = index + 1;
  });
  // Noted in a file that is no longer there: the newest of that content.
  let before = places.find((place) => place !== undefined) ?? seen.length;
  for (let which = expected.length - 1; which >= 0; which -= 1) {
    if (expected[which]?.from !== undefined) continue;
    let index = before - 1;
    while (index >= 0 && (owners[index] !== undefined || seen[index]?.content !== expected[which]?.content)) index -= 1;
    if (index < 0) continue;
    take(which, index);
    before = index;
  }
  return places;
}

/** In a file that was written anew: as many turns of each content as are captured, oldest first, up to the first expected one. */
function leaveOutCaptured(
  cursor: CaptureCursor,
  seen: readonly SeenTurn[],
  owners: readonly (string | undefined)[],
  first: number,
  known: Set<number>,
): void {
  const counts = new Map<string, number>();
  for (const content of capturedContents(cursor)) counts.set(content, (counts.get(content) ?? 0) + 1);
  for (let index = 0; index < first; index += 1) {
    const { content } = seen[index] as SeenTurn;
    const left = counts.get(content) ?? 0;
    if (owners[index] !== undefined || left === 0) continue;
    counts.set(content, left - 1);
    known.add(index);
  }
}

/** A client may repeat a prompt in other words (a command spelled out, a file put in): then its place decides. */
function matchByOrder(
  expected: readonly Expected[],
  places: (number | undefined)[],
  seen: readonly SeenTurn[],
  owners: (string | undefined)[],
  known: ReadonlySet<number>,
): void {
  for (let which = expected.length - 1; which >= 0; which -= 1) {
    if (places[which] !== undefined) continue;
    const before = places.slice(which + 1).find((place) => place !== undefined) ?? seen.length;
    const least = expected[which]?.from ?? 0;
    for (let index = before - 1; index >= 0; index -= 1) {
      if (owners[index] !== undefined) break;
      if (known.has(index) || (seen[index]?.turn.offset ?? 0) < least) continue;
      owners[index] = expected[which]?.turnId;
      places[which] = index;
      break;
    }
  }
}
