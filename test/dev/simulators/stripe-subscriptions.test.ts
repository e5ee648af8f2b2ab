import test, { type ExecutionContext } from 'ava';
import type Stripe from 'stripe';

import {
  errorOf,
  idOf,
  line,
  openStoreFixture,
  type StoreFixture,
  type StoreOptions,
  subscriptionSession,
} from './stripe-fixture.ts';

interface Subscribed extends StoreFixture {
  readonly subscription: Stripe.Subscription;
  readonly session: Stripe.Checkout.Session;
}

async function subscribed(
  t: ExecutionContext,
  params: Partial<Stripe.Checkout.SessionCreateParams> = {},
  options: StoreOptions = {},
): Promise<Subscribed> {
  const fixture = await openStoreFixture(t, options);
  const { id } = await fixture.stripe.checkout.sessions.create(subscriptionSession(params));
  await fixture.control.pay(id, { outcome: 'paid' });
  const session = await fixture.stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] });
  if (typeof session.subscription !== 'object' || !session.subscription) throw new Error('no subscription');
  return { ...fixture, session, subscription: session.subscription };
}

test('a mixed cart creates a subscription with the one-time lines on its first invoice', async (t) => {
  const { stripe, session, subscription, control, key } = await subscribed(t, {
    line_items: [
      line('Beans', 2400, { quantity: 2, recurring: { interval: 'month', interval_count: 3 } }),
      line('Grinder', 4900),
    ],
    subscription_data: { metadata: { platform_order_id: 'o1' } },
  });
  t.like(session, { amount_total: 9700, payment_status: 'paid', payment_intent: null });
  t.like(subscription, {
    status: 'active',
    metadata: { platform_order_id: 'o1' },
    cancel_at_period_end: false,
  });
  t.is(subscription.items.data.length, 1);
  t.like(subscription.items.data[0]?.price, {
    unit_amount: 2400,
    recurring: { interval: 'month', interval_count: 3 },
  });

  const invoice = await stripe.invoices.retrieve(idOf(session.invoice), { expand: ['payments'] });
  t.like(invoice, { billing_reason: 'subscription_create', status: 'paid', amount_paid: 9700 });
  t.is(idOf(invoice.parent?.subscription_details?.subscription), subscription.id);
  t.deepEqual(invoice.parent?.subscription_details?.metadata, { platform_order_id: 'o1' });
  t.deepEqual(
    invoice.lines.data.map(({ amount }) => amount),
    [4800, 4900],
  );
  t.is(invoice.lines.data[0]?.parent?.subscription_item_details?.subscription_item, subscription.items.data[0]?.id);

  const { data: payments } = await stripe.invoicePayments.list({ invoice: invoice.id ?? '' });
  const intent = await stripe.paymentIntents.retrieve(idOf(payments[0]?.payment.payment_intent));
  t.like(intent, { status: 'succeeded', amount: 9700 });
  const types = (await control.account(key)).events.map(({ type }) => type);
  for (const type of [
    'customer.created',
    'customer.subscription.created',
    'invoice.paid',
    'checkout.session.completed',
  ]) {
    t.true(types.includes(type), type);
  }
});

test("the payment of a mixed cart is refunded through the invoice's payment", async (t) => {
  const { stripe, session } = await subscribed(t);
  const { data } = await stripe.invoicePayments.list({ invoice: idOf(session.invoice) });
  const intent = idOf(data[0]?.payment.payment_intent);
  t.like(await stripe.refunds.create({ payment_intent: intent }), { amount: 2400, status: 'succeeded' });
});

test('a renewal advances the period and creates a cycle invoice', async (t) => {
  const now = Date.UTC(2026, 0, 31);
  const { stripe, subscription, control } = await subscribed(t, {}, { now: () => now });
  t.is(subscription.items.data[0]?.current_period_end, Date.UTC(2026, 1, 28) / 1000);

  await control.renew(subscription.id, 'paid');
  const renewed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
  t.is(renewed.items.data[0]?.current_period_start, Date.UTC(2026, 1, 28) / 1000);
  t.like(renewed.latest_invoice, { billing_reason: 'subscription_cycle', status: 'paid', amount_paid: 2400 });
  const { data } = await stripe.invoices.list({ subscription: subscription.id });
  t.deepEqual(
    data.map(({ billing_reason: reason }) => reason),
    ['subscription_cycle', 'subscription_create'],
  );
});

