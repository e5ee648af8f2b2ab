import { OptimisticLockError } from '@mikro-orm/core';
import anyTest, { type TestFn } from 'ava';
import { lockRow, readRow, saveRow } from '#src/database/rows.ts';
import { brokenConstraint, transact } from '#src/database/transact.ts';
import type { InTransaction } from '#src/domain/context.ts';
import { lockOrder } from '#src/domain/orders/index.ts';
import { Order } from '#src/domain/orders/order.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const labels = [
  {
    carrier: 'USPS',
    service: null,
    tracking_number: '9205',
    tracking_url: 'https://t.example/?a=1',
    status: "the buyer's",
  },
];

async function lock(ctx: InTransaction, id: string): Promise<Order> {
  const order = await lockRow(ctx, Order, id);
  if (!order) throw new Error(`${id} is not there.`);
  return order;
}

async function read(ctx: TestContext['ctx'], id: string): Promise<Order> {
  const found = await readRow(ctx, Order, id);
  if (!found) throw new Error(`${id} is not there.`);
  return found.entity;
}

test.serial('lockRow and a change execute two statements whose texts contain no values', async (t) => {
  const { services, ctx } = t.context;
  const { id } = await buildPaidOrder(ctx, { attentionCodes: ['oversold'] });
  const paidAt = new Date('2026-11-21T01:02:03.456Z');
  const version = await transact(ctx, async (ctx) => (await lock(ctx, id)).version);
  const { statements } = await countStatements(services, () =>
    transact(ctx, async (ctx) => {
      const order = await lock(ctx, id);
      Object.assign(order, { labels, paidAt, attentions: [], totalCents: 12_345 });
    }),
  );
  t.is(statements.length, 2, statements.join('\n'));
  for (const secret of [id, ctx.tenant.id, '9205', '12345', '2026'])
    t.false(statements.join('\n').includes(secret), secret);
  await transact(ctx, async (ctx) => {
    t.like(await lock(ctx, id), { labels, paidAt, attentions: [], totalCents: 12_345, version: version + 1 });
  });
});

test('lockRow writes the changes of a loaded row before it reads the row again', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await transact(ctx, async (ctx) => {
    const order = await lock(ctx, id);
    order.totalCents = 1;
    t.is(await lock(ctx, id), order);
    t.is(order.totalCents, 1);
    await ctx.tx.execute(sql`update orders set total_cents = 2 where tenant_id = ${ctx.tenant.id} and id = ${id}`);
    t.is((await lock(ctx, id)).totalCents, 2);
    t.is(await lockRow(ctx, Order, 'ord_none'), undefined);
  });
});

test("the unit of work detects a concurrent change, and passes on PostgreSQL's errors", async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await t.throwsAsync(
    transact(ctx, async (ctx) => {
      const order = await lock(ctx, id);
      await ctx.tx.execute(
        sql`update orders set version = version + 1 where tenant_id = ${ctx.tenant.id} and id = ${id}`,
      );
      order.totalCents = 1;
    }),
    { instanceOf: OptimisticLockError },
  );
  const refused = await t.throwsAsync(
    transact(ctx, async (ctx) => {
      (await lock(ctx, id)).totalCents = -1;
    }),
  );
  t.is(brokenConstraint(refused), 'orders_total_cents_check');
});

test('rows that reference a locked row can be written', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await transact(ctx, async (inner) => {
    await lockOrder(inner, id);
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      insert into holds (tenant_id, id, order_id, kind, subject_id, state, expires_at, created_at)
      select tenant_id, 'hold_' || id, id, 'stock', 'var_1', 'held', now(), now() from orders
      where tenant_id = ${ctx.tenant.id} and id = ${id}`),
    );
  });
  t.pass();
});

test.serial('saveRow writes the changes of a row that is as it was read, with one statement', async (t) => {
  const { services, ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  const paidAt = new Date('2026-11-21T01:02:03.456Z');
  const { result: order, statements } = await countStatements(services, async () => {
    const order = await read(ctx, id);
    Object.assign(order, { labels, paidAt, totalCents: 12_345 });
    t.true(await saveRow(ctx, order, ['version']));
    order.totalCents = 12_346;
    t.true(await saveRow(ctx, order, ['version']));
    return order;
  });
  t.is(statements.length, 3, statements.join('\n'));
  for (const secret of [id, ctx.tenant.id, '9205', '12345', '2026'])
    t.false(statements.join('\n').includes(secret), secret);
  t.like(await read(ctx, id), { labels, paidAt, totalCents: 12_346, version: order.version });
});

test('saveRow writes nothing to a row that was changed meanwhile', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  const [first, second] = [await read(ctx, id), await read(ctx, id)];
  first.totalCents = 1;
  second.totalCents = 2;
  t.true(await saveRow(ctx, first, ['version']));
  t.false(await saveRow(ctx, second, ['version']));
  t.false(await transact(ctx, (ctx) => saveRow(ctx, second, ['version'])));
  t.false(await saveRow(ctx, second, ['status', 'totalCents']));
  t.true(await saveRow(ctx, second, ['status']));
  t.is((await read(ctx, id)).totalCents, 2);

  const other = { ...ctx, tenant: { ...ctx.tenant, id: 'ten_other' } };
  t.is(await readRow(other, Order, id), undefined);
  second.totalCents = 3;
  t.false(await saveRow(other, second, ['status']), "another store's row");
});
