import { OptimisticLockError } from '@mikro-orm/core';
import anyTest, { type TestFn } from 'ava';
import { isDatabaseAway } from '#src/database/is-database-away.ts';
import { lockNames } from '#src/database/lock-names.ts';
import { lockRow, readRow, saveRow } from '#src/database/rows.ts';
import { inSavepoint } from '#src/database/savepoint.ts';
import { brokenConstraint, completeJobIf, read, transact, writeRows } from '#src/database/transact.ts';
import { findEntry } from '#src/domain/content/index.ts';
import type { Context, InTransaction } from '#src/domain/context.ts';
import { lockOrder } from '#src/domain/orders/index.ts';
import { Order } from '#src/domain/orders/order.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { interleave } from '#test/support/interleave.ts';
import { jobAttempt } from '#test/support/job-attempts.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';

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

async function readOrder(ctx: TestContext['ctx'], id: string): Promise<Order> {
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
    t.like(await lock(ctx, id), {
      labels: only(...labels),
      paidAt,
      attentions: [],
      totalCents: 12_345,
      version: version + 1,
    });
  });
});

test.serial('changes of several rows are written by statements whose texts contain no values', async (t) => {
  const { services, ctx } = t.context;
  const ids = [(await buildPaidOrder(ctx)).id, (await buildPaidOrder(ctx)).id];
  const { statements } = await countStatements(services, () =>
    transact(ctx, async (ctx) => {
      for (const id of ids) (await lock(ctx, id)).totalCents = 12_345;
    }),
  );
  for (const secret of [...ids, ctx.tenant.id, '12345']) t.false(statements.join('\n').includes(secret), secret);
  for (const id of ids) t.is((await readOrder(ctx, id)).totalCents, 12_345);
});

test.serial('a concurrent change of one of several rows is not lost, whenever it comes', async (t) => {
  const { services, ctx } = t.context;
  for (let step = 1, isReached = true; isReached; step += 1) {
    const ids = [(await buildPaidOrder(ctx)).id, (await buildPaidOrder(ctx)).id];
    const increment = () =>
      transact(ctx, async (ctx) => {
        for (const order of await ctx.tx.em.find(Order, { tenantId: ctx.tenant.id, id: ids })) order.totalCents += 1;
      }).catch((error: unknown) => t.true(error instanceof OptimisticLockError, String(error)));
    const change = () =>
      writeRows(
        ctx,
        sql`update orders set total_cents = 5, version = version + 1
          where tenant_id = ${ctx.tenant.id} and id = ${ids[1]} returning id`,
      );
    isReached = await interleave(services, step, increment, change);
    if (isReached) t.true([5, 6].includes((await readOrder(ctx, ids[1] ?? '')).totalCents), `step ${step}`);
  }
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
    const order = await readOrder(ctx, id);
    Object.assign(order, { labels, paidAt, totalCents: 12_345 });
    t.true(await saveRow(ctx, order, ['version']));
    order.totalCents = 12_346;
    t.true(await saveRow(ctx, order, ['version']));
    return order;
  });
  t.is(statements.length, 3, statements.join('\n'));
  for (const secret of [id, ctx.tenant.id, '9205', '12345', '2026'])
    t.false(statements.join('\n').includes(secret), secret);
  t.like(await readOrder(ctx, id), { labels: only(...labels), paidAt, totalCents: 12_346, version: order.version });
});

test('saveRow writes nothing to a row that was changed meanwhile', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  const [first, second] = [await readOrder(ctx, id), await readOrder(ctx, id)];
  first.totalCents = 1;
  second.totalCents = 2;
  t.true(await saveRow(ctx, first, ['version']));
  t.false(await saveRow(ctx, second, ['version']));
  t.false(await transact(ctx, (ctx) => saveRow(ctx, second, ['version'])));
  t.false(await saveRow(ctx, second, ['status', 'totalCents']));
  t.true(await saveRow(ctx, second, ['status']));
  t.is((await readOrder(ctx, id)).totalCents, 2);

  const other = { ...ctx, tenant: { ...ctx.tenant, id: 'ten_other' } };
  t.is(await readRow(other, Order, id), undefined);
  second.totalCents = 3;
  t.false(await saveRow(other, second, ['status']), "another store's row");
});

const request = (ctx: Context, statement: Sql) => read<{ value: number }>(ctx, statement, { brief: true });