test('a failed renewal leaves the subscription past due until its invoice is paid', async (t) => {
  const { stripe, subscription, control, key } = await subscribed(t);
  t.like(await control.renew(subscription.id, 'failed'), { status: 'past_due' });
  const [invoice] = (await stripe.invoices.list({ status: 'open' })).data;
  t.like(invoice, { attempt_count: 1, amount_remaining: 2400 });
  await control.payInvoice(invoice?.id ?? '', 'paid');

  t.is((await stripe.subscriptions.retrieve(subscription.id)).status, 'active');
  const { events, invoice_payments: payments } = await control.account(key);
  t.true(events.some(({ type }) => type === 'invoice.payment_failed'));
  t.deepEqual(
    payments.map(({ status }) => status),
    ['paid', 'paid'],
  );
});

test('a forever coupon reduces every invoice, a once coupon only the first', async (t) => {
  for (const duration of ['forever', 'once'] as const) {
    const fixture = await openStoreFixture(t);
    await fixture.stripe.coupons.create({ id: 'half', percent_off: 50, duration });
    const { id } = await fixture.stripe.checkout.sessions.create(
      subscriptionSession({ discounts: [{ coupon: 'half' }] }),
    );
    await fixture.control.pay(id, { outcome: 'paid' });
    const { subscription } = await fixture.stripe.checkout.sessions.retrieve(id);
    await fixture.control.renew(idOf(subscription), 'paid');
    const { data } = await fixture.stripe.invoices.list({ expand: ['data.discounts'] });
    t.deepEqual(
      data.map(({ total }) => total),
      duration === 'forever' ? [1200, 1200] : [2400, 1200],
    );
    t.like(data[1]?.discounts[0], { source: { type: 'coupon', coupon: 'half' } });
  }
});

test('cancel_at_period_end ends a subscription at its period, and can be revoked before', async (t) => {
  const { stripe, subscription, control, key } = await subscribed(t);
  const ending = await stripe.subscriptions.update(subscription.id, {
    cancel_at_period_end: true,
    cancellation_details: { feedback: 'too_expensive', comment: 'Too much coffee.' },
  });
  t.like(ending, {
    status: 'active',
    cancel_at_period_end: true,
    cancel_at: subscription.items.data[0]?.current_period_end,
    cancellation_details: { feedback: 'too_expensive', reason: 'cancellation_requested' },
  });
  const continued = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false });
  t.like(continued, { cancel_at: null, canceled_at: null });

  await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
  t.like(await control.renew(subscription.id, 'paid'), { status: 'canceled' });
  const last = (await control.account(key)).events.at(-1);
  t.is(last?.type, 'customer.subscription.deleted');
});

test('a canceled subscription cannot be changed and is not in the default list', async (t) => {
  const { stripe, subscription } = await subscribed(t);
  t.is((await stripe.subscriptions.cancel(subscription.id)).status, 'canceled');
  t.is(
    (await errorOf(stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false }))).code,
    'resource_missing',
  );
  t.is((await errorOf(stripe.subscriptions.cancel(subscription.id))).statusCode, 404);
  t.deepEqual((await stripe.subscriptions.list()).data, []);
  t.is((await stripe.subscriptions.list({ status: 'all' })).data.length, 1);
  t.is((await stripe.subscriptions.list({ status: 'canceled' })).data.length, 1);
});

