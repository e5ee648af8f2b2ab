import { randomUUID } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';
import { aggregateQuarantined as aggregateQuarantinedJob } from '#jobs/analytics.ts';
import { transact } from '#src/database/transact.ts';
import {
  aggregateBatches,
  aggregateQuarantined,
  countQuarantined,
  pruneAnalytics,
} from '#src/domain/analytics/index.ts';
import { ensurePartitions } from '#src/domain/analytics/partitions.ts';
import type { PlatformContext } from '#src/domain/context.ts';
import { addDays, dayOf, startOfDay, weekOf } from '#src/lib/calendar.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours, minutes, seconds } from '#src/lib/duration.ts';
import { ManualActionRequired } from '#src/lib/errors.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import {
  aggregateAll,
  aggregatedEvents,
  buildEvent,
  plantBatch,
  rollUpsOf,
  sendEvents,
  waitingBatches,
} from '#test/support/factories/analytics.ts';
import { interceptStatements } from '#test/support/intercept-statements.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

// Serial, because aggregation takes the batches of all stores in this file's database.

test.serial('aggregateBatches counts a batch that is sent five times once', async (t) => {
  const { ctx, services } = t.context;
  const named = [buildEvent(), buildEvent(), buildEvent()];
  const unnamed = [
    { type: 'page_viewed', session_id: 'a' },
    { type: 'page_viewed', session_id: 'a' },
  ];
  for (let time = 0; time < 5; time += 1) {
    await sendEvents(ctx, named);
    await sendEvents(ctx, unnamed);
    if (time % 2) await aggregateAll(services);
  }
  await aggregateAll(services);
  t.is((await aggregatedEvents(ctx)).length, 5);
  t.like(await rollUpsOf(ctx), { days: only({ events: 5, sessions: 4, viewed: 3 }) });
});

test.serial(
  'aggregateBatches counts an event repeated in a batch once, and the same id in two stores twice',
  async (t) => {
    const { ctx, clock, services } = t.context;
    const [other, third] = [
      { ...ctx, tenant: await buildTenant(services) },
      { ...ctx, tenant: await buildTenant(services) },
    ];
    const event = buildEvent();
    await sendEvents(ctx, [event, event]);
    await sendEvents(other, [event]);
    await aggregateAll(services);
    clock.pass(days(7));
    for (const store of [ctx, third]) await sendEvents(store, [event]);
    await aggregateAll(services);
    for (const store of [ctx, other, third]) t.is((await aggregatedEvents(store)).length, 1);
  },
);

test.serial('aggregateBatches loses and doubles nothing when the worker dies at any statement', async (t) => {
  const { ctx, services } = t.context;
  const events = Array.from({ length: 20 }, () => buildEvent());
  await sendEvents(ctx, events.slice(0, 12));
  await sendEvents(ctx, events.slice(8));

  let deaths = 0;
  while (await aggregateAndDie(services.context(), deaths + 1)) {
    deaths += 1;
    // A pool detects a closed connection only when it uses it again.
    const { waiting } = await until(() =>
      waitingBatches(ctx).then(
        (waiting) => ({ waiting }),
        () => undefined,
      ),
    );
    const isAggregated = waiting === 0;
    t.is(waiting, isAggregated ? 0 : 2, `after statement ${deaths}`);
    t.is((await aggregatedEvents(ctx)).length, isAggregated ? 20 : 0);
  }
  t.true(deaths >= 6, `${deaths} deaths`);
  t.is(await waitingBatches(ctx), 0);
  t.is((await aggregatedEvents(ctx)).length, 20);
  t.like(await rollUpsOf(ctx), { days: only({ events: 20, sessions: 20, viewed: 20 }) });
});

test.serial('aggregateBatches loses and doubles nothing with concurrent workers', async (t) => {
  const { ctx, services } = t.context;
  const stores = [ctx, { ...ctx, tenant: await buildTenant(services) }];
  const sent = Array.from({ length: 240 }, (_, index) => buildEvent({ session_id: `s${index % 40}` }));
  for (const store of stores) {
    for (let at = 0; at < sent.length; at += 2) {
      await sendEvents(store, sent.slice(at, at + 2));
      // Every second event is sent again in the next batch.
      if (at % 4 === 0) await sendEvents(store, sent.slice(Math.max(0, at - 4), at + 2));
    }
  }
  await Promise.all(Array.from({ length: 4 }, () => aggregateBatches(services.context())));
  await aggregateAll(services);
  for (const store of stores) {
    t.is(await waitingBatches(store), 0);
    t.is((await aggregatedEvents(store)).length, 240);
    t.like(await rollUpsOf(store), { days: only({ events: 240, sessions: 40, viewed: 40 }) });
  }
});

