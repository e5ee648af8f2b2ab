import anyTest, { type TestFn } from 'ava';
import { scanEventGap as job } from '#jobs/payments.ts';
import { read, transact } from '#src/database/transact.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { changedObjects, type ProviderObject } from '#src/domain/payments/events/provider-objects.ts';
import {
  openAccount,
  readDrift,
  replayPayments,
  reportStoreDrift,
  savePaymentAccount,
  scanEventGap,
  sweepStoreEvents,
} from '#src/domain/payments/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { orderOf, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { buildSubscription, subscriptionsOf } from '#test/support/factories/subscriptions.ts';
import { jobAttempt } from '#test/support/job-attempts.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

async function settle({ services, stripe }: StripeContext): Promise<void> {
  if (!(await stripe.idle())) throw new Error('Webhooks are stuck.');
  await runJobs(services);
}

/** The store's key at the provider; without one its account does not open. */
const saveKey = (ctx: Context, secretKey: string | null) =>
  transact(ctx, (ctx) =>
    savePaymentAccount(ctx, { provider: 'stripe', mode: 'direct', automatic_tax: false, secret_key: secretKey }),
  );

/** A checkout of one thing, paid. */
async function buy(
  { ctx, stripe }: StripeContext,
  purchase_type: 'one_time' | 'subscription',
  customer: { customer_email?: string } = {},
): Promise<{ orderId: string; sessionId: string }> {
  const product = await buildProduct(ctx, {
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month'],
    variants: [{ stock: 50, ships: false }],
  });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [
      {
        product_slug: product.slug,
        variant_id: product.variant.id,
        quantity: 1,
        purchase_type,
        subscription_interval: 'month',
      },
    ],
    ...customer,
  });
  const sessionId = (await sessionOf(ctx, orderId)).sessionId ?? '';
  await stripe.pay(sessionId, { ...shopper, outcome: 'paid' });
  return { orderId, sessionId };
}

/** A sale that everybody knows of. */
async function sell(context: StripeContext, purchase_type: 'one_time' | 'subscription' = 'one_time'): Promise<string> {
  const { orderId } = await buy(context, purchase_type, { customer_email: 'ada@example.com' });
  await settle(context);
  return orderId;
}

async function paymentOf({ ctx }: StripeContext, orderId: string): Promise<string> {
  const [row] = await read<{ id: string }>(
    ctx,
    sql`select payment_id as id from orders where tenant_id = ${ctx.tenant.id} and id = ${orderId}`,
  );
  return row?.id ?? '';
}

const gapsOf = ({ ctx }: StripeContext) =>
  read<{ finishedAt: Date | null; days: number }>(
    ctx,
    sql`
  select finished_at as "finishedAt", round(extract(epoch from lost_to - lost_from) / 86400)::int as days
  from payment_event_gaps where tenant_id = ${ctx.tenant.id}`,
  );