test('a paused subscription is not invoiced until it is resumed', async (t) => {
  const { stripe, subscription, control, key } = await subscribed(t);
  const paused = await stripe.subscriptions.pause(subscription.id, { type: 'subscription' });
  t.is(paused.status, 'paused');
  await t.throwsAsync(control.renew(subscription.id, 'paid'), { message: /paused/ });
  t.is((await errorOf(stripe.subscriptions.pause(subscription.id))).statusCode, 400);

  const resumed = await stripe.subscriptions.resume(subscription.id, {
    billing_cycle_anchor: { type: 'now' },
  });
  t.is(resumed.status, 'active');
  t.is((await errorOf(stripe.subscriptions.resume(subscription.id))).statusCode, 400);
  const { events, invoices } = await control.account(key);
  const types = events.map(({ type }) => type);
  t.true(types.includes('customer.subscription.paused'));
  t.true(types.includes('customer.subscription.resumed'));
  t.is(invoices.length, 2);
});

test('pause and resume without prorations keep the paid period and charge nothing', async (t) => {
  const day = 86_400_000;
  let now = Date.UTC(2026, 0, 1);
  const { stripe, subscription, control } = await subscribed(t, {}, { now: () => now });
  const end = subscription.items.data[0]?.current_period_end;
  await stripe.subscriptions.pause(subscription.id, { bill_for: { unused_time_from: { type: 'none' } } });
  now += 5 * day;
  const unchanged = { billing_cycle_anchor: { type: 'unchanged' }, proration_behavior: 'none' } as const;
  const resumed = await stripe.subscriptions.resume(subscription.id, unchanged);
  t.is(resumed.status, 'active');
  t.is(resumed.items.data[0]?.current_period_end, end);
  t.is(resumed.billing_cycle_anchor, subscription.billing_cycle_anchor);
  t.is((await stripe.invoices.list()).data.length, 1);

  await stripe.subscriptions.pause(subscription.id, { bill_for: { unused_time_from: { type: 'none' } } });
  now += 60 * day;
  const late = await stripe.subscriptions.resume(subscription.id, unchanged);
  t.is(late.items.data[0]?.current_period_end, Date.UTC(2026, 3, 1) / 1000);
  t.is((await stripe.invoices.list()).data.length, 1);
  await control.renew(subscription.id, 'paid');
  t.like((await stripe.invoices.list()).data[0], { billing_reason: 'subscription_cycle', amount_paid: 2400 });
});

test('a pause credits the unused time on the next invoice by default', async (t) => {
  let now = Date.UTC(2026, 0, 1);
  const { stripe, subscription, control } = await subscribed(t, {}, { now: () => now });
  now += 15.5 * 86_400_000;
  await stripe.subscriptions.pause(subscription.id, { type: 'subscription' });
  await stripe.subscriptions.resume(subscription.id, {
    billing_cycle_anchor: { type: 'unchanged' },
    proration_behavior: 'none',
  });
  await control.renew(subscription.id, 'paid');
  const [invoice] = (await stripe.invoices.list()).data;
  t.like(invoice, { amount_paid: 1200 });
  t.deepEqual(
    invoice?.lines.data.map(({ amount, parent }) => [amount, parent?.subscription_item_details?.proration]),
    [
      [2400, false],
      [-1200, true],
    ],
  );
});

test("a new interval with a trial until the period's end is charged only then", async (t) => {
  const { stripe, subscription, control } = await subscribed(t);
  const [item] = subscription.items.data;
  const end = item?.current_period_end ?? 0;
  const quarter = {
    id: idOf(item),
    price_data: {
      currency: 'usd',
      product: idOf(item?.price.product),
      unit_amount: 2400,
      recurring: { interval: 'month', interval_count: 3 },
    },
  } as const;
  const change = (trialEnd: number) =>
    stripe.subscriptions.update(subscription.id, {
      proration_behavior: 'none',
      trial_end: trialEnd,
      items: [quarter],
    });
  t.is((await errorOf(change(1))).param, 'trial_end');
  const changed = await change(end);
  t.like(changed, { status: 'trialing', trial_end: end, billing_cycle_anchor: end });
  t.is(changed.items.data[0]?.current_period_end, end);
  t.like((await stripe.invoices.list()).data[0], { billing_reason: 'subscription_update', total: 0, status: 'paid' });

  await control.renew(subscription.id, 'paid');
  const renewed = await stripe.subscriptions.retrieve(subscription.id);
  t.is(renewed.status, 'active');
  t.is(renewed.items.data[0]?.current_period_start, end);
  t.like((await stripe.invoices.list()).data[0], { billing_reason: 'subscription_cycle', amount_paid: 2400 });
});

