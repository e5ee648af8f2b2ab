import anyTest, { type TestFn } from 'ava';
import {
  pruneBulk,
  pruneCarts,
  pruneCodes,
  pruneEvents,
  pruneMails,
  pruneNotifications,
  pruneOutbox,
} from '#jobs/retention.ts';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { asPlatform, read, readOne, runOnPlatformTables, transact } from '#src/database/transact.ts';
import { analyticsRetention } from '#src/domain/analytics/retention.ts';
import { prune } from '#src/domain/backoffice/index.ts';
import { retentions as byJob } from '#src/domain/backoffice/retention.ts';
import { readMailPreference, saveTokenHashes } from '#src/domain/cart/index.ts';
import { requestCode } from '#src/domain/confirmations/index.ts';
import type { Context } from '#src/domain/context.ts';
import { type Retention, removeExpired } from '#src/domain/remove-expired.ts';
import { pruneZeroResultSearches, searchRetention } from '#src/domain/search/zero-result-searches.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { joinSql, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import { claimDue } from '#src/outbox/claim-jobs.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordFailed, recordFinished } from '#src/outbox/job-state.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { markdownFile, tableAfter } from '#test/support/documents.ts';
import { buildCart, buildSavedCart, unsubscribeTokenOf } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildMail, newAddress } from '#test/support/factories/mail.ts';
import { buildPaidOrder, buildReleasedHold } from '#test/support/factories/orders.ts';
import { holdsOf } from '#test/support/factories/payments.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { buildEndpoint, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { startRound } from '#test/support/job-attempts.ts';
import { runJobs } from '#test/support/run-jobs.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const retentions: readonly Retention[] = [...byJob.values(), analyticsRetention, searchRetention].flat();

/** What goes with the row that it belongs to. */
const parts: Readonly<Record<string, string>> = {
  webhook_attempts: 'webhook_deliveries',
  cart_lines: 'carts',
  order_items: 'orders',
  reminder_steps: 'saved_carts',
  reminder_recoveries: 'saved_carts',
  bulk_batches: 'bulk_operations',
  bulk_rejected_rows: 'bulk_operations',
  bulk_changed_items: 'bulk_operations',
};

/**
 * What is removed in another way, which tests of its own prove: whole partitions, and batches once they are counted.
 */
const otherwise = ['analytics_batches', 'analytics_events', 'analytics_sessions', 'analytics_event_ids'];

const documented = markdownFile('src/domain/privacy/README.md');

const rowsOf = (before: string) =>
  tableAfter(documented, before).map(([tables = '', retained = '']) => ({
    tables: [...tables.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ''),
    retained,
  }));

const limited = rowsOf('| tables | retained |');
const forEver = rowsOf('| tables | retained forever, because |');

test('the tables of retention name every table, and how long its rows are retained or why forever', async (t) => {
  const { services } = t.context;
  const tables = (
    await services.execute<{ name: string }>(sql`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not relispartition and relname <> 'migrations' order by relname`)
  ).map(({ name }) => name);
  t.deepEqual([...limited, ...forEver].flatMap(({ tables }) => tables).toSorted(), tables);

  const removed = new Set([...retentions.map(({ table }) => table), ...Object.keys(parts), ...otherwise]);
  t.deepEqual(limited.flatMap(({ tables }) => tables).toSorted(), [...removed].toSorted());
  for (const { table, retainedMs } of retentions) {
    const retained = limited.find(({ tables }) => tables.includes(table))?.retained ?? '';
    t.true(
      retained.includes(`${retainedMs / days(1)} day`),
      `${table}: ${retainedMs / days(1)} days, and not ${retained}`,
    );
  }
});

test('rows that belong to another one are deleted with it', async (t) => {
  for (const [part, whole] of Object.entries(parts)) {
    const found = await t.context.services.execute(sql`
      select 1 from pg_constraint where conrelid = ${part}::regclass and confrelid = ${whole}::regclass
        and confdeltype = 'c'`);
    t.is(found.length, 1, part);
  }
});

test('what belongs to a deleted row is found by an index', async (t) => {
  for (const table of new Set(retentions.map(({ table }) => table))) {
    const without = await t.context.services.execute<{ name: string }>(sql`
      select conname as name from pg_constraint c where contype = 'f' and confrelid = ${table}::regclass and not exists (
        select from pg_index i where i.indrelid = c.conrelid and i.indpred is null
          and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)`);
    t.deepEqual(without, [], table);
  }
});

