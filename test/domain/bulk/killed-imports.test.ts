import { Readable } from 'node:stream';
import anyTest, { type TestFn } from 'ava';
import { read, readOne } from '#src/database/transact.ts';
import { cancelOperation, importKindOf, listOperations, readOperation, receiveImport } from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { dieAt } from '#test/support/die-at.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

/**
 * 250 rows in three batches, some of them after an empty one: most are rejected, and the last batch names products of
 * the first again.
 */
const rows = Array.from({ length: 250 }, (_, number) =>
  number % 25 === 7 ? `\np-${number % 200},Product ${number},S-${number},100,1` : `Bad slug,,S-${number},100,1`,
);
const file = ['slug,name,sku,price_cents,stock', ...rows].join('\n');

async function startImport(ctx: Context): Promise<string> {
  const kind = importKindOf({ kind: 'products' });
  const request = { kind, format: 'csv', mode: 'upsert', dry_run: false } as const;
  const { id } = await receiveImport(ctx, request, Readable.from([Buffer.from(file)]));
  return id;
}

/** Everything that the import wrote, but ids and times. */
async function resultOf(ctx: Context, id: string): Promise<unknown> {
  const variants = await read(
    ctx,
    sql`
    select p.slug, p.name, p.version, v.sku, v.stock, v.position from products p
    join variants v on v.tenant_id = p.tenant_id and v.product_id = p.id
    where p.tenant_id = ${ctx.tenant.id} order by v.sku`,
  );
  const counts = await readOne(
    ctx,
    sql`
    select (select count(*) from audit_log a where a.tenant_id = ${ctx.tenant.id}) as audits,
      (select count(*) from stock_movements m where m.tenant_id = ${ctx.tenant.id}) as movements,
      (select count(*) from bulk_rejected_rows r where r.operation_id = ${id}) as rejected,
      (select max(row_number) from bulk_rejected_rows r where r.operation_id = ${id}) as "lastRejected",
      (select count(*) from bulk_batches b where b.operation_id = ${id}) as batches,
      (select count(*) from bulk_chunks c where c.operation_id = ${id}) as chunks,
      (select count(*) from search_documents d where d.tenant_id = ${ctx.tenant.id}) as documents`,
  );
  const operation = await readOperation(ctx, 'import', id);
  const { id: _id, createdAt: _created, startedAt: _started, finishedAt: _finished, ...rest } = operation ?? {};
  return { variants, counts, operation: rest };
}

test.serial('an import whose process is killed before any statement has the same result to the row', async (t) => {
  const { ctx, services } = t.context;
  const whole = await startImport(ctx);
  await runJobs(services);
  const expected = await resultOf(ctx, whole);
  t.like(expected, {
    operation: { state: 'completed', rowsDone: 250, rowsFailed: 240 },
    counts: { batches: 0, chunks: 0, lastRejected: 261 },
  });

  // Each further process dies one statement later than the one before it.
  const other = { ...ctx, tenant: await buildTenant(services) };
  const id = await startImport(other);
  let kills = 0;
  for (let step = 1; await dieAt(services, step, () => runJobs(services)); step += 1) {
    kills += 1;
    await services.execute(sql`
      update outbox set starts = 0, relays = 0, next_relay_at = ${services.clock.now()} where finished_at is null`);
  }
  await runJobs(services);
  t.true(kills >= 100, `${kills} kills`);
  t.deepEqual(await resultOf(other, id), expected);
});

test.serial('an upload that ends in the middle leaves a failed import without a file', async (t) => {
  const { ctx } = t.context;
  async function* half(): AsyncIterable<Buffer> {
    yield Buffer.from(file.slice(0, 1000));
    throw new Error('aborted');
  }
  const kind = importKindOf({ kind: 'products' });
  await t.throwsAsync(receiveImport(ctx, { kind, format: 'csv', mode: 'upsert', dry_run: false }, half()), {
    message: 'aborted',
  });
  const [stored] = await read<{ id: string; state: string }>(
    ctx,
    sql`select id, state from bulk_operations where tenant_id = ${ctx.tenant.id}`,
  );
  t.is(stored?.state, 'failed');
  t.like(await resultOf(ctx, stored?.id ?? ''), { counts: { chunks: 0 }, variants: [] });
});

test.serial('what arrives of an upload after it was canceled is not stored', async (t) => {
  const { ctx } = t.context;
  const piece = Buffer.from(`${file}\n`.repeat(40));
  const isStored = async () =>
    (await read(ctx, sql`select from bulk_chunks where tenant_id = ${ctx.tenant.id}`)).length > 0;
  async function* canceledInTheMiddle(): AsyncIterable<Buffer> {
    yield piece;
    yield piece;
    t.true(await isStored());
    const { rows } = await listOperations(ctx, { type: 'import', kinds: ['products'] });
    for (const row of rows) await cancelOperation(ctx, row);
    yield piece;
    yield piece;
  }
  const request = { kind: importKindOf({ kind: 'products' }), format: 'csv', mode: 'upsert', dry_run: false } as const;
  const { id } = await receiveImport(ctx, request, canceledInTheMiddle());
  t.is((await readOperation(ctx, 'import', id))?.state, 'canceled');
  t.false(await isStored());
});
