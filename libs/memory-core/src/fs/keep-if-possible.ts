/** Notes that only save time later: a full disk or a read-only home must not cost the answer that is already there. */
export function keepIfPossible(write: () => void): void {
  try {
    write();
  } catch {
    // The next hook asks again.
  }
}
