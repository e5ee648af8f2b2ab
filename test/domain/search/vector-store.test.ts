import test from 'ava';
import fc from 'fast-check';

import { VectorStore } from '#src/domain/search/vector-store.ts';

/** A vector in PostgreSQL's binary format. */
function pack(values: readonly number[]): Buffer {
  const packed = Buffer.alloc(20 + values.length * 8);
  [1, 0, 700, values.length, 1].forEach((word, index) => packed.writeInt32BE(word, index * 4));
  values.forEach((value, index) => {
    packed.writeInt32BE(4, 20 + index * 8);
    packed.writeFloatBE(value, 24 + index * 8);
  });
  return packed;
}

const change = fc.record({
  kind: fc.constantFrom('product', 'content'),
  id: fc.constantFrom(...'abcdefghijklmnop'),
  values: fc.option(fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 3, maxLength: 3 })),
});

test('VectorStore returns the nearest vectors after random changes', (t) => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), fc.integer({ min: 1, max: 8 }), (changes, count) => {
      const store = new VectorStore(3);
      const model = new Map<string, number[]>();
      for (const { kind, id, values } of changes) {
        store.apply({ kind, id, packed: values && pack(values) } as never);
        if (values) model.set(`${kind}:${id}`, values);
        else model.delete(`${kind}:${id}`);
      }
      const query = [1, -2, 3];
      const expected = [...model]
        .filter(([name]) => name.startsWith('product:'))
        .map(([, values]) => values.reduce((sum, value, index) => sum + value * (query[index] ?? 0), 0))
        .toSorted((left, right) => right - left)
        .slice(0, count);
      const found = store.nearest(Float32Array.from(query), ['product'], count);
      t.is(store.size, model.size);
      t.deepEqual(
        found.map(({ similarity }) => similarity),
        expected,
      );
      for (const { kind, id, similarity } of found) {
        t.is(
          similarity,
          (model.get(`${kind}:${id}`) ?? []).reduce((sum, value, index) => sum + value * (query[index] ?? 0), 0),
        );
      }
    }),
  );
});

test('VectorStore ignores a vector of another length', (t) => {
  const store = new VectorStore(3);
  store.apply({ kind: 'product', id: 'a', packed: pack([1, 2]) });
  store.apply({ kind: 'product', id: 'b', packed: Buffer.alloc(12) });
  t.is(store.size, 0);
});

test('VectorStore stores at most its limit and updates what it stores', (t) => {
  const store = new VectorStore(2, 2);
  for (const [id, values] of [
    ['a', [1, 0]],
    ['b', [0, 1]],
    ['c', [1, 1]],
    ['a', [0, 2]],
  ] as const)
    store.apply({ kind: 'product', id, packed: pack(values) });
  t.is(store.size, 2);
  t.deepEqual(
    store.nearest(Float32Array.of(0, 1), ['product'], 3).map(({ id }) => id),
    ['a', 'b'],
  );
});
