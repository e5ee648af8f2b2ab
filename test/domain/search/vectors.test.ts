import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import type { Context } from '#src/domain/context.ts';
import { findNeighbours } from '#src/domain/search/find-similar.ts';
import { hasVectorType } from '#src/domain/search/has-vector-type.ts';
import { documentsMax } from '#src/domain/search/request-embedding.ts';
import { VectorStore, vectorsWithin } from '#src/domain/search/vector-store.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { seededRandom } from '#test/support/random.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

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

test('VectorStore returns the nearest vectors after random changes', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 200 }), fc.integer({ min: 1, max: 8 }), async (changes, count) => {
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
      const found = await store.nearest(Float32Array.from(query), ['product'], count);
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

test('VectorStore stores at most its limit and updates what it stores', async (t) => {
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
    (await store.nearest(Float32Array.of(0, 1), ['product'], 3)).map(({ id }) => id),
    ['a', 'b'],
  );
});

test('VectorStore finds the vectors of each of its arrays, also after removals', async (t) => {
  const store = new VectorStore(2);
  const put = (number: number, values: number[] | null) =>
    store.apply({ kind: 'product', id: String(number), packed: values && pack(values) });
  for (let number = 0; number < 300; number += 1) put(number, [number, 1]);
  for (let number = 0; number < 300; number += 2) put(number, null);
  const found = await store.nearest(Float32Array.of(1, 0), ['product'], 150);
  t.deepEqual(
    found.map(({ id, similarity }) => [id, similarity]),
    Array.from({ length: 150 }, (_, index) => 299 - 2 * index).map((number) => [String(number), number]),
  );
});

test('VectorStore lets other work go on while it compares, and finds a vector once that is removed and put', async (t) => {
  const store = new VectorStore(2);
  const put = (number: number, values: number[] | null) =>
    store.apply({ kind: 'product', id: String(number), packed: values && pack(values) });
  for (let number = 0; number < 2000; number += 1) put(number, [number, 1]);
  let isOver = false;
  const found = store.nearest(Float32Array.of(1, 0), ['product'], 2000).finally(() => (isOver = true));
  await new Promise(setImmediate);
  t.false(isOver);
  put(7, null);
  put(7, [7, 1]);
  const ids = (await found).map(({ id }) => id);
  t.is(ids.filter((id) => id === '7').length, 1);
});

test('vectorsWithin bounds the memory of a store, and 128 MB hold one of the largest number of documents', (t) => {
  const bytes = 128 * 1024 * 1024;
  t.true(vectorsWithin(bytes, 1536) >= documentsMax);
  const store = new VectorStore(1536, vectorsWithin(2_000_000, 1536));
  for (let number = 0; number < 400; number += 1)
    store.apply({ kind: 'product', id: String(number), packed: pack(Array(1536).fill(number)) });
  t.true(store.bytes <= 2_000_000 && store.bytes > 1_500_000, `${store.bytes}`);
});

const dimensions = 32;

/** A context whose database is PostgreSQL in WebAssembly with pgvector, because the test server has no pgvector. */
function withPgvector(ctx: Context, vectors: PGlite): Context {
  const pool = {
    options: { max: 2 },
    query: ({ text, values }: { text: string; values: unknown[] }) => vectors.query(text, values),
  };
  return { ...ctx, database: { ...ctx.database, pool, replica: undefined } as unknown as Context['database'] };
}

test('findNeighbours with pgvector returns the same as an exact comparison', async (t) => {
  const { ctx } = t.context;
  const vectors = await PGlite.create({ extensions: { vector } });
  t.teardown(() => vectors.close());
  const plain = withPgvector(ctx, vectors);
  t.false(await hasVectorType(plain));
  await vectors.exec(`
    create extension vector;
    create table search_embeddings (tenant_id text, kind text, subject_id text, embedding real[])`);

  const random = seededRandom(5);
  // All roughly in the same direction: similarities from 0.5 to 1.
  const draw = () => Array.from({ length: dimensions }, () => 1 + random.below(2000) / 500);
  const unit = (values: number[]) => values.map((value) => value / Math.hypot(...values));
  const documents = Array.from({ length: 300 }, (_, number) => ({
    kind: number % 3 > 0 ? 'product' : 'content',
    id: `doc_${number}`,
    values: unit(draw()),
  }));
  const insert = (tenantId: string, kind: string, id: string, values: number[] | null) =>
    vectors.query('insert into search_embeddings values ($1, $2, $3, $4::real[])', [
      tenantId,
      kind,
      id,
      values && `{${values.join()}}`,
    ]);
  for (const { kind, id, values } of documents) await insert(ctx.tenant.id, kind, id, values);
  await insert(ctx.tenant.id, 'product', 'not embedded', null);
  await insert(ctx.tenant.id, 'product', 'of another model', [1, 0]);

  const wanted = documents[7]?.values ?? [];
  await insert('another store', 'product', 'not ours', wanted);
  const embedder = { model: 'test', embed: async () => [Float32Array.from(wanted)] };
  const request = withPgvector({ ...ctx, ports: { ...ctx.ports, embedder } }, vectors);
  t.true(await hasVectorType(request));
  const found = await findNeighbours(request, 'anything', ['product']);

  const expected = documents
    .filter(({ kind }) => kind === 'product')
    .map(({ id, values }) => ({
      id,
      similarity: values.reduce((sum, value, at) => sum + value * (wanted[at] ?? 0), 0),
    }))
    .toSorted((left, right) => right.similarity - left.similarity)
    .slice(0, 100);
  t.is(expected[0]?.id, 'doc_7');
  t.deepEqual(
    found?.map(({ id }) => id),
    expected.map(({ id }) => id),
  );
  t.deepEqual(
    found?.map(({ similarity }) => similarity.toFixed(4)),
    expected.map(({ similarity }) => similarity.toFixed(4)),
  );
});