test.serial(
  'sweepStoreEvents records a gap for events that are no longer listed, and scanEventGap finds their objects',
  async (t) => {
    const { ctx, account, clock, stripe, services } = t.context;
    const [refunded, disputed] = [await sell(t.context), await sell(t.context)];
    const renewed = await sell(t.context, 'subscription');
    const ended = await sell(t.context, 'subscription');
    await sweepStoreEvents(ctx);
    t.deepEqual(await gapsOf(t.context), []);

    await stripe.deliveries({ drop: 1 });
    const { payments } = ctx.ports;
    const paymentId = await paymentOf(t.context, refunded);
    await payments.refundPayment(
      await openAccount(ctx),
      { paymentId, amountCents: 3800, refundId: 'in the dashboard' },
      'a key',
    );
    const { charges } = await stripe.account(account.secretKey);
    const disputedPayment = await paymentOf(t.context, disputed);
    await stripe.openDispute(String(charges.find((charge) => charge['payment_intent'] === disputedPayment)?.['id']));
    const subscriptions = await read<{ orderId: string; providerId: string }>(
      ctx,
      sql`
    select order_id as "orderId", payment_subscription_id as "providerId" from subscriptions
    where tenant_id = ${ctx.tenant.id}`,
    );
    const providerIdOf = (orderId: string) => subscriptions.find((row) => row.orderId === orderId)?.providerId ?? '';
    await stripe.renew(providerIdOf(renewed), 'paid');
    await stripe.cancel(providerIdOf(ended));

    clock.pass(days(40));
    await sweepStoreEvents(ctx);
    await sweepStoreEvents(ctx);
    t.deepEqual(await gapsOf(t.context), [{ finishedAt: null, days: 10 }], 'it is said once');
    const shown = (await readDrift(services.context(), 100)).gaps.filter(({ tenantId }) => tenantId === ctx.tenant.id);
    t.deepEqual(
      shown.map(({ finishedAt }) => finishedAt),
      [null],
    );
    const pages = async () =>
      (await Promise.all(['/ops', '/ops/drift'].map((path) => t.context.api.call('GET', path)))).map(
        ({ body }) => body,
      );
    for (const body of await pages()) t.regex(body, /payment_events_forgotten/);
    t.like(await orderOf(ctx, refunded), { status: 'paid' });

    await runJobs(services);
    t.truthy((await gapsOf(t.context))[0]?.finishedAt);
    const [overview, drift] = await pages();
    t.notRegex(overview ?? '', /payment_events_forgotten/);
    t.regex(drift ?? '', /were checked instead/);
    t.like(await orderOf(ctx, refunded), { status: 'refunded', refundedCents: 3800 });
    t.like(await orderOf(ctx, disputed), { attentionCode: 'disputed' });
    t.is((await ordersOf(ctx)).length, 5, 'the renewal has its order');
    const states = new Map(
      (await subscriptionsOf(ctx)).map(({ paymentSubscriptionId, status, id }) => [
        paymentSubscriptionId,
        { status, id },
      ]),
    );
    t.is(states.get(providerIdOf(ended))?.status, 'canceled');
    t.deepEqual(await recorded(ctx, states.get(providerIdOf(ended))?.id ?? ''), [
      'subscription.created',
      'subscription.canceled',
    ]);
    t.is(states.get(providerIdOf(renewed))?.status, 'active');

    const [work] = await enqueuedJobs(ctx, job);
    await scanEventGap(ctx, work ?? { gapId: '', number: 0 });
    t.is((await ordersOf(ctx)).length, 5, 'and doing it again changes nothing');
  },
);

test.serial('the objects that a gap may have changed include every subscription but those that are over', async (t) => {
  const { ctx, clock } = t.context;
  const live = await buildSubscription(ctx, { status: 'paused' });
  await buildSubscription(ctx, { status: 'canceled' });
  const range = { from: fromNow(clock, -hours(1)), to: clock.now() };
  const objects: ProviderObject[] = [];
  for await (const object of changedObjects(ctx, await openAccount(ctx), range)) objects.push(object);
  t.deepEqual(objects, [{ subject: 'subscription', objectId: live.paymentSubscriptionId }]);
});

test.serial("sweepStoreEvents finds what came after PostgreSQL's clock was ahead and was set right", async (t) => {
  const { ctx, clock, stripe, services } = t.context;
  const orderId = await sell(t.context);
  clock.pass(hours(2));
  await sweepStoreEvents(ctx);
  clock.pass(-hours(2));

  await stripe.deliveries({ drop: 1 });
  const refund = { paymentId: await paymentOf(t.context, orderId), amountCents: 3800, refundId: 'in the dashboard' };
  await ctx.ports.payments.refundPayment(await openAccount(ctx), refund, 'a key');
  clock.pass(minutes(5));
  await sweepStoreEvents(ctx);
  await runJobs(services);
  t.like(await orderOf(ctx, orderId), { status: 'refunded', refundedCents: 3800 });
});