/* One of ranges (BRIN) finds them only until new rows take the space of removed ones: then all of its ranges are old. */
test('expired rows are found by an index that has them in the order of their age', async (t) => {
  for (const { table, age } of retentions) {
    const found = await t.context.services.execute(sql`
      select 1 from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
      where i.indrelid = ${table}::regclass and a.attname = ${age} and m.amname = 'btree'`);
    t.true(found.length > 0, `${table} by ${age}`);
  }
});

/** What makes a row one that its retention removes, and one that it spares although it is old. */
const samples: Readonly<Record<string, { removed: Row; retainedRow?: Row }>> = {
  mails: { removed: { state: 'sent' }, retainedRow: { state: 'queued' } },
  integration_calls: { removed: { state: 'handled' }, retainedRow: { state: 'received' } },
  integration_connections: { removed: {}, retainedRow: { received_at: '2020-01-01' } },
  payment_events: { removed: { state: 'applied' }, retainedRow: { state: 'pending' } },
  payment_sessions: { removed: { state: 'expired' }, retainedRow: { state: 'settled' } },
  payment_secret_rotations: { removed: { state: 'done' }, retainedRow: { state: 'confirmed' } },
  webhook_deliveries: { removed: { state: 'delivered' }, retainedRow: { state: 'pending' } },
  idempotency_keys: { removed: { leased_until: '2020-01-01' }, retainedRow: { leased_until: '2100-01-01' } },
  orders: { removed: { status: 'expired' }, retainedRow: { status: 'pending' } },
  holds: { removed: { state: 'released' }, retainedRow: { state: 'captured' } },
  audit_log: { removed: { actor_kind: 'shopper' }, retainedRow: { actor_kind: 'key' } },
};

type Row = Readonly<Record<string, string>>;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

/** Values by which rows differ, of any type that a column has. */
const sampleValue: Readonly<Record<string, (prefix: string) => Sql>> = {
  text: (prefix) => sql`${prefix} || n`,
  bytea: (prefix) => sql`convert_to(${prefix} || n, 'UTF8')`,
  integer: () => sql`n`,
  bigint: () => sql`n`,
  numeric: () => sql`n`,
  boolean: () => sql`false`,
  json: () => sql`'{}'::json`,
  jsonb: () => sql`'{}'::jsonb`,
  'timestamp with time zone': () => sql`now()`,
  date: () => sql`now()::date`,
};

for (const retention of retentions) {
  const { table, age, retainedMs } = retention;
  test.serial(`${table} loses a backlog of several batches by ${age}, and nothing else`, async (t) => {
    const { services, clock } = t.context;
    const columns = await services.execute<Column>(sql`
      select a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull and not a.atthasdef as "isRequired"
      from pg_attribute a where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped`);
    const insert = (prefix: string, count: number, at: Date, given: Row) => {
      const set = columns
        .filter(({ name, isRequired }) => isRequired || name === age || name in given)
        .map(({ name, type }) => ({
          name: rawSql(name),
          value:
            name === age
              ? sql`${at}::timestamptz`
              : name in given
                ? sql`${given[name]}::${rawSql(type)}`
                : (sampleValue[type]?.(prefix) ?? t.fail(type)),
        }));
      return sql`insert into ${rawSql(table)} (${joinSql(
        set.map(({ name }) => name),
        ', ',
      )})
        select ${joinSql(
          set.map(({ value }) => value),
          ', ',
        )} from generate_series(1, ${count}::int) n`;
    };
    const { removed = {}, retainedRow } = samples[table] ?? {};
    const old = new Date(clock.now().getTime() - retainedMs - days(2));
    const count = () =>
      asPlatform(
        services.context(),
        'a test',
        async (ctx) => (await ctx.tx.execute(sql`select 1 from ${rawSql(table)}`)).length,
      );

    // Only the ages of these rows matter, so they need not stand for anything else.
    const constraints = await services.execute<{ name: string }>(sql`
      select quote_ident(conname) as name from pg_constraint where conrelid = ${table}::regclass
        and contype in ('c', 'f')`);
    for (const { name } of constraints)
      await services.execute(sql`alter table ${rawSql(table)} drop constraint ${rawSql(name)}`);
    await asPlatform(services.context(), 'a test', async (ctx) => {
      await ctx.tx.execute(sql`delete from ${rawSql(table)}`);
      await ctx.tx.execute(insert('old', 25, old, removed));
      await ctx.tx.execute(insert('new', 5, clock.now(), removed));
      if (retainedRow) await ctx.tx.execute(insert('retained', 5, old, retainedRow));
    });
    const stays = retainedRow ? 10 : 5;

    const run = () => removeExpired(services.context(), [retention], { batchSize: 10, batchesMax: 2 });
    await t.throwsAsync(run(), { instanceOf: Snooze }, 'the rest is left for the next run');
    t.is(await count(), 5 + stays);
    await run();
    t.is(await count(), stays);
  });
}

