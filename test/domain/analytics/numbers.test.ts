import anyTest, { type TestFn } from 'ava';
import { rebuildDay as rebuildDayJob } from '#jobs/analytics.ts';
import { transact } from '#src/database/transact.ts';
import {
  aggregateBatches,
  createPartitions,
  daily,
  funnel,
  pruneAnalytics,
  rebuildDay,
  recordOrderPaid,
  requestRebuild,
} from '#src/domain/analytics/index.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import { lockOrder, readOrder } from '#src/domain/orders/index.ts';
import { payOrder } from '#src/domain/payments/orders.ts';
import { addDays, dayOf, startOfDay } from '#src/lib/calendar.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours, seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import type { TestContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import {
  aggregateAll,
  aggregatedEvents,
  buildEvent,
  rollUpsOf,
  sendEvents,
} from '#test/support/factories/analytics.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { orderOf, sessionOf } from '#test/support/factories/payments.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);
// Serial, because aggregation takes the batches of all stores in this file's database.

test.serial("recordOrderPaid records one sale with the paid amount for the buyer's session", async (t) => {
  const { ctx, services, stripe } = t.context;
  const product = await buildProduct(ctx);
  await sendEvents(
    ctx,
    ['product_viewed', 'checkout_started', 'client_purchase'].map((type) =>
      buildEvent({ type, session_id: 'visit', value_cents: 1 }),
    ),
  );
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: product.slug, quantity: 1 }],
    customer_email: 'ada@example.com',
    metadata: { session_id: 'visit' },
  });
  await aggregateAll(services);
  t.like(await rollUpsOf(ctx), { days: only({ viewed: 1, checkout: 1, paid: 0, orders: 0, revenue_cents: 0 }) });

  const { sessionId } = await sessionOf(ctx, orderId);
  await stripe.pay(sessionId ?? '', { ...shopper, outcome: 'paid' });
  t.true(await stripe.idle());
  await runJobs(services);
  await aggregateAll(services);
  const { totalCents } = await orderOf(ctx, orderId);
  t.like(await rollUpsOf(ctx), {
    days: only({ sessions: 1, viewed: 1, checkout: 1, paid: 1, orders: 1, revenue_cents: totalCents }),
  });
});

test.serial('an order counts on the day on which it was paid, though that day ends in its transaction', async (t) => {
  const { ctx, services, clock } = t.context;
  const order = await buildPaidOrder(ctx, { status: 'pending' });
  const today = dayOf(clock.now());
  const midnight = startOfDay(today);
  const readings: Date[] = [];
  const late = { ...ctx, clock: { now: () => readings.pop() ?? midnight } };
  await transact(late, async (ctx) => {
    const locked = await lockOrder(ctx, order.id);
    const amounts = { shippingCents: 0, taxCents: 0, totalCents: 3800 };
    const guest = { email: null, name: null, phone: null, address: null, paymentCustomerId: null };
    readings.push(new Date(midnight.getTime() - 1));
    t.true(locked && (await payOrder(ctx, locked, { ...amounts, ...guest, paymentId: 'pi_1' })));
  });
  await aggregateAll(services);
  t.is((await readOrder(ctx, order.id))?.paid_at?.slice(0, 10), addDays(today, -1));
  const report = await daily(ctx, { from: addDays(today, -1), to: today });
  t.deepEqual(
    report.days.map(({ day, revenue_cents: revenue }) => [day, revenue]),
    [
      [addDays(today, -1), 3800],
      [today, 0],
    ],
  );
});

/** Sessions that reach a given step after all steps before it, spread over several days. */
async function sell({ ctx, services, clock }: TestContext): Promise<void> {
  const steps = ['product_viewed', 'cart_item_added', 'checkout_started'];
  for (let session = 0; session < 10; session += 1) {
    const far = session < 2 ? 3 : session < 5 ? 2 : session < 8 ? 1 : 0;
    const at = fromNow(clock, -days(session % 3) - hours(1)).toISOString();
    const took = ['page_viewed', ...steps.slice(0, far)].flatMap((type) => [type, type]);
    await sendEvents(
      ctx,
      took.map((type) => buildEvent({ type, session_id: `session-${session}`, occurred_at: at })),
    );
    if (session % 4 === 0) await aggregateAll(services);
  }
  const pay = (sessionId: string | null, totalCents: number) =>
    transact(ctx, async (ctx) =>
      recordOrderPaid(ctx, { orderId: newId('ord'), paidAt: ctx.clock.now(), totalCents, currency: 'USD', sessionId }),
    );
  await pay('session-0', 5000);
  await pay(null, 2500);
  await aggregateAll(services);
}

