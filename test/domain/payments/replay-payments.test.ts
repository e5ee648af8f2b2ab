import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import { replayPayments } from '#src/domain/payments/index.ts';
import { days, hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { recorded } from '#test/support/enqueued-jobs.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { orderOf, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { subscriptionsOf } from '#test/support/factories/subscriptions.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

/** A payment whose webhook is lost. */
async function paySilently({ ctx, stripe }: StripeContext, purchase_type: 'one_time' | 'subscription' = 'one_time') {
  await stripe.deliveries({ drop: 1 });
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
  });
  const { sessionId } = await sessionOf(ctx, orderId);
  await stripe.pay(sessionId ?? '', { ...shopper, outcome: 'paid' });
  return { orderId, sessionId: sessionId ?? '', orderNumber: (await orderOf(ctx, orderId)).orderNumber };
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
  t.is((await replayPayments(ctx, { sessionId: 'cs_none' }, { dryRun: true }))[0]?.result, 'ignored');
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
