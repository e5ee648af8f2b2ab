/** What is used of a query, whose data is an object. */
interface ObjectQuery {
  readonly state: {
    readonly data: object | undefined;
    readonly dataUpdatedAt: number;
    readonly errorUpdatedAt: number;
  };
}

const [leastMs, mostMs] = [500, 5000];

/** When data was first read as it is: what is read again and is the same is the same object. */
const firstReadAt = new WeakMap<object, number>();

/**
 * How soon what workers change is read again: the longer it has been as it is, the later. So an outcome is seen soon
 * after a button was pressed, and a page that stays open costs little.
 */
export function refetchInterval({ state: { data, dataUpdatedAt, errorUpdatedAt } }: ObjectQuery): number {
  if (!data) return mostMs;
  const since = firstReadAt.get(data) ?? dataUpdatedAt;
  firstReadAt.set(data, since);
  return Math.min(mostMs, Math.max(leastMs, dataUpdatedAt - since, errorUpdatedAt - since));
}
