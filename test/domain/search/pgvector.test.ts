import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import anyTest, { type TestFn } from 'ava';

import type { Context } from '#src/domain/context.ts';
import { findNeighbours } from '#src/domain/search/find-similar.ts';
import { hasVectorType } from '#src/domain/search/has-vector-type.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { seededRandom } from '#test/support/random.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

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
  t.timeout(120_000);
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