test('pause_collection keeps the subscription active and does not collect its invoices', async (t) => {
  const { stripe, subscription, control } = await subscribed(t);
  for (const [behavior, status] of [
    ['void', 'void'],
    ['keep_as_draft', 'draft'],
    ['mark_uncollectible', 'uncollectible'],
  ] as const) {
    const changed = await stripe.subscriptions.update(subscription.id, { pause_collection: { behavior } });
    t.like(changed, { status: 'active', pause_collection: { behavior, resumes_at: null } });
    await control.renew(subscription.id, 'paid');
    t.is((await stripe.invoices.list({ limit: 1 })).data[0]?.status, status);
  }
  const cleared = await stripe.subscriptions.update(subscription.id, { pause_collection: '' });
  t.is(cleared.pause_collection, null);
});

test('subscription items can be changed, added and removed, except the last one', async (t) => {
  const { stripe, subscription } = await subscribed(t);
  const item = idOf(subscription.items.data[0]);
  const product = idOf(subscription.items.data[0]?.price.product);
  const more = await stripe.subscriptions.update(subscription.id, {
    items: [
      { id: item, quantity: 3 },
      { price_data: { currency: 'usd', product, unit_amount: 900, recurring: { interval: 'month' } } },
    ],
  });
  t.deepEqual(
    more.items.data.map(({ quantity }) => quantity),
    [3, 1],
  );
  const less = await stripe.subscriptions.update(subscription.id, { items: [{ id: item, deleted: true }] });
  t.is(less.items.data.length, 1);
  const last = idOf(less.items.data[0]);
  t.is(
    (await errorOf(stripe.subscriptions.update(subscription.id, { items: [{ id: last, deleted: true }] }))).param,
    'items',
  );
});

test('a second subscription reuses the customer, whose currency is fixed by the first', async (t) => {
  const { stripe, control, session } = await subscribed(t);
  const customer = idOf(session.customer);
  const again = await stripe.checkout.sessions.create(subscriptionSession({ customer }));
  await control.pay(again.id, { outcome: 'paid' });
  t.is((await stripe.customers.list()).data.length, 1);
  t.is((await stripe.subscriptions.list({ customer })).data.length, 2);
  const euros = [line('Beans', 2400, { currency: 'eur', recurring: { interval: 'month' } })];
  t.is(
    (await errorOf(stripe.checkout.sessions.create(subscriptionSession({ customer, line_items: euros })))).param,
    'customer',
  );
});

test('a subscription with a trial starts without a payment', async (t) => {
  const { session, subscription } = await subscribed(t, { subscription_data: { trial_period_days: 14 } });
  t.like(session, { amount_total: 0, payment_status: 'no_payment_required' });
  t.is(subscription.status, 'trialing');
});

test('the billing portal shows the subscriptions and cancels one', async (t) => {
  const { stripe, subscription, session } = await subscribed(t);
  const portal = await stripe.billingPortal.sessions.create({
    customer: idOf(session.customer),
    return_url: 'https://shop.example/account',
  });
  const page = await (await fetch(portal.url)).text();
  t.regex(page, /Beans/);
  t.regex(page, /href="https:\/\/shop\.example\/account"/);
  const form = new URLSearchParams({ subscription: subscription.id, action: 'cancel' });
  t.is((await fetch(portal.url, { method: 'POST', body: form })).status, 200);
  t.like(await stripe.subscriptions.retrieve(subscription.id), {
    cancel_at_period_end: false,
    cancel_at: subscription.items.data[0]?.current_period_end,
  });
});