test.serial('aggregateBatches counts a batch repeated in the next week once, in any order', async (t) => {
  const { ctx, services, clock } = t.context;
  const nextMonday = startOfDay(addDays(weekOf(dayOf(clock.now())), 7));
  clock.pass(nextMonday.getTime() - clock.now().getTime() - seconds(5));
  const [early, late, both] = [buildEvent(), buildEvent(), buildEvent()];
  await sendEvents(ctx, [early, both]);
  await aggregateAll(services);
  await sendEvents(ctx, [late]);
  clock.pass(seconds(10));
  await sendEvents(ctx, [early, late, both]);
  await sendEvents(ctx, [both]);
  await Promise.all([aggregateBatches(services.context()), aggregateBatches(services.context())]);
  await aggregateAll(services);
  t.is((await aggregatedEvents(ctx)).length, 3);
  clock.pass(days(6));
  await sendEvents(ctx, [early, late, both]);
  await aggregateAll(services);
  t.is((await aggregatedEvents(ctx)).length, 3);
});

test.serial('aggregateBatches counts an event that is sent again on each of the next 28 days once', async (t) => {
  const { ctx, services, clock } = t.context;
  const event = buildEvent();
  for (let day = 0; day <= 28; day += 1) {
    if (day > 0) clock.pass(days(1));
    await sendEvents(ctx, [event]);
    await aggregateAll(services);
    await pruneAnalytics(services.context());
  }
  t.is((await aggregatedEvents(ctx)).length, 1);
});

test.serial('aggregateBatches counts an event once that a batch left over for weeks contains, too', async (t) => {
  const { ctx, services, clock } = t.context;
  const event = buildEvent();
  await sendEvents(ctx, [event]);
  await aggregateAll(services);
  await sendEvents(ctx, [event]);
  await transact(ctx, ({ tx, tenant }) =>
    tx.execute(sql`
    update analytics_batches set received_at = ${fromNow(clock, -days(20))} where tenant_id = ${tenant.id}`),
  );
  await aggregateAll(services);
  t.is(await waitingBatches(ctx), 0);
  t.is((await aggregatedEvents(ctx)).length, 1);
});

test.serial(
  'aggregateBatches stores an event by its day of arrival and counts it by its day of occurrence',
  async (t) => {
    const { ctx, services, clock } = t.context;
    const midnight = startOfDay(addDays(dayOf(clock.now()), 1));
    clock.pass(midnight.getTime() - clock.now().getTime() - seconds(30));
    const at = (offset: number) => new Date(midnight.getTime() + offset).toISOString();
    await sendEvents(ctx, [buildEvent({ occurred_at: at(-minutes(1)) })]);
    clock.pass(minutes(1));
    await sendEvents(ctx, [buildEvent({ occurred_at: at(-1) }), buildEvent({ occurred_at: at(0) })]);
    await aggregateAll(services);

    const partitions = await services.execute<{ name: string; own: string }>(sql`
    select relname as name, right(relname, 8) as own from pg_class where relispartition and relkind = 'r'
      and relname like 'analytics_events_2%' order by 1`);
    const counts: Record<string, number> = {};
    for (const { name, own } of partitions) {
      const [row] = await services.execute<{ count: number }>(sql`
      select count(*)::int as count from ${rawSql(name)} where tenant_id = ${ctx.tenant.id}`);
      if (row?.count) counts[own] = row.count;
    }
    const name = (day: string) => day.replaceAll('-', '');
    t.deepEqual(counts, { [name(addDays(dayOf(midnight), -1))]: 1, [name(dayOf(midnight))]: 2 });
    t.like(await rollUpsOf(ctx), { days: only({ events: 2 }, { events: 1 }) });
  },
);

test.serial('ingestEvents corrects the times of a sender whose clock is wrong', async (t) => {
  const { ctx, services, clock } = t.context;
  clock.stop();
  const now = clock.now().getTime();
  const iso = (offset: number) => new Date(now + offset).toISOString();
  const times = async (occurred: readonly number[], sentAt?: number) => {
    const store = { ...ctx, tenant: await buildTenant(services) };
    await sendEvents(
      store,
      occurred.map((offset) => buildEvent({ occurred_at: iso(offset) })),
      sentAt === undefined ? {} : { sentAt: iso(sentAt) },
    );
    await aggregateAll(services);
    return (await aggregatedEvents(store)).map(({ occurred_at }) => (occurred_at.getTime() - now) / 1000);
  };
  t.deepEqual(await times([-minutes(5), -minutes(1)]), [-300, -60], 'a clock that is right is left alone');
  t.deepEqual(
    await times([hours(3) - minutes(2), hours(3)], hours(3)),
    [-120, 0],
    'one that says when it sent is known to be ahead',
  );
  t.deepEqual(await times([-days(400) - minutes(2)], -days(400)), [-120], 'or behind');
  t.deepEqual(await times([hours(1), hours(1) + minutes(1)]), [-60, 0], 'one that is ahead gives itself away');
  t.deepEqual(await times([-days(30)]), [0], 'what happened too long ago happened when it came');
});