/** How many connections were taken meanwhile. Only for what runs alone. */
async function taken(ctx: Context, work: () => Promise<unknown>): Promise<number> {
  const { pool } = ctx.database;
  let count = 0;
  const watch = () => void (count += 1);
  pool.on('acquire', watch);
  await work();
  pool.off('acquire', watch);
  return count;
}

test.serial(
  'brief reads of one iteration of the event loop share a connection, ten at a time, and each gets its own result',
  async (t) => {
    const { ctx } = t.context;
    const numbers = Array.from({ length: 25 }, (_, number) => number);
    const connections = await taken(ctx, async () => {
      const rows = await Promise.all(numbers.map((number) => request(ctx, sql`select ${number}::int as value`)));
      t.deepEqual(
        rows,
        numbers.map((value) => [{ value }]),
      );
    });
    t.is(connections, 3);
    t.is(await taken(ctx, () => request(ctx, sql`select 1 as value`)), 1);
  },
);

test.serial('a brief read that fails does not affect others, and the next ones get a working connection', async (t) => {
  const { ctx } = t.context;
  const divided = (by: number) => request(ctx, sql`select 6 / ${by}::int as value`);
  for (let time = 0; time < 2; time += 1) {
    const results = await Promise.allSettled([divided(1), divided(0), divided(2)]);
    t.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
      [[{ value: 6 }], 'failed', [{ value: 3 }]],
    );
  }
});

test.serial('brief reads on a lost connection all fail, and it is not used again', async (t) => {
  const { ctx } = t.context;
  const ended = request(ctx, sql`select pg_terminate_backend(pg_backend_pid())::int as value`);
  const results = await Promise.allSettled([
    ended,
    request(ctx, sql`select 1 as value`),
    request(ctx, sql`select 2 as value`),
  ]);
  t.true(results.every((result) => result.status === 'rejected' && isDatabaseAway(result.reason)));
  t.deepEqual(await request(ctx, sql`select 3 as value`), [{ value: 3 }]);
});

test.serial('brief reads that share a connection see only the rows of their own store', async (t) => {
  const { ctx, services } = t.context;
  const other = { ...ctx, tenant: await buildTenant(services) };
  await buildEntry(ctx, { slug: 'care', title: 'Ours' });
  await buildEntry(other, { slug: 'care', title: 'Theirs' });
  const seen = (of: Context) => read<{ title: string }>(of, sql`select title from entries`, { brief: true });
  const connections = await taken(ctx, async () => {
    const titles = await Promise.all([ctx, other, ctx].map(async (of) => (await seen(of)).map(({ title }) => title)));
    t.deepEqual(titles, [['Ours'], ['Theirs'], ['Ours']]);
    t.deepEqual(
      (await Promise.all([ctx, other].map((of) => findEntry(of, 'article', 'care')))).map(({ title }) => title),
      ['Ours', 'Theirs'],
    );
  });
  t.is(connections, 2);
});