test.serial('funnel and daily return the steps of sessions and the numbers of each day', async (t) => {
  const { ctx, clock } = t.context;
  await sell(t.context);
  const today = dayOf(clock.now());
  const { from, to, steps } = await funnel(ctx);
  t.is(to, today);
  t.is(from, addDays(today, -29));
  t.deepEqual(steps, [
    { step: 'viewed', sessions: 8 },
    { step: 'cart', sessions: 5 },
    { step: 'checkout', sessions: 2 },
    { step: 'paid', sessions: 2 },
  ]);
  const report = await daily(ctx, { from: addDays(today, -4) });
  t.is(report.days.length, 5);
  t.is(
    report.days.reduce((sum, { orders }) => sum + orders, 0),
    2,
  );
  t.is(
    report.days.reduce((sum, { revenue_cents }) => sum + revenue_cents, 0),
    7500,
  );
  t.is(
    report.days.reduce((sum, { events }) => sum + events, 0),
    52,
  );
  t.deepEqual(report.days[0], { day: addDays(today, -4), events: 0, sessions: 0, orders: 0, revenue_cents: 0 });
  const otherStore = { ...ctx, tenant: await buildTenant(t.context.services) };
  t.true((await funnel(otherStore)).steps.every(({ sessions }) => sessions === 0));
});

test.serial('recordOrderPaid counts an order once, and not at all when its transaction is rolled back', async (t) => {
  const { ctx, services } = t.context;
  const order = {
    orderId: newId('ord'),
    paidAt: ctx.clock.now(),
    totalCents: 4200,
    currency: 'USD',
    cartId: newId('cart'),
    customerId: newId('cus'),
  };
  await transact(ctx, async (ctx) => recordOrderPaid(ctx, order));
  await aggregateAll(services);
  await transact(ctx, async (ctx) => recordOrderPaid(ctx, order));
  await t.throwsAsync(
    transact(ctx, async (ctx) => {
      recordOrderPaid(ctx, { ...order, orderId: newId('ord') });
      throw new Error('the money did not come');
    }),
  );
  await aggregateAll(services);
  t.like((await aggregatedEvents(ctx))[0], { type: 'order_paid', source: 'ledger', value_cents: 4200 });
  t.like(await rollUpsOf(ctx), { days: only({ orders: 1, revenue_cents: 4200, paid: 1, sessions: 1 }) });
});

test.serial('recordOrderPaid counts a renewal as revenue and not in the funnel', async (t) => {
  const { ctx, services } = t.context;
  const order = { orderId: newId('ord'), paidAt: ctx.clock.now(), totalCents: 1900, currency: 'USD' };
  await transact(ctx, async (ctx) => recordOrderPaid(ctx, { ...order, sessionId: 'long ago', isRenewal: true }));
  await aggregateAll(services);
  t.like(await rollUpsOf(ctx), { days: only({ orders: 1, revenue_cents: 1900, paid: 0, sessions: 0 }) });
});

test.serial('aggregateBatches counts sessions by their id, else by who was anonymous, else by visitor', async (t) => {
  const { ctx, services } = t.context;
  const given = [
    ['a', 'x'],
    ['b', 'x'],
    [null, 'x'],
    [null, 'y'],
    [null, null],
    [null, null],
  ];
  await sendEvents(
    ctx,
    given.map(([session_id, anonymous_id]) => buildEvent({ session_id, anonymous_id })),
  );
  await aggregateAll(services);
  t.like(await rollUpsOf(ctx), { days: only({ events: 6, sessions: 5 }) });
});

test.serial('rebuildDay restores the same roll-ups, even from none, when it runs twice', async (t) => {
  const { ctx, services, clock } = t.context;
  await sell(t.context);
  const other = { ...ctx, tenant: await buildTenant(services) };
  await sendEvents(other, [buildEvent()]);
  const aWeekAgo = new Date(clock.now().getTime() - days(7) + seconds(20)).toISOString();
  await sendEvents(ctx, [buildEvent({ occurred_at: aWeekAgo })]);
  await aggregateAll(services);
  const before = await rollUpsOf(ctx);
  const [from, to] = [addDays(dayOf(clock.now()), -7), dayOf(clock.now())];

  await transact(ctx, async (ctx) => requestRebuild(ctx, { from, to }));
  t.is((await enqueuedJobs(ctx, rebuildDayJob)).length, 8);
  t.is((await runJobs(services)).filter((outcome) => outcome === 'analytics.rebuild-day: done').length, 8);
  t.deepEqual(await rollUpsOf(ctx), before);

  await transact(ctx, async (ctx) => {
    for (const table of [sql`analytics_hours`, sql`analytics_days`, sql`analytics_sessions`])
      await ctx.tx.execute(sql`delete from ${table}`);
  });
  for (let day = from; day <= to; day = addDays(day, 1)) {
    await rebuildDay(ctx, { day });
    await rebuildDay(ctx, { day });
  }
  t.deepEqual(await rollUpsOf(ctx), before);
  t.like(await rollUpsOf(other), { days: only({ events: 1 }) });
});