test.serial('sweepStoreEvents records no gap while the provider fails', async (t) => {
  const { ctx, clock, stripe } = t.context;
  clock.pass(days(40));
  await stripe.addFault({ match: 'GET /v1/events', kind: 'status', status: 401, times: 4 });
  await sweepStoreEvents(ctx);
  clock.pass(hours(1));
  await sweepStoreEvents(ctx);
  t.deepEqual(await gapsOf(t.context), []);
  await stripe.clearFaults();
  await sweepStoreEvents(ctx);
  t.is((await gapsOf(t.context)).length, 1);
});

test.serial('scanEventGap retries later while the provider fails', async (t) => {
  const { ctx, clock, stripe, services } = t.context;
  clock.pass(days(40));
  await sweepStoreEvents(ctx);
  const [work] = await enqueuedJobs(ctx, job);
  await stripe.addFault({ match: 'GET /v1/checkout/sessions', kind: 'status', status: 500, times: 9 });
  await t.throwsAsync(scanEventGap(ctx, work ?? { gapId: '', number: 0 }), { name: 'Snooze' });
  t.is((await gapsOf(t.context))[0]?.finishedAt, null);
  await stripe.clearFaults();
  await runJobs(services);
  t.truthy((await gapsOf(t.context))[0]?.finishedAt);
});

test.serial('scanEventGap halves its batch after each failed attempt', async (t) => {
  const { ctx, clock, services } = t.context;
  clock.pass(days(40));
  await sweepStoreEvents(ctx);
  const [work] = await enqueuedJobs(ctx, job);
  const scannedTo = async () =>
    (
      await read<{ at: Date }>(
        ctx,
        sql`select scanned_to as at from payment_event_gaps where tenant_id = ${ctx.tenant.id}`,
      )
    )[0]?.at.getTime() ?? 0;
  const before = await scannedTo();
  const attempt = jobAttempt({ failedAttempts: 3 });
  await scanEventGap({ ...ctx, attempt }, work ?? { gapId: '', number: 0 });
  t.is((await scannedTo()) - before, hours(72 / 8));
  await runJobs(services);
  t.truthy((await gapsOf(t.context))[0]?.finishedAt);
});

