/**
 * The known word that was probably meant: the one that the fewest edits turn into what was written, if they are few.
 */
export function nearest(written: string, known: Iterable<string>): string | undefined {
  const most = written.length < 4 ? 1 : Math.max(2, Math.floor(written.length / 3));
  const [best] = [...known]
    .map((word) => ({ word, edits: editDistance(written.toLowerCase(), word.toLowerCase(), most) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((left, right) => left.edits - right.edits);
  return best?.word;
}

/**
 * The optimal string alignment distance: how many letters have to be inserted, deleted, replaced or swapped with their
 * neighbour to turn one word into the other.
 * @returns `most + 1` for a distance above `most`
 */
export function editDistance(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at += 1) {
    const next = [at];
    let least = at;
    for (let to = 1; to <= right.length; to += 1) {
      const isSame = left[at - 1] === right[to - 1];
      let changes = Math.min((row[to - 1] ?? 0) + (isSame ? 0 : 1), (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1);
      const isSwapped = at > 1 && to > 1 && left[at - 1] === right[to - 2] && left[at - 2] === right[to - 1];
      if (isSwapped) changes = Math.min(changes, (before[to - 2] ?? 0) + 1);
      next.push(changes);
      if (changes < least) least = changes;
    }
    if (least > most) return most + 1;
    before = row;
    row = next;
  }
  return Math.min(row[right.length] ?? 0, most + 1);
}
