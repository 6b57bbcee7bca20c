/** "Did you mean": the nearest known spelling of a mistyped name, or none when nothing is near. */

/** Spellings that differ only in case, `-` and `_` are the same key. */
export function normalKey(key: string): string {
  return key.replace(/[-_]/g, '').toLowerCase();
}

/** The candidate that is at most a third of its length (and three edits) away. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  const wanted = normalKey(word.slice(0, 64));
  for (const candidate of candidates) {
    const known = normalKey(candidate);
    const distance = editDistance(wanted, known);
    if (distance < bestDistance && distance <= Math.min(3, Math.floor(known.length / 3))) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Optimal string alignment: insertion, deletion, replacement and a swap of neighbours each count one. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
