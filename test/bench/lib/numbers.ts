/** The value below which this part of all values lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

export function describeLatencies(values: readonly number[]): string {
  return [
    ['p50', 0.5],
    ['p95', 0.95],
    ['p99', 0.99],
  ]
    .map(([name, part]) => `${name} ${percentile(values, Number(part)).toFixed(1)} ms`)
    .join(', ');
}

/** Do this with every item, so many at a time, and return how long each took. */
export async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<unknown>,
): Promise<number[]> {
  const took: number[] = [];
  const queue = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) {
        const startedAt = performance.now();
        await work(item);
        took.push(performance.now() - startedAt);
      }
    }),
  );
  return took;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