test.serial("ingestEvents does not count a client's order_paid as revenue", async (t) => {
  const { ctx, services } = t.context;
  await sendEvents(ctx, [
    buildEvent({ type: 'order_paid', value_cents: 990_000, order_id: 'ord_1' }),
    buildEvent({ type: 'client_purchase', value_cents: 5000 }),
  ]);
  await aggregateAll(services);
  t.deepEqual(
    (await aggregatedEvents(ctx)).map(({ type }) => type),
    ['client_purchase', 'client_purchase'],
  );
  t.like(await rollUpsOf(ctx), { days: only({ events: 2, orders: 0, revenue_cents: 0, paid: 0 }) });
});

test.serial('aggregateBatches does not count a sale from a client as revenue, even if one was stored', async (t) => {
  const { ctx, services } = t.context;
  await plantBatch(ctx, { type: 'order_paid', value_cents: 990_000 });
  await aggregateAll(services);
  t.like(await rollUpsOf(ctx), {
    hours: only({ type: 'order_paid', revenue_cents: 0 }),
    days: only({ orders: 0, revenue_cents: 0 }),
  });
});

test.serial('aggregateBatches stores events of unknown types and counts them together', async (t) => {
  const { ctx, services } = t.context;
  await sendEvents(
    ctx,
    Array.from({ length: 30 }, (_, index) => buildEvent({ type: `made.up_${index}`, session_id: randomUUID() })),
  );
  await aggregateAll(services);
  t.is(new Set((await aggregatedEvents(ctx)).map(({ type }) => type)).size, 30);
  t.like(await rollUpsOf(ctx), { hours: only({ type: 'other', events: 30 }) });
});

test.serial(
  'aggregateBatches ends after a short step that took all, and continues where not all fit or were found',
  async (t) => {
    const { ctx, services } = t.context;
    const stepsOf = async (batches: number, eventsOfEach: number) => {
      for (let batch = 0; batch < batches; batch += 1)
        await sendEvents(
          ctx,
          Array.from({ length: eventsOfEach }, () => buildEvent()),
        );
      const { statements } = await countStatements(services, () => aggregateBatches(services.context()));
      t.is(await waitingBatches(ctx), 0);
      return statements.filter((text) => /as known/.test(text)).length;
    };
    t.is(await stepsOf(0, 0), 1);
    t.is(await stepsOf(3, 2), 1);
    t.is(await stepsOf(1, 100), 2, 'events that arrive during a longer step would wait for too long');
    t.is(await stepsOf(45, 100), 3, 'the first step takes 4,000 events');
    t.is(await stepsOf(1001, 1), 2, 'a step looks at 1,000 batches');
  },
);

test.serial('aggregateBatches creates a missing partition', async (t) => {
  const { ctx, services, clock } = t.context;
  clock.pass(days(40));
  await sendEvents(ctx, [buildEvent({ occurred_at: fromNow(clock, -days(6)).toISOString() })]);
  await Promise.all([aggregateBatches(services.context()), aggregateBatches(services.context())]);
  t.is((await aggregatedEvents(ctx)).length, 1);
});

/**
 * Aggregate, and close the connection after this many statements.
 * @returns whether there were that many statements
 */
async function aggregateAndDie(ctx: PlatformContext, statement: number): Promise<boolean> {
  let left = statement;
  const end = interceptStatements(ctx.database.pool, () => async ({ send }) => {
    const result = await send();
    left -= 1;
    if (left !== 0) return result;
    await send(['select pg_terminate_backend(pg_backend_pid())']).catch(() => undefined);
    throw new Error('the worker died');
  });
  try {
    await aggregateBatches(ctx);
    return false;
  } catch {
    return true;
  } finally {
    end();
  }
}

test.serial('ensurePartitions does not wait for transactions that write the tables, nor they for it', async (t) => {
  const ctx = t.context.services.context();
  const writer = await ctx.database.pool.connect();
  try {
    await writer.query('begin; lock table analytics_event_ids in row exclusive mode');
    await ensurePartitions(ctx, '2039-01-03', '2039-01-03');
    await writer.query("set local lock_timeout = '1s'; lock table analytics_events in row exclusive mode; commit");
    t.deepEqual(await indexesOf(t.context, 'analytics_event_ids_20390103'), ['tenant_id, event_id, week']);
    t.deepEqual(await indexesOf(t.context, 'analytics_events_20390103'), ['tenant_id, occurred_at']);
  } finally {
    writer.release();
  }
});