test('lockNames holds a bounded number of locks, however many names are locked', async (t) => {
  await transact(t.context.ctx, async (ctx) => {
    const names = Array.from({ length: 20_000 }, (_, number) => `oak-bowl-${number}`);
    await lockNames(ctx, 'product', names);
    const [held] = await ctx.tx.execute<{ locks: number }>(
      sql`select count(*)::int as locks from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    );
    t.is(held?.locks, 1024);
  });
});

test('lockNames makes transactions that lock the same names in different orders wait for each other', async (t) => {
  const names = Array.from({ length: 200 }, (_, number) => `oak-bowl-${number}`);
  const order: string[] = [];
  const hold = (own: readonly string[]) =>
    transact(t.context.ctx, async (ctx) => {
      await lockNames(ctx, 'product', own);
      order.push('in');
      await ctx.tx.execute(sql`select pg_sleep(0.01)`);
      order.push('out');
    });
  await Promise.all([hold(names), hold(names.toReversed()), hold(names.slice(50))]);
  t.deepEqual(order, ['in', 'out', 'in', 'out', 'in', 'out']);
});

/** A change that nothing in the transaction reads. */
const leadOf = ({ tenant, clock }: Context, email: string) => sql`
  insert into leads (tenant_id, id, email, source, created_at, updated_at)
  values (${tenant.id}, ${newId('lead')}, ${email}, 'footer', ${clock.now()}, ${clock.now()})`;

test.serial('transact writes changes with its last statement, and those that repeat a text before it', async (t) => {
  const { services, ctx } = t.context;
  const emails = async () =>
    (
      await read<{ email: string }>(ctx, sql`select email from leads where tenant_id = ${ctx.tenant.id} order by email`)
    ).map(({ email }) => email);
  const write = (...changes: Sql[]) =>
    countStatements(services, () => transact(ctx, async ({ tx }) => tx.changes.push(...changes)));
  const other = sql`update leads set name = 'Ada' where tenant_id = ${ctx.tenant.id} and email = 'nobody'`;

  const [one] = [await write(leadOf(ctx, 'a'), other), await write(other, leadOf(ctx, 'b'))].map(
    (each) => each.statements,
  );
  t.is(one?.length, 1);
  t.deepEqual(await emails(), ['a', 'b']);
  const many = await write(other, ...['c', 'd', 'e'].map((email) => leadOf(ctx, email)));
  t.is(many.statements.length, 3);
  t.is(many.statements.at(-1), one?.[0], 'the same text, and so the same plan, for any number and order');
  t.deepEqual(await emails(), ['a', 'b', 'c', 'd', 'e']);
});

test('transact writes no change of a part that was undone, or of a transaction that failed', async (t) => {
  const { ctx } = t.context;
  await transact(ctx, async (ctx) => {
    ctx.tx.changes.push(leadOf(ctx, 'kept'));
    await inSavepoint(ctx, async (ctx) => ctx.tx.changes.push(leadOf(ctx, 'undone')), { isUndone: true });
  });
  await t.throwsAsync(
    transact(ctx, async (ctx) => {
      ctx.tx.changes.push(leadOf(ctx, 'failed'));
      throw new Error('It failed.');
    }),
  );
  const twice = transact(ctx, async (ctx) => {
    ctx.tx.changes.push(leadOf(ctx, 'twice'), leadOf(ctx, 'twice'));
  });
  t.is(brokenConstraint(await t.throwsAsync(twice)), 'leads_tenant_id_email_source_key');
  t.deepEqual(await read(ctx, sql`select email from leads where tenant_id = ${ctx.tenant.id}`), [{ email: 'kept' }]);
});

test('transact fails where the error of a statement was passed over, because nothing was written', async (t) => {
  const { ctx } = t.context;
  const passedOver = transact(ctx, (ctx) => ctx.tx.execute(sql`select 1 / 0`).catch(() => []));
  await t.throwsAsync(passedOver, { message: /passed over/ });
});

test('a part that is undone keeps the changes before it, and fails where its own cannot be written', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  const undoPart = (before: number, within: number) =>
    transact(ctx, async (ctx) => {
      const order = await lock(ctx, id);
      order.totalCents = before;
      const part = async () => void (order.totalCents = within);
      await inSavepoint(ctx, part, { isUndone: true });
    });
  await undoPart(1, 2);
  t.is((await readOrder(ctx, id)).totalCents, 1);
  t.is(brokenConstraint(await t.throwsAsync(undoPart(3, -1))), 'orders_total_cents_check');
});

test('completeJobIf completes a job with the change that it names, and not without it', async (t) => {
  const { ctx, services, clock } = t.context;
  const [order, job] = [await buildPaidOrder(ctx), newId('job')];
  await services.execute(sql`
    insert into outbox (id, tenant_id, job, queue, key, payload, due_at, next_relay_at, trace)
    values (${job}, ${ctx.tenant.id}, 'labels.purchase-label', 'labels', ${job}, '{}', ${clock.now()}, ${clock.now()},
      '{}')`);
  const attempt = jobAttempt({ outboxId: job });
  const markShipped = (id: string) =>
    completeJobIf(
      { ...ctx, attempt },
      sql`update orders set shipped_at = ${clock.now()} where tenant_id = ${ctx.tenant.id} and id = ${id} returning id`,
    );
  const isFinished = async () => {
    const [row] = await services.execute<{ isFinished: boolean }>(sql`
      select finished_at is not null as "isFinished" from outbox where id = ${job}`);
    return row?.isFinished;
  };
  t.false(await markShipped(newId('ord')));
  t.deepEqual([attempt.isCompleted, await isFinished()], [false, false]);
  t.true(await markShipped(order.id));
  t.deepEqual([attempt.isCompleted, await isFinished()], [true, true]);
});
