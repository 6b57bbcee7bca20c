/**
 * Tells the turns of a record that numbers none: which of them are the journal's prompts, which are captured already, and
 * which nobody has seen. Position alone does not tell, because clients write such files anew, and content alone does not,
 * because people say "continue" again and again.
 *
 * When in doubt a turn counts as one that is known: a tool call too few in a memory is a smaller loss than a turn that is
 * stored twice.
 */
import { answered, contentKey } from './content-key.ts';
import { GENERATED_TURN_ID } from './generated-turn-id.ts';
import type { Identified, IdentifyInput, TranscriptTurn } from '../contract/transcript.ts';
import { turnKey } from '../spool/journal.ts';
import {
  capturedContents,
  capturedSides,
  contentOf,
  type CaptureCursor,
  type CapturedContent,
} from '../spool/record.ts';

/** A turn that the record is expected to show. */
interface Expected {
  readonly turnId: string;
  readonly content: string | undefined;
  /** Offset before which it cannot lie in this very file; undefined where it was noted without this file. */
  readonly from: number | undefined;
}

interface SeenTurn {
  readonly turn: TranscriptTurn;
  readonly content: string;
  readonly answer?: string;
  /** Id of the captured turn whose answer this is. */
  reserved?: string;
  /** Id under which it is captured, or noted. */
  owner?: string;
  /** Captured, or from a time before that. */
  known?: true;
}

export function identifyByContent({ turns, prompts, cursor, ended, marks, transcript }: IdentifyInput): Identified {
  // The rest of a turn whose beginning is not in what was read belongs to nobody.
  const all = turns.flatMap((turn): SeenTurn[] =>
    turn.userText === undefined
      ? []
      : [{ turn, content: contentKey(turn.userText, marks), ...answered(turn.assistant) }],
  );
  const place = cursor.transcript;
  const goesOn = place === undefined || transcript.covers(place);
  const start = goesOn ? (place?.offset ?? 0) : 0;
  const seen = all.filter(({ turn }) => turn.offset >= start);
  const awaited = (cursor.awaited ?? [])
    .filter(({ passed }) => passed !== true)
    .map((turn): Expected => ({ ...turn, from: 0 }));
  const isCaptured = (turnId: string): boolean => {
    const { user, assistant } = capturedSides(cursor, turnKey(turnId));
    return user && assistant;
  };
  const pending = prompts
    // Captured, and not yet dropped: reading has passed its turn, and an equal one is another.
    .filter(({ turnId }) => !isCaptured(turnId) && !awaited.some((turn) => turn.turnId === turnId))
    .map(({ turnId, content, transcript: at }): Expected => ({
      turnId,
      content,
      from: at !== undefined && transcript.covers(at) ? at.offset : undefined,
    }));
  if (!goesOn) {
    const noted = prompts.flatMap(({ transcript: at }) =>
      at !== undefined && transcript.covers(at) ? [at.offset] : [],
    );
    leaveOutCaptured(cursor, seen, Math.min(...noted));
  }
  const expected = [...awaited, ...pending];
  const passed = (cursor.awaited ?? []).filter(({ turnId }) => !expected.some((turn) => turn.turnId === turnId));
  reserveAnswers(cursor, seen);
  reserveEnded(ended, expected, seen);
  for (const one of seen) if (passed.some(({ turnId }) => turnId === one.reserved)) one.owner = one.reserved ?? '';
  matchByOrder(expected, matchContents(expected, seen), seen);
  const isOwned = (turnId: string): boolean => seen.some(({ owner }) => owner === turnId);
  for (const one of seen) {
    if (one.known === true || one.owner !== undefined) continue;
    // An answer without a prompt, and before it a prompt of the same words without an answer.
    const left = passed.find(
      ({ turnId, content }) =>
        content === one.content && !isOwned(turnId) && !capturedSides(cursor, turnKey(turnId)).assistant,
    );
    if (left !== undefined) one.owner = left.turnId;
  }

  const contents = new Map<string, string>();
  const counts = countsOf(capturedContents(cursor).map(({ content }) => content));
  const identified = seen.flatMap(({ turn, content, owner, known }) => {
    if (known === true) return [];
    if (owner !== undefined) return [{ ...turn, turnId: owner }];
    const ordinal = (counts.get(content) ?? 0) + 1;
    counts.set(content, ordinal);
    const turnId = `${GENERATED_TURN_ID}${content}-${ordinal}`;
    contents.set(turnId, content);
    return [{ ...turn, turnId }];
  });
  return { turns: identified, contents };
}

/**
 * In a file that was written anew: what shows a captured answer, then as many turns of each content as are captured, oldest
 * first, and whatever lies before the last of them, for what is captured is older than what is not. Behind `until` lies what
 * came with a noted prompt.
 */