test.serial('ensurePartitions fails soon on a locked table, so that later transactions do not wait', async (t) => {
  const ctx = t.context.services.context();
  const owner = await ctx.database.pool.connect();
  try {
    await owner.query('begin; lock table analytics_events in access exclusive mode');
    await t.throwsAsync(ensurePartitions(ctx, '2040-01-01', '2040-01-01'), { code: '55P03' });
    await owner.query('commit');
  } finally {
    owner.release();
  }
  await t.notThrowsAsync(ensurePartitions(ctx, '2040-01-01', '2040-01-01'));
});

/** The columns of the indexes of a partition that belong to those of its table. */
async function indexesOf({ services }: TestContext, name: string): Promise<string[]> {
  const rows = await services.execute<{ columns: string }>(sql`
    select (select string_agg(attname, ', ' order by attnum) from pg_attribute where attrelid = indexrelid) as columns
    from pg_index join pg_inherits on inhrelid = indexrelid where indrelid = ${name}::regclass`);
  return rows.map(({ columns }) => columns);
}

// Serial, because aggregation takes the batches of all stores in this file's database.

test.serial('aggregateBatches quarantines a batch with invalid data and aggregates the others', async (t) => {
  const { ctx, services } = t.context;
  const ids = [
    await plantBatch(ctx, { id: 'not one' }),
    await plantBatch(ctx, { at: 'some day' }),
    await plantBatch(ctx, { value_cents: 1e30 }),
  ];
  await sendEvents(ctx, [buildEvent(), buildEvent()]);
  await sendEvents(ctx, [buildEvent()]);
  await aggregateAll(services);
  await aggregateAll(services);
  t.is(await waitingBatches(ctx), 0);
  t.is((await aggregatedEvents(ctx)).length, 3);
  t.like(await rollUpsOf(ctx), { days: only({ events: 3 }) });
  t.is(await countQuarantined(services.context()), 3);
  t.deepEqual(
    (await enqueuedJobs(ctx, aggregateQuarantinedJob)).map(({ batchId }) => batchId).toSorted(),
    ids.toSorted(),
  );
  const outcomes = (await runJobs(services)).filter((outcome) => outcome.startsWith('analytics.fold-set-aside'));
  t.is(outcomes.length, 3);
  t.true(
    outcomes.every((outcome) => /cancel \(bat_.* cannot be counted \(PostgreSQL error 22/.test(outcome)),
    outcomes.join(),
  );
});

test.serial('aggregateQuarantined counts a corrected batch once', async (t) => {
  const { ctx, services } = t.context;
  const batchId = await plantBatch(ctx, { id: 'not one' });
  await aggregateAll(services);
  await t.throwsAsync(aggregateQuarantined(ctx, { batchId }), { instanceOf: ManualActionRequired });
  await t.throwsAsync(aggregateQuarantined(ctx, { batchId }), { instanceOf: ManualActionRequired });
  t.is((await aggregatedEvents(ctx)).length, 0);

  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update analytics_quarantine set events = replace(events::text, 'not one', ${randomUUID()})::json
    where tenant_id = ${ctx.tenant.id}`),
  );
  await aggregateQuarantined(ctx, { batchId });
  await aggregateQuarantined(ctx, { batchId });
  await aggregateAll(services);
  t.is((await aggregatedEvents(ctx)).length, 1);
  t.is(await waitingBatches(ctx), 0);
});

for (const [what, failing, quarantined] of [
  ['the database fails', /delete from analytics_batches b using/, 0],
  ['the database fails after a batch with invalid data', /delete from analytics_batches b using.* and id = /s, 1],
] as const)
  test.serial(`aggregateBatches quarantines nothing else when ${what}`, async (t) => {
    const { ctx, services } = t.context;
    await sendEvents(ctx, [buildEvent()]);
    if (quarantined > 0) await plantBatch(ctx, { id: 'not one' });
    const before = await countQuarantined(services.context());
    const end = interceptStatements(services.context().database.pool, () => ({ text, send }) => {
      if (!failing.test(text)) return send();
      return Promise.reject(Object.assign(new Error('the disk is full'), { code: '53100' }));
    });
    await t.throwsAsync(aggregateAll(services), { message: /the disk is full/ });
    end();
    t.is(await countQuarantined(services.context()), before);
    await aggregateAll(services);
    t.is((await aggregatedEvents(ctx)).length, 1);
    t.is(await countQuarantined(services.context()), before + quarantined);
  });

test.serial('pruneAnalytics deletes quarantined batches with the events of their time', async (t) => {
  const { ctx, services, clock } = t.context;
  await plantBatch(ctx, { id: 'not one' });
  await aggregateAll(services);
  clock.pass(days(89));
  await pruneAnalytics(services.context());
  t.true((await countQuarantined(services.context())) > 0);
  clock.pass(days(3));
  await pruneAnalytics(services.context());
  t.is(await countQuarantined(services.context()), 0);
});
