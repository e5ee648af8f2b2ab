import test from 'ava';

import { batchLoader } from '#src/lib/batch-loader.ts';

/** Calls that are under way until they are answered, with what each was asked. */
function slowly() {
  const calls: { keys: readonly string[]; succeed(known: readonly string[]): void; fail(error: Error): void }[] = [];
  const request = batchLoader(
    (keys: readonly string[]) =>
      new Promise<Map<string, string>>((resolve, fail) => {
        calls.push({ keys, succeed: (known) => resolve(new Map(known.map((key) => [key, key.toUpperCase()]))), fail });
      }),
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { calls, request, turn };
}

test('batchLoader loads a single key at once, and keys of the meantime together in the next call', async (t) => {
  const { calls, request, turn } = slowly();
  const first = request('a');
  await turn();
  const others = [request('b'), request('c'), request('b'), request('nobody knows')];
  await turn();
  t.deepEqual(
    calls.map(({ keys }) => keys),
    [['a']],
  );
  calls[0]?.succeed(['a']);
  t.is(await first, 'A');
  await turn();
  t.deepEqual(calls[1]?.keys, ['b', 'c', 'nobody knows']);
  calls[1]?.succeed(['b', 'c']);
  t.deepEqual(await Promise.all(others), ['B', 'C', 'B', undefined]);
});

test('batchLoader rejects only the keys of a failed call', async (t) => {
  const { calls, request, turn } = slowly();
  const failing = [request('a'), request('b')].map((call) => t.throwsAsync(call, { message: 'away' }));
  await turn();
  const after = request('c');
  calls[0]?.fail(new Error('away'));
  await Promise.all(failing);
  await turn();
  calls[1]?.succeed(['c']);
  t.is(await after, 'C');
});