test.serial('reportStoreDrift finds renewals that are paid on one side only', async (t) => {
  const { ctx, clock, stripe, services } = t.context;
  await sell(t.context, 'subscription');
  const [subscription] = await subscriptionsOf(ctx);
  clock.pass(days(30));
  await stripe.deliveries({ drop: 1 });
  await stripe.renew(subscription?.paymentSubscriptionId ?? '', 'paid');
  clock.pass(hours(3));
  const {
    unpaidHere,
    unpaidThere,
    unmadeRenewals: [invoiceId, ...more],
  } = await reportStoreDrift(ctx);
  t.deepEqual({ unpaidHere, unpaidThere, more }, { unpaidHere: [], unpaidThere: [], more: [] });
  const [, renewal] = await ordersOf(ctx);
  t.like(renewal, { status: 'paid' });
  t.deepEqual((await reportStoreDrift(ctx)).unmadeRenewals, []);
  const drifted = async () =>
    (await readDrift(services.context(), 100)).orders.filter(({ tenantId }) => tenantId === ctx.tenant.id);
  t.deepEqual(
    (await drifted()).map(({ orderId, kind, isOpen }) => ({ orderId, kind, isOpen })),
    [{ orderId: renewal?.id, kind: 'unmade_renewal', isOpen: false }],
  );

  // The order is another invoice's, which was never paid; and that one's own order is gone with it.
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
    update payment_invoices set id = 'in_gone', created_at = ${clock.now()} where tenant_id = ${ctx.tenant.id}
      and id = ${invoiceId}`),
  );
  clock.pass(hours(3));
  t.deepEqual(await reportStoreDrift(ctx), { unpaidHere: [], unpaidThere: [renewal?.id], unmadeRenewals: [invoiceId] });
  t.like(await orderOf(ctx, renewal?.id ?? ''), { attentionCode: 'payment_missing' });
});

test.serial('reportStoreDrift finds a renewal that was paid weeks after its invoice', async (t) => {
  const { ctx, account, clock, stripe } = t.context;
  await sell(t.context, 'subscription');
  const [subscription] = await subscriptionsOf(ctx);
  clock.pass(days(30));
  await stripe.renew(subscription?.paymentSubscriptionId ?? '', 'failed');
  await settle(t.context);
  for (let day = 0; day < 20; day += 5) {
    clock.pass(days(5));
    await reportStoreDrift(ctx);
  }
  await stripe.deliveries({ drop: 1 });
  const { invoices } = await stripe.account(account.secretKey);
  const { id = '' } = invoices.find(({ status }) => status === 'open') ?? {};
  await stripe.payInvoice(id, 'paid');
  clock.pass(hours(3));
  t.deepEqual(await reportStoreDrift(ctx), { unpaidHere: [], unpaidThere: [], unmadeRenewals: [id] });
  t.is((await ordersOf(ctx)).length, 2);
  clock.pass(days(1));
  t.deepEqual(await reportStoreDrift(ctx), { unpaidHere: [], unpaidThere: [], unmadeRenewals: [] });
});

test.serial('reportStoreDrift misses no payment of a renewal whose invoice is no longer listed', async (t) => {
  const { ctx, account, clock, stripe } = t.context;
  await sell(t.context, 'subscription');
  const [subscription] = await subscriptionsOf(ctx);
  await stripe.renew(subscription?.paymentSubscriptionId ?? '', 'failed');
  clock.pass(days(75));
  const { invoices } = await stripe.account(account.secretKey);
  await stripe.payInvoice(invoices.find(({ status }) => status === 'open')?.id ?? '', 'paid');
  await settle(t.context);
  t.is((await ordersOf(ctx)).length, 2);
  clock.pass(hours(3));
  await reportStoreDrift(ctx);
  t.is((await ordersOf(ctx))[1]?.attentionCode, null);
});

test.serial('a slow payment of an expired session is checked again until it arrives', async (t) => {
  const { ctx, clock, stripe, services, account } = t.context;
  const product = await buildProduct(ctx, { variants: [{ stock: 1, ships: false }] });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: product.slug, quantity: 1 }],
  });
  await stripe.deliveries({ drop: 1 });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'processing' });
  await saveKey(ctx, null);
  for (let time = 0; time < 30; time += 1) {
    clock.pass(hours(1));
    await runJobs(services);
  }
  t.like(await orderOf(ctx, orderId), { status: 'expired' });
  t.like(await sessionOf(ctx, orderId), { state: 'expired', checkAt: null });

  await saveKey(ctx, account.secretKey);
  await sweepStoreEvents(ctx);
  await runJobs(services);
  t.like(await sessionOf(ctx, orderId), { state: 'processing' });
  clock.pass(days(5));
  await stripe.settle((await sessionOf(ctx, orderId)).sessionId ?? '', 'succeeded');
  await runJobs(services);
  t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: null });
  t.like(await sessionOf(ctx, orderId), { state: 'settled', checkAt: null });
});

test.serial(
  'a slow payment that arrived while the account did not open for weeks is found by its session',
  async (t) => {
    const { ctx, clock, stripe, services, account } = t.context;
    const product = await buildProduct(ctx, { variants: [{ stock: 1, ships: false }] });
    const { order_id: orderId } = await createCheckoutSession(ctx, {
      items: [{ product_slug: product.slug, quantity: 1 }],
    });
    const { sessionId } = await sessionOf(ctx, orderId);
    await stripe.pay(sessionId ?? '', { ...shopper, outcome: 'processing' });
    await settle(t.context);
    for (let day = 0; day < 5; day += 1) {
      clock.pass(days(1));
      await runJobs(services);
      await sweepStoreEvents(ctx);
      await reportStoreDrift(ctx);
    }
    await saveKey(ctx, null);
    await stripe.deliveries({ drop: 1 });
    await stripe.settle(sessionId ?? '', 'succeeded');
    for (let day = 0; day < 40; day += 1) {
      clock.pass(days(1));
      await runJobs(services);
    }
    t.like(await orderOf(ctx, orderId), { status: 'expired' });

    await saveKey(ctx, account.secretKey);
    await reportStoreDrift(ctx);
    await sweepStoreEvents(ctx);
    await runJobs(services);
    t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: null });
  },
);

const ordersMade = 48;

test.serial('every paid session becomes one paid order when webhooks are lost, doubled and shuffled', async (t) => {
  const { ctx, services, stripe, clock } = t.context;
  await stripe.deliveries({ drop: 0.3, duplicate: 0.3, reorder: true, seed: 11 });
  const bowl = await buildProduct(ctx, { variants: [{ stock: 1000, ships: false }] });
  const beans = await buildProduct(ctx, {
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month'],
    variants: [{ stock: 1000, ships: false }],
  });

  const made = new Map<string, 'paid' | 'processing' | 'abandoned'>();
  for (let index = 0; index < ordersMade; index += 1) {
    const items =
      index % 3 === 0
        ? [
            {
              product_slug: beans.slug,
              variant_id: beans.variant.id,
              quantity: 1,
              purchase_type: 'subscription' as const,
              subscription_interval: 'month',
            },
          ]
        : [{ product_slug: bowl.slug, quantity: 1 }];
    const { order_id: orderId } = await createCheckoutSession(ctx, { items });
    const fate = index % 8 === 7 ? 'abandoned' : index % 8 === 4 ? 'processing' : 'paid';
    made.set(orderId, fate);
    const { sessionId } = await sessionOf(ctx, orderId);
    if (fate !== 'abandoned')
      await stripe.pay(sessionId ?? '', { ...shopper, email: `shopper-${index}@example.com`, outcome: fate });
    if (index % 10 === 9) await runJobs(services);
  }
  await stripe.flush();
  for (const wait of [0, minutes(3), minutes(60), minutes(5), hours(3)]) {
    clock.pass(wait);
    await runJobs(services, { rounds: 60 });
  }
  for (const [orderId, fate] of made) {
    if (fate === 'processing') await stripe.settle((await sessionOf(ctx, orderId)).sessionId ?? '', 'succeeded');
  }
  await stripe.flush();
  clock.pass(days(1));
  await runJobs(services, { rounds: 60 });

  for (const [orderId, fate] of made) {
    const order = await orderOf(ctx, orderId);
    t.is(order.status, fate === 'abandoned' ? 'expired' : 'paid', `${order.orderNumber}, ${fate}`);
    t.deepEqual(
      await recorded(ctx, orderId),
      [fate === 'abandoned' ? 'order.expired' : 'order.paid'],
      order.orderNumber,
    );
  }
  const paid = (await ordersOf(ctx)).filter(({ status }) => status === 'paid').length;
  t.is(paid, ordersMade - 6);
  const [bowls, coffees] = [await stockOf(ctx, bowl.variant.id), await stockOf(ctx, beans.variant.id)];
  t.is((bowls.stock ?? 0) + (coffees.stock ?? 0), 2000 - paid);
  t.is(bowls.held + coffees.held, 0);
  t.is(
    (await subscriptionsOf(ctx)).length,
    [...made.values()].filter((fate, index) => index % 3 === 0 && fate !== 'abandoned').length,
  );
  const created = await read(
    ctx,
    sql`select 1 as one from events where tenant_id = ${ctx.tenant.id} and type = 'subscription.created'`,
  );
  t.is(created.length, (await subscriptionsOf(ctx)).length);
});

/** A payment whose webhook is lost. */
async function paySilently(context: StripeContext, purchase_type: 'one_time' | 'subscription' = 'one_time') {
  await context.stripe.deliveries({ drop: 1 });
  const paid = await buy(context, purchase_type);
  return { ...paid, orderNumber: (await orderOf(context.ctx, paid.orderId)).orderNumber };
}

const sinceYesterday = ({ ctx }: StripeContext) => ({ since: new Date(ctx.clock.now().getTime() - hours(24)) });

test.serial('replayPayments reports changes in a dry run without making them, and then makes them once', async (t) => {
  const { ctx } = t.context;
  const { orderId, orderNumber } = await paySilently(t.context);
  const dry = await replayPayments(ctx, sinceYesterday(t.context), { dryRun: true });
  const reported = dry.flatMap(({ changes }) =>
    changes.map(({ of, field, before, after }) => `${of} ${field}: ${before} → ${after}`),
  );
  t.deepEqual(reported.toSorted(), [
    `${orderNumber} payment_status: unpaid → paid`,
    `${orderNumber} session: open → settled`,
    `${orderNumber} status: pending → paid`,
  ]);
  t.is((await orderOf(ctx, orderId)).status, 'pending');
  t.deepEqual(await recorded(ctx, orderId), []);

  const real = await replayPayments(ctx, sinceYesterday(t.context), { dryRun: false });
  t.deepEqual(
    real.map(({ subject, result }) => `${subject} ${result}`),
    dry.map(({ subject, result }) => `${subject} ${result}`),
  );
  t.is((await orderOf(ctx, orderId)).status, 'paid');
  t.deepEqual(await recorded(ctx, orderId), ['order.paid']);

  const again = await replayPayments(ctx, sinceYesterday(t.context), { dryRun: false });
  t.true(
    again.length > 0 && again.every(({ result }) => result === 'unchanged'),
    again.map(({ result }) => result).join(),
  );
  t.deepEqual(await recorded(ctx, orderId), ['order.paid']);
});

test.serial('replayPayments fetches only the objects of the given session, order or event', async (t) => {
  const { ctx, stripe, account } = t.context;
  const [first, second, third] = [
    await paySilently(t.context),
    await paySilently(t.context),
    await paySilently(t.context),
  ];
  const statuses = async () => (await ordersOf(ctx)).map(({ status }) => status);
  t.is((await replayPayments(ctx, { sessionId: first.sessionId }, { dryRun: false }))[0]?.result, 'changed');
  t.deepEqual(await statuses(), ['paid', 'pending', 'pending']);
  t.deepEqual(
    (await replayPayments(ctx, { order: second.orderNumber }, { dryRun: false })).map(({ subject, result }) => [
      subject,
      result,
    ]),
    [['session', 'changed']],
  );
  t.deepEqual(await statuses(), ['paid', 'paid', 'pending']);

  const { events } = await stripe.account(account.secretKey);
  const event = events.find(
    ({ type, data }) => type === 'checkout.session.completed' && JSON.stringify(data).includes(third.sessionId),
  );
  t.is((await replayPayments(ctx, { eventId: String(event?.['id']) }, { dryRun: false }))[0]?.result, 'changed');
  t.deepEqual(await statuses(), ['paid', 'paid', 'paid']);

  t.deepEqual(
    (await replayPayments(ctx, { order: first.orderId }, { dryRun: true })).map(({ subject, result }) => [
      subject,
      result,
    ]),
    [
      ['session', 'unchanged'],
      ['payment', 'unchanged'],
    ],
  );
  await t.throwsAsync(replayPayments(ctx, { eventId: 'evt_none' }, { dryRun: true }), {
    message: 'There is no such payment event.',
  });
  await t.throwsAsync(replayPayments(ctx, { order: 'ORD-1' }, { dryRun: true }), {
    message: 'There is no such order.',
  });
  t.like((await replayPayments(ctx, { sessionId: 'cs_none' }, { dryRun: true }))[0], {
    result: 'failed',
    failure: 'The account at the payment provider has no such session.',
  });
});

test.serial('replayPayments applies a subscription and a renewal without webhooks', async (t) => {
  const { ctx, stripe } = t.context;
  await paySilently(t.context, 'subscription');
  await replayPayments(ctx, sinceYesterday(t.context), { dryRun: false });
  const [subscription] = await subscriptionsOf(ctx);
  await stripe.renew(subscription?.paymentSubscriptionId ?? '', 'paid');

  const dry = await replayPayments(ctx, sinceYesterday(t.context), { dryRun: true });
  t.true(
    dry.some(
      ({ subject, changes }) =>
        subject === 'invoice' &&
        changes.some(({ field, before, after }) => field === 'status' && before === null && after === 'paid'),
    ),
  );
  t.is((await ordersOf(ctx)).length, 1);
  await replayPayments(ctx, sinceYesterday(t.context), { dryRun: false });
  t.deepEqual(
    (await ordersOf(ctx)).map(({ status }) => status),
    ['paid', 'paid'],
  );
});

test.serial('replayPayments completes unknown events, and reports foreign orders and provider failures', async (t) => {
  const { ctx, stripe, account } = t.context;
  const { orderId, sessionId } = await paySilently(t.context);
  const { events } = await stripe.account(account.secretKey);
  const eventId = String(events.find(({ type }) => type === 'checkout.session.completed')?.['id']);
  const now = ctx.clock.now();
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    insert into payment_events (tenant_id, id, type, subject, object_id, source, state, occurred_at, received_at,
      settled_at)
    values (${ctx.tenant.id}, ${eventId}, 'checkout.session.completed', 'session', ${sessionId}, 'webhook',
      'unknown_order', ${now}, ${now}, ${now})`),
  );
  await stripe.addFault({ match: 'GET /v1/checkout/sessions/*', kind: 'status', status: 500, times: 2 });
  const [failed] = await replayPayments(ctx, { eventId }, { dryRun: false });
  t.is(failed?.result, 'failed');
  t.regex(failed?.failure ?? '', /^Stripe, /);
  await stripe.clearFaults();

  t.is((await replayPayments(ctx, { eventId }, { dryRun: false }))[0]?.result, 'changed');
  t.deepEqual(
    await read(ctx, sql`select state from payment_events where tenant_id = ${ctx.tenant.id} and id = ${eventId}`),
    [{ state: 'applied' }],
  );

  await transact(ctx, async (ctx) => {
    await ctx.tx.execute(sql`delete from orders where tenant_id = ${ctx.tenant.id} and id = ${orderId}`);
  });
  t.is((await replayPayments(ctx, { sessionId }, { dryRun: false }))[0]?.result, 'unknown_order');
});

test.serial('replayPayments finds objects whose events are no longer listed', async (t) => {
  const { ctx, clock, stripe } = t.context;
  const { orderId, sessionId } = await paySilently(t.context);
  clock.pass(days(50));
  const since = new Date(clock.now().getTime() - days(60));
  t.deepEqual(
    (await replayPayments(ctx, { since }, { dryRun: true })).map(({ subject, objectId, result }) => ({
      subject,
      objectId,
      result,
    })),
    [{ subject: 'session', objectId: sessionId, result: 'changed' }],
  );
  t.like(await orderOf(ctx, orderId), { status: 'pending' });
  await replayPayments(ctx, { since }, { dryRun: false });
  t.like(await orderOf(ctx, orderId), { status: 'paid' });
  t.deepEqual(await replayPayments(ctx, { since }, { dryRun: false }), [], 'what is in line is not looked at again');

  await stripe.addFault({ match: 'GET /v1/checkout/sessions', kind: 'status', status: 500, times: 9 });
  t.like(await t.throwsAsync(replayPayments(ctx, { since }, { dryRun: true })), {
    code: 'payment_provider_unavailable',
  });
});