test.serial('operations are deleted a few at a time, because very many rows may go with each', async (t) => {
  const { ctx, services, clock } = t.context;
  const retention = byJob.get(pruneBulk)?.filter(({ table }) => table === 'bulk_operations') ?? [];
  await transact(ctx, ({ tx, tenant }) =>
    tx.execute(sql`
    insert into bulk_operations (tenant_id, id, type, kind, format, options, state, requested_by, created_at,
      finished_at)
    select ${tenant.id}, 'chg_' || n, 'bulk_change', 'products', 'ids', '{}', 'completed', '{}', at, at
    from generate_series(1, 15) n, (select ${fromNow(clock, -days(31))}::timestamptz as at) created`),
  );
  const count = async () =>
    (await read(ctx, sql`select 1 from bulk_operations where tenant_id = ${ctx.tenant.id}`)).length;
  const run = () => removeExpired(services.context(), retention, { batchSize: 2000, batchesMax: 1 });
  await t.throwsAsync(run(), { instanceOf: Snooze });
  t.is(await count(), 5);
  await run();
  t.is(await count(), 0);
});

test.serial(
  'pruneZeroResultSearches removes the rarest searches of a store that has too many, however many too many',
  async (t) => {
    const { ctx, services, clock } = t.context;
    await asPlatform(services.context(), 'a test', (ctx) => ctx.tx.execute(sql`delete from zero_result_searches`));
    for (const [store, count] of [
      ['ten_a', 2],
      [ctx.tenant.id, 20],
    ] as const) {
      await asPlatform(services.context(), 'a test', (ctx) =>
        ctx.tx.execute(sql`
      insert into zero_result_searches (tenant_id, query, count, last_at)
        select ${store}, 'q' || n, n, ${clock.now()}::timestamptz from generate_series(1, ${count}::int) n`),
      );
    }
    const run = () => pruneZeroResultSearches(services.context(), {}, { perTenantMax: 3, batchSize: 5, batchesMax: 2 });
    await t.throwsAsync(run(), { instanceOf: Snooze });
    await run();
    const left = await asPlatform(services.context(), 'a test', (ctx) =>
      ctx.tx.execute<{ query: string }>(sql`select query from zero_result_searches`),
    );
    t.deepEqual(left.map(({ query }) => query).toSorted(), ['q1', 'q18', 'q19', 'q2', 'q20']);
  },
);

test.serial('jobs are deleted a week after they completed, and open and failed ones are not', async (t) => {
  const { ctx, services, clock } = t.context;
  await transact(ctx, async (ctx) => {
    for (const endpointId of ['completed', 'failed', 'open'])
      enqueue(ctx, drainEndpoint, { endpointId, causeId: 'test' });
  });
  const { claims } = await claimDue(services.execute, [drainEndpoint.name], clock.now());
  const keys = async () =>
    (
      await runOnPlatformTables<{ key: string }>(
        ctx,
        sql`
    select key from outbox where tenant_id = ${ctx.tenant.id} order by key`,
      )
    ).map(({ key }) => key);
  const [completed, failed] = await Promise.all(
    ['completed', 'failed'].map(
      async (key) =>
        (
          await runOnPlatformTables<{ id: string }>(
            ctx,
            sql`
    select id from outbox where tenant_id = ${ctx.tenant.id} and key = ${`${key}:test`}`,
          )
        )[0]?.id ?? '',
    ),
  );
  t.is(claims.length, 3);
  await recordFinished(services.execute, await startRound(services, completed), clock.now());
  await recordFailed(services.execute, await startRound(services, failed), clock.now(), 'It was no use.');

  clock.pass(days(7) - 60_000);
  await prune(services.context(), pruneOutbox);
  t.deepEqual(await keys(), ['completed:test', 'failed:test', 'open:test']);
  clock.pass(120_000);
  for (const _ of [1, 2]) await prune(services.context(), pruneOutbox);
  t.deepEqual(await keys(), ['failed:test', 'open:test']);
});

test.serial('an event is retained while a delivery of it may be repeated', async (t) => {
  const { ctx, services, clock } = t.context;
  const endpoint = await buildEndpoint(ctx, await receiverFor(t), { events: ['webhook.test'] });
  const [delivered, pending] = [...(await recordTests(ctx, endpoint.id)), ...(await recordTests(ctx, endpoint.id))];
  await runJobs(services);
  await transact(ctx, async ({ tx, tenant }) =>
    tx.execute(sql`delete from webhook_deliveries where tenant_id = ${tenant.id} and event_id = ${pending}`),
  );
  const ids = async () =>
    (await read<{ id: string }>(ctx, sql`select id from events where tenant_id = ${ctx.tenant.id} order by id`)).map(
      ({ id }) => id,
    );

  clock.pass(days(30));
  await prune(services.context(), pruneOutbox);
  t.deepEqual(await ids(), [delivered, pending].toSorted());
  clock.pass(days(2));
  for (const _ of [1, 2]) await prune(services.context(), pruneOutbox);
  t.deepEqual(await ids(), [delivered]);
});

