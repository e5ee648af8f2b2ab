/**
 * Do at once for many what is asked for one by one. While a call is under way, whoever asks waits for the next, which is
 * for all of them; whoever asks alone waits for nobody. What the call does not answer is `undefined`.
 */
export function batchLoader<Key, Answer>(
  call: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Answer>>,
): (key: Key) => Promise<Answer | undefined> {
  let last: Promise<unknown> = Promise.resolve();
  let next: { readonly keys: Set<Key>; readonly answers: Promise<ReadonlyMap<Key, Answer>> } | undefined;

  function begin() {
    const keys = new Set<Key>();
    const answers = last.then(() => {
      next = undefined;
      return call([...keys]);
    });
    last = answers.catch(() => undefined);
    return { keys, answers };
  }

  return async (key) => {
    next ??= begin();
    next.keys.add(key);
    return (await next.answers).get(key);
  };
}
