/**
 * Captured turns that the client's record does not show yet. Where a record has no ids, a turn that was forgotten here would
 * be taken for a new one as soon as the record shows it.
 */
import { turnKey } from '../spool/journal.ts';
import { capturedSides, type AwaitedTurn, type CaptureCursor } from '../spool/record.ts';

/** How many captured turns the record may still owe us. */
const MOST_AWAITED = 20;

/**
 * What is awaited after a turn was captured. A record is in the order of the conversation: once it shows a turn, it owes
 * none before it; a held turn is itself behind the place where reading goes on. Which turn it shows is a guess where the
 * same is said again and again: one that has no answer yet, or whose answer was told and not shown (`owes`), is passed
 * and not forgotten.
 */
export function awaiting(
  cursor: CaptureCursor,
  captured: AwaitedTurn,
  isShown: boolean,
  held: boolean,
  owes: boolean,
): Pick<CaptureCursor, 'awaited'> {
  let awaited = (cursor.awaited ?? []).filter(({ turnId }) => turnId !== captured.turnId);
  if (isShown)
    awaited = awaited
      .filter(({ turnId }) => !capturedSides(cursor, turnKey(turnId)).assistant)
      .map((turn) => ({ ...turn, passed: true }));
  if (!isShown || held) awaited.push(captured);
  else if (owes) awaited.push({ ...captured, passed: true });
  return { awaited: awaited.slice(-MOST_AWAITED) };
}