function leaveOutCaptured(cursor: CaptureCursor, seen: readonly SeenTurn[], until: number): void {
  const captured = capturedContents(cursor);
  for (const { turnId, passed } of cursor.awaited ?? []) {
    const own = passed === true ? undefined : contentOf(cursor, turnKey(turnId));
    const index = captured.findIndex(({ content, answer }) => content === own?.content && answer === own.answer);
    if (index !== -1) captured.splice(index, 1);
  }
  const before = seen.filter(({ turn }) => turn.offset < until);
  for (const fits of [
    (one: SeenTurn, { answer }: CapturedContent): boolean => answer !== undefined && answer === one.answer,
    (): boolean => true,
  ]) {
    before.forEach((one) => {
      const found = captured.findIndex((turn) => turn.content === one.content && fits(one, turn));
      if (one.known === true || found === -1) return;
      captured.splice(found, 1);
      one.known = true;
    });
  }
  const last = before.findLastIndex(({ known }) => known === true);
  for (const one of before.slice(0, last === -1 ? before.length : last)) one.known = true;
}

/** The first turn with the words and the answer of an awaited one is that one, and nobody else's. */
function reserveAnswers(cursor: CaptureCursor, seen: readonly SeenTurn[]): void {
  for (const { turnId, content } of cursor.awaited ?? []) {
    const answer = contentOf(cursor, turnKey(turnId))?.answer;
    const one = seen.find(
      (turn) =>
        turn.known !== true && turn.reserved === undefined && turn.content === content && turn.answer === answer,
    );
    if (answer !== undefined && one !== undefined) one.reserved = turnId;
  }
}

/** The last turn with the words and the answer of the one that has just ended is that one. */
function reserveEnded(ended: IdentifyInput['ended'], expected: readonly Expected[], seen: readonly SeenTurn[]): void {
  const answer = ended?.answer?.trim() ?? '';
  const wanted = expected.find(({ turnId }) => turnId === ended?.turnId);
  if (answer === '' || wanted === undefined || seen.some(({ reserved }) => reserved === wanted.turnId)) return;
  const one = seen.findLast(({ turn, content, known, reserved }) => {
    const last = turn.assistant.findLast((part) => part.type === 'text');
    const isFree = known !== true && reserved === undefined && content === wanted.content;
    return isFree && last?.text.trim().startsWith(answer) === true;
  });
  if (one !== undefined) one.reserved = wanted.turnId;
}

/**
 * Gives expected turns a seen one of the same content each: as many as possible without changing the order of either side
 * (the longest common subsequence). Returns for every expected turn the index of the seen one, or undefined.
 *
 * Several ways may give equally many. Then an expected turn whose place in this file is known takes the first fitting one
 * behind that place, and one whose place is unknown takes the last that is left: it must not take another's away.
 */
function matchContents(expected: readonly Expected[], seen: readonly SeenTurn[]): (number | undefined)[] {
  const fits = (which: number, index: number): boolean => {
    const wanted = expected[which];
    const one = seen[index];
    return (
      wanted !== undefined &&
      one !== undefined &&
      one.known !== true &&
      (one.reserved ?? wanted.turnId) === wanted.turnId &&
      one.content === wanted.content &&
      one.turn.offset >= (wanted.from ?? 0)
    );
  };
  // best[which][index]: matches among the expected from `which` and the seen from `index` on.
  const best = Array.from({ length: expected.length + 1 }, () => new Uint32Array(seen.length + 1));
  const bestOf = (which: number, index: number): number => best[which]?.[index] ?? 0;
  for (let which = expected.length - 1; which >= 0; which -= 1) {
    const row = best[which] as Uint32Array;
    for (let index = seen.length - 1; index >= 0; index -= 1) {
      const matched = fits(which, index) ? 1 + bestOf(which + 1, index + 1) : 0;
      row[index] = Math.max(matched, bestOf(which + 1, index), bestOf(which, index + 1));
    }
  }
  const places: (number | undefined)[] = expected.map(() => undefined);
  for (let which = 0, index = 0; which < expected.length && index < seen.length;) {
    const isPlaced = expected[which]?.from !== undefined;
    const matched = fits(which, index) ? 1 + bestOf(which + 1, index + 1) : 0;
    const others = Math.max(bestOf(which + 1, index), bestOf(which, index + 1));
    if (matched > 0 && (isPlaced ? matched >= others : matched > others)) {
      (seen[index] as SeenTurn).owner = expected[which]?.turnId ?? '';
      places[which] = index;
      which += 1;
      index += 1;
    } else if (bestOf(which, index + 1) >= bestOf(which + 1, index)) index += 1;
    else which += 1;
  }
  return places;
}

/** A client may repeat a prompt in other words (a command spelled out, a file put in): then its place decides. */
function matchByOrder(expected: readonly Expected[], places: (number | undefined)[], seen: readonly SeenTurn[]): void {
  for (let which = expected.length - 1; which >= 0; which -= 1) {
    const wanted = expected[which];
    if (places[which] !== undefined || wanted === undefined) continue;
    const before = places.slice(which + 1).find((place) => place !== undefined) ?? seen.length;
    for (let index = before - 1; index >= 0; index -= 1) {
      const one = seen[index];
      if (one === undefined || one.owner !== undefined || one.turn.offset < (wanted.from ?? 0)) break;
      if ((one.reserved ?? wanted.turnId) !== wanted.turnId) break;
      if (one.known === true) continue;
      one.owner = wanted.turnId;
      places[which] = index;
      break;
    }
  }
}

function countsOf(contents: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const content of contents) counts.set(content, (counts.get(content) ?? 0) + 1);
  return counts;
}