test.serial('an order that was never paid is deleted after 180 days, if nothing is left to do about it', async (t) => {
  const { ctx, services, clock } = t.context;
  const build = async (status: string, change: Sql = sql`paid_at = null`) => {
    const { id } = await buildPaidOrder(ctx, { status: 'pending' });
    await transact(ctx, ({ tx }) =>
      tx.execute(
        sql`update orders set status = ${status}, ${change} where tenant_id = ${ctx.tenant.id} and id = ${id}`,
      ),
    );
    return id;
  };
  await Promise.all(['expired', 'payment_failed', 'canceled'].map((status) => build(status)));
  const staying = await Promise.all([
    build('pending'),
    build('paid', sql`paid_at = created_at`),
    build('refunded', sql`paid_at = created_at`),
    build('canceled', sql`paid_at = created_at`),
    build('canceled', sql`imported_at = created_at, number = null`),
    build('expired', sql`attentions = '[{"code": "paid_after_expiry"}]'`),
  ]);
  const subscribed = await build('payment_failed');
  await buildSubscription(ctx, { orderId: subscribed });
  const settled = await build('payment_failed');
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
    insert into payment_sessions (tenant_id, order_id, state, request, idempotency_key, created_at, expires_at)
    values (${ctx.tenant.id}, ${settled}, 'settled', '{}', '', ${clock.now()}, ${clock.now()})`),
  );
  const ids = async (table: string, column: string) => {
    const rows = await read<{ id: string }>(
      ctx,
      sql`select ${rawSql(column)} as id from ${rawSql(table)} where tenant_id = ${ctx.tenant.id}`,
    );
    return rows.map(({ id }) => id).toSorted();
  };

  clock.pass(days(179));
  await prune(services.context(), pruneEvents);
  t.is((await ids('orders', 'id')).length, 11);
  clock.pass(days(2));
  await prune(services.context(), pruneEvents);
  t.deepEqual(await ids('orders', 'id'), [...staying, subscribed, settled].toSorted());
  t.deepEqual(await ids('order_items', 'order_id'), [...staying, subscribed, settled].toSorted());
});

test.serial('emails are deleted after 90 days, except those that are still to be sent', async (t) => {
  const { ctx, services, clock } = t.context;
  const build = async (state: string) => {
    const id = await buildMail(ctx, {
      kind: 'one_time_password',
      to: newAddress(),
      data: { code_for: 'a test' } as never,
      subjectId: 'sub_1',
    });
    await transact(ctx, ({ tx }) =>
      tx.execute(
        sql`update mails set state = ${state}, created_at = ${fromNow(clock, -days(89))}
          where tenant_id = ${ctx.tenant.id} and id = ${id}`,
      ),
    );
    return id;
  };
  await build('sent');
  const queued = await build('queued');
  const ids = async () =>
    (await read<{ id: string }>(ctx, sql`select id from mails where tenant_id = ${ctx.tenant.id}`)).map(({ id }) => id);
  await prune(services.context(), pruneMails);
  t.is((await ids()).length, 2);
  clock.pass(days(2));
  for (const _ of [1, 2]) await prune(services.context(), pruneMails);
  t.deepEqual(await ids(), [queued]);
});

test.serial('what an oversold order could not get is known until an operator has decided about it', async (t) => {
  const { ctx, services, clock } = t.context;
  const [open, decided] = [await buildPaidOrder(ctx, { attentionCodes: ['oversold'] }), await buildPaidOrder(ctx)];
  for (const { id } of [open, decided]) await buildReleasedHold(ctx, id, { variantId: 'var_1', quantity: 2 });
  clock.pass(days(91));
  await prune(services.context(), pruneEvents);
  t.deepEqual(await holdsOf(ctx, open.id), ['stock: released']);
  t.deepEqual(await holdsOf(ctx, decided.id), []);
});

test.serial('payment events are retained for 40 days, and longer while they are pending', async (t) => {
  const { ctx, services, clock } = t.context;
  const { id: tenantId } = ctx.tenant;
  for (const state of ['applied', 'pending']) {
    await transact(ctx, async ({ tx }) =>
      tx.execute(sql`
      insert into payment_events (tenant_id, id, type, object_id, source, state, occurred_at, received_at)
      values (${tenantId}, ${`evt_${state}`}, 'a.test', 'x', 'webhook', ${state}, ${clock.now()}, ${clock.now()})`),
    );
  }
  const states = async () =>
    (
      await read<{ state: string }>(
        ctx,
        sql`
    select state from payment_events where tenant_id = ${tenantId} order by state`,
      )
    ).map(({ state }) => state);

  clock.pass(days(40) - 60_000);
  await prune(services.context(), pruneEvents);
  t.deepEqual(await states(), ['applied', 'pending']);
  clock.pass(120_000);
  await t.throwsAsync(prune({ ...services.context(), signal: AbortSignal.abort() }, pruneEvents), {
    instanceOf: Snooze,
  });
  t.deepEqual(await states(), ['applied', 'pending'], 'a process that shuts down removes nothing more');
  for (const _ of [1, 2]) await prune(services.context(), pruneEvents);
  t.deepEqual(await states(), ['pending']);
});

test.serial('notifications of the shipping provider are deleted after 30 days', async (t) => {
  const { ctx, services, clock } = t.context;
  await transact(ctx, async ({ tx, tenant }) =>
    tx.execute(sql`
    insert into shipping_notifications (tenant_id, id, kind, subject, fingerprint, received_at)
    values (${tenant.id}, 'hint', 'track', 'x', 'x', ${clock.now()})`),
  );
  const count = async () =>
    (await read(ctx, sql`select 1 from shipping_notifications where tenant_id = ${ctx.tenant.id}`)).length;

  clock.pass(days(30) - 60_000);
  await prune(services.context(), pruneNotifications);
  t.is(await count(), 1);
  clock.pass(120_000);
  for (const _ of [1, 2]) await prune(services.context(), pruneNotifications);
  t.is(await count(), 0);
});

const counts = (ctx: Context) =>
  readOne<{ carts: number; lines: number; saved: number }>(
    ctx,
    sql`
  select (select count(*) from carts where tenant_id = ${ctx.tenant.id})::int as carts,
    (select count(*) from cart_lines where tenant_id = ${ctx.tenant.id})::int as lines,
    (select count(*) from saved_carts where tenant_id = ${ctx.tenant.id})::int as saved`,
  );

test.serial('pruneCarts removes carts with their lines and emails a month after they expired', async (t) => {
  const { ctx, services, clock } = t.context;
  const { variant } = await buildProduct(ctx);
  await buildCart(ctx, [variant.id]);
  await buildSavedCart(ctx);
  clock.pass(days(59));
  await buildCart(ctx, [variant.id]);
  await prune(services.context(), pruneCarts);
  t.deepEqual(await counts(ctx), { carts: 2, lines: 2, saved: 1 });

  clock.pass(days(2));
  await prune(services.context(), pruneCarts);
  await prune(services.context(), pruneCarts);
  t.deepEqual(await counts(ctx), { carts: 1, lines: 1, saved: 0 });
});

test.serial('pruneCarts removes an unsubscribe link a year after the last email with it', async (t) => {
  const { ctx, services, clock } = t.context;
  const { email } = await buildSavedCart(ctx);
  const token = await unsubscribeTokenOf(ctx, email);
  clock.pass(days(350));
  await buildSavedCart(ctx, { email });
  clock.pass(days(350));
  const { id } = await buildSavedCart(ctx);
  await transact(ctx, (ctx) => saveTokenHashes(ctx, { savedCartId: id, email }));
  clock.pass(days(350));
  await prune(services.context(), pruneCarts);
  t.is(await readMailPreference(ctx, token), 'subscribed');

  clock.pass(days(16));
  await prune(services.context(), pruneCarts);
  await t.throwsAsync(readMailPreference(ctx, token), { code: 'invalid_or_expired_token' });
});

test.serial('pruneCodes removes one-time passwords after seven days, and a repeat removes nothing', async (t) => {
  const { clock, ctx, services } = t.context;
  const request = async () => {
    const id = newId('otp');
    await transact(ctx, (ctx) => requestCode(ctx, { id, purpose: 'providers.payments', action: 'try it' }));
    return id;
  };
  await request();
  clock.pass(days(7));
  const recent = await request();
  for (let count = 0; count < 2; count += 1) {
    await prune(services.context(), pruneCodes);
    const rows = await read<{ id: string }>(
      ctx,
      sql`select id from one_time_passwords where tenant_id = ${ctx.tenant.id}`,
    );
    t.deepEqual(
      rows.map(({ id }) => id),
      [recent],
    );
  }
});