test.serial('rebuildDay counts events that arrive meanwhile once', async (t) => {
  const { ctx, services, clock } = t.context;
  await sell(t.context);
  const day = dayOf(clock.now());
  for (let batch = 0; batch < 20; batch += 1) await sendEvents(ctx, [buildEvent({ session_id: `more-${batch}` })]);
  await Promise.all([
    rebuildDay(ctx, { day }),
    aggregateBatches(services.context()),
    rebuildDay(ctx, { day }),
    aggregateBatches(services.context()),
  ]);
  await aggregateAll(services);
  const counted = await rollUpsOf(ctx);
  await rebuildDay(ctx, { day });
  t.deepEqual(await rollUpsOf(ctx), counted);
});

test.serial('aggregateBatches stores events of bots and does not count them', async (t) => {
  const { ctx, services } = t.context;
  await sendEvents(ctx, [buildEvent()], { userAgent: 'Googlebot/2.1' });
  await aggregateAll(services);
  t.is((await aggregatedEvents(ctx)).length, 1);
  t.deepEqual(await rollUpsOf(ctx), { hours: [], days: [], sessions: [] });
});

test.serial('createPartitions creates the partitions of the next days', async (t) => {
  const { services, clock } = t.context;
  clock.pass(days(200));
  await createPartitions(services.context());
  await createPartitions(services.context());
  const names = await partitionsOf(t.context, 'analytics_events');
  for (let ahead = 0; ahead <= 7; ahead += 1) {
    t.true(names.includes(`analytics_events_${addDays(dayOf(clock.now()), ahead).replaceAll('-', '')}`));
  }
});

test.serial('createPartitions creates a partition again that another process has dropped', async (t) => {
  const { services, clock } = t.context;
  await createPartitions(services.context());
  const dropped = `analytics_events_${addDays(dayOf(clock.now()), 3).replaceAll('-', '')}`;
  await services.execute(sql`drop table ${rawSql(dropped)}`);
  await createPartitions(services.context());
  t.true((await partitionsOf(t.context, 'analytics_events')).includes(dropped));
});

test.serial(
  'pruneAnalytics keeps events for 90 days and roll-ups for 25 months, and rebuildDay rejects older days',
  async (t) => {
    const { ctx, services, clock } = t.context;
    await sendEvents(ctx, [buildEvent()]);
    await aggregateAll(services);
    const day = dayOf(clock.now());
    const begun = (await rollUpsOf(ctx)) as { days: unknown; hours: unknown };

    clock.pass(days(90));
    await pruneAnalytics(services.context());
    t.is((await aggregatedEvents(ctx)).length, 1);
    clock.pass(days(1));
    await pruneAnalytics(services.context());
    await pruneAnalytics(services.context());
    t.is((await aggregatedEvents(ctx)).length, 0);
    t.false((await partitionsOf(t.context, 'analytics_events')).some((name) => name.endsWith(day.replaceAll('-', ''))));
    t.like(await rollUpsOf(ctx), { days: begun.days, hours: begun.hours, sessions: [] });
    await t.throwsAsync(rebuildDay(ctx, { day }), { code: 'invalid_request' });
    await t.throwsAsync(
      transact(ctx, async (ctx) => requestRebuild(ctx, { from: day, to: day })),
      { code: 'invalid_request' },
    );

    clock.pass(days(671));
    await pruneAnalytics(services.context());
    t.like(await rollUpsOf(ctx), { days: begun.days });
    clock.pass(days(1));
    await pruneAnalytics(services.context());
    t.deepEqual(await rollUpsOf(ctx), { hours: [], days: [], sessions: [] });
  },
);

async function partitionsOf({ services }: TestContext, table: string): Promise<string[]> {
  const rows = await services.execute<{ name: string }>(sql`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass`);
  return rows.map(({ name }) => name);
}
