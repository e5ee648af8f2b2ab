/**
 * The word that was probably meant: the one that the fewest changes make of what was written, if they are few. Two
 * letters that changed places are two changes.
 */
export function nearest(written: string, known: Iterable<string>): string | undefined {
  const limit = written.length < 4 ? 1 : Math.max(2, Math.floor(written.length / 3));
  const [best] = [...known]
    .filter((word) => Math.abs(word.length - written.length) <= limit)
    .map((word) => ({ word, changes: changesBetween(written.toLowerCase(), word.toLowerCase()) }))
    .filter(({ changes }) => changes <= limit)
    .toSorted((left, right) => left.changes - right.changes);
  return best?.word;
}

/** How many characters must be added, dropped or replaced to make one text of the other (Levenshtein). */
function changesBetween(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, character] of [...left].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...right].entries()) {
      const replaced = (row[column] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
