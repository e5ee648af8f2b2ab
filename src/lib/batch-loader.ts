/**
 * Load values in batches. While a call is in progress, further keys wait for the next call, which loads all of them; a
 * single key is loaded at once. A key that the call does not return is `undefined`.
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
