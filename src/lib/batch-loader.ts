/**
 * Do at once for many what is asked for one by one. While a call is under way, whoever asks waits for the next, which is
 * for all of them; whoever asks alone waits for nobody. What the call does not answer is `undefined`.
 */
export function batchLoader<Key, Result>(
  call: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Result>>,
): (key: Key) => Promise<Result | undefined> {
  let last: Promise<unknown> = Promise.resolve();
  let next: { readonly keys: Set<Key>; readonly results: Promise<ReadonlyMap<Key, Result>> } | undefined;

  function begin() {
    const keys = new Set<Key>();
    const results = last.then(() => {
      next = undefined;
      return call([...keys]);
    });
    last = results.catch(() => undefined);
    return { keys, results };
  }

  return async (key) => {
    next ??= begin();
    next.keys.add(key);
    return (await next.results).get(key);
  };
}
