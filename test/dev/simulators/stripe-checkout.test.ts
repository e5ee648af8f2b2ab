import test, { type ExecutionContext } from 'ava';
import type Stripe from 'stripe';
import { only } from '#test/support/only.ts';
import {
  errorOf,
  idOf,
  line,
  openReceiver,
  openStoreFixture,
  paymentSession,
  type StoreFixture,
  type StoreOptions,
  subscriptionSession,
} from './stripe-fixture.ts';

test('a paid one-time order sends a signed checkout.session.completed', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  const receiver = await openReceiver(t);
  await control.addWebhookEndpoint(key, { url: receiver.url, secret: receiver.secret });
  const session = await stripe.checkout.sessions.create(
    paymentSession({
      client_reference_id: 'ORD-1001',
      metadata: { platform_order_id: 'o1' },
      payment_intent_data: { metadata: { platform_order_id: 'o1' } },
      line_items: [line('Mug', 1800, { quantity: 2, metadata: { platform_product_id: 'p1' } })],
    }),
  );
  t.like(session, { status: 'open', payment_status: 'unpaid', payment_intent: null, amount_total: 3600 });

  await control.pay(session.id, { outcome: 'paid', email: 'ada@example.com' });
  await receiver.arrived('checkout.session.completed');
  await control.flush();

  const types = receiver.events.map(({ type }) => type).filter((type) => !/^(product|price)\./.test(type));
  t.deepEqual(types.toSorted(), [
    'charge.succeeded',
    'checkout.session.completed',
    'payment_intent.created',
    'payment_intent.succeeded',
  ]);
  const paid = await stripe.checkout.sessions.retrieve(session.id, {
    expand: ['payment_intent.latest_charge'],
  });
  t.like(paid, { status: 'complete', payment_status: 'paid', url: null, customer: null });
  t.is(paid.customer_details?.email, 'ada@example.com');
  t.deepEqual(paid.metadata, { platform_order_id: 'o1' });
  const intent = paid.payment_intent;
  if (typeof intent !== 'object' || !intent) return t.fail();
  t.like(intent, { status: 'succeeded', amount_received: 3600, metadata: { platform_order_id: 'o1' } });
  t.like(intent.latest_charge, { amount: 3600, metadata: { platform_order_id: 'o1' } });
});

test('a session returns its metadata, and its lines theirs', async (t) => {
  const { stripe, control } = await openStoreFixture(t);
  const session = await stripe.checkout.sessions.create(
    paymentSession({
      metadata: { cart: 'c1' },
      line_items: [line('Mug', 1800, { metadata: { platform_product_id: 'p1' } })],
    }),
  );
  await control.pay(session.id, { outcome: 'paid' });

  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['line_items.data.price.product'] });
  t.deepEqual((await stripe.paymentIntents.retrieve(idOf(paid.payment_intent))).metadata, {});
  const [bought] = paid.line_items?.data ?? [];
  t.deepEqual(bought?.metadata, { platform_product_id: 'p1' });
  t.like(bought?.price?.product, { name: 'Mug', metadata: { platform_product_id: 'p1' } });
});

test('a session shows its first ten lines, in cart order', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const names = Array.from({ length: 23 }, (_, index) => `Mug ${index}`);
  const { id } = await stripe.checkout.sessions.create(
    paymentSession({ line_items: names.map((name) => line(name, 100)) }),
  );
  const { line_items: expanded } = await stripe.checkout.sessions.retrieve(id, { expand: ['line_items'] });
  t.deepEqual(
    expanded?.data.map(({ description }) => description),
    names.slice(0, 10),
  );
  t.true(expanded?.has_more);
});

test('a declined card leaves the session open, and the same payment intent succeeds later', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  const session = await stripe.checkout.sessions.create(paymentSession());

  await control.pay(session.id, { outcome: 'declined' });
  const open = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] });
  t.is(open.status, 'open');
  t.like(open.payment_intent, {
    status: 'requires_payment_method',
    last_payment_error: { code: 'card_declined' },
  });
  await control.pay(session.id, { outcome: 'paid' });

  const { events, payment_intents: intents, charges } = await control.account(key);
  const types = events.map(({ type }) => type);
  t.true(types.includes('payment_intent.payment_failed'));
  t.is(intents.length, 1);
  t.deepEqual(
    charges.map(({ status }) => status),
    ['failed', 'succeeded'],
  );
});

test('a bank debit completes the session unpaid, and succeeds or fails later', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  const [one, two] = [
    await stripe.checkout.sessions.create(paymentSession()),
    await stripe.checkout.sessions.create(paymentSession()),
  ];
  for (const { id } of [one, two]) {
    t.like(await control.pay(id, { outcome: 'processing' }), {
      status: 'complete',
      payment_status: 'unpaid',
    });
  }
  t.like(await control.settle(one.id, 'succeeded'), { payment_status: 'paid' });
  t.like(await control.settle(two.id, 'failed'), { payment_status: 'unpaid' });

  const { events, payment_intents: intents } = await control.account(key);
  const types = events.map(({ type }) => type);
  t.true(types.includes('checkout.session.async_payment_succeeded'));
  t.true(types.includes('checkout.session.async_payment_failed'));
  t.deepEqual(
    intents.map(({ status }) => status),
    ['succeeded', 'requires_payment_method'],
  );
});

test('a voucher completes the session unpaid, and has a charge only once it was paid', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  const [one, two] = [
    await stripe.checkout.sessions.create(paymentSession()),
    await stripe.checkout.sessions.create(paymentSession()),
  ];
  for (const { id } of [one, two]) {
    t.like(await control.pay(id, { outcome: 'voucher' }), { status: 'complete', payment_status: 'unpaid' });
  }
  const before = await control.account(key);
  t.deepEqual(before.charges, []);
  for (const intent of before.payment_intents) {
    t.like(intent, { status: 'requires_action', next_action: { type: 'boleto_display_details' } });
  }
  t.like(await control.settle(one.id, 'succeeded'), { payment_status: 'paid' });
  t.like(await control.settle(two.id, 'failed'), { payment_status: 'unpaid' });
  await t.throwsAsync(control.settle(two.id, 'succeeded'), { message: /under way/ });

  const { charges, payment_intents: intents } = await control.account(key);
  t.like(charges, only({ status: 'succeeded' }));
  t.deepEqual(
    intents.map(({ status, next_action: next }) => [status, next]),
    [
      ['succeeded', null],
      ['requires_payment_method', null],
    ],
  );
});

test('a session with shipping options charges the chosen one and returns the address', async (t) => {
  const { stripe, control } = await openStoreFixture(t);
  const ship = (name: string, amount: number) => ({
    shipping_rate_data: {
      display_name: name,
      type: 'fixed_amount' as const,
      fixed_amount: { amount, currency: 'usd' },
    },
  });
  const session = await stripe.checkout.sessions.create(
    paymentSession({
      shipping_address_collection: { allowed_countries: ['US'] },
      shipping_options: [ship('Standard', 500), ship('Express', 1500)],
    }),
  );
  t.is(session.amount_total, 2300);
  await control.pay(session.id, {
    outcome: 'paid',
    name: 'Ada',
    address: { line1: '1 Main St', city: 'Reno', state: 'NV', postal_code: '89501', country: 'US' },
    shipping_option: 1,
  });

  const paid = await stripe.checkout.sessions.retrieve(session.id, {
    expand: ['shipping_cost.shipping_rate'],
  });
  t.like(paid, { amount_total: 3300, total_details: { amount_shipping: 1500 } });
  t.like(paid.shipping_cost?.shipping_rate, { display_name: 'Express' });
  t.like(paid.collected_information?.shipping_details, {
    name: 'Ada',
    address: { line1: '1 Main St', line2: null },
  });
});

test('a coupon is capped at the subtotal, excludes shipping and is spread over the lines', async (t) => {
  const { stripe } = await openStoreFixture(t);
  await stripe.coupons.create({ id: 'big', amount_off: 99_999, currency: 'usd', duration: 'once' });
  await stripe.coupons.create({ id: 'third', percent_off: 33.3, duration: 'once' });
  const shipping = {
    shipping_rate_data: {
      display_name: 'Post',
      type: 'fixed_amount' as const,
      fixed_amount: { amount: 500, currency: 'usd' },
    },
  };
  const covered = await stripe.checkout.sessions.create(
    paymentSession({ discounts: [{ coupon: 'big' }], shipping_options: [shipping] }),
  );
  t.like(covered, { amount_subtotal: 1800, amount_total: 500, total_details: { amount_discount: 1800 } });
  const shared = await stripe.checkout.sessions.create(
    paymentSession({
      discounts: [{ coupon: 'third' }],
      line_items: [line('A', 1000), line('B', 333, { quantity: 2 }), line('C', 1)],
      expand: ['line_items'],
    }),
  );
  const off = shared.line_items?.data.map(({ amount_discount: amount }) => amount) ?? [];
  t.is(
    off.reduce((sum, amount) => sum + amount, 0),
    shared.total_details?.amount_discount ?? -1,
  );
  t.is(shared.total_details?.amount_discount, 555);
});

test('a session whose coupon covers the total needs no payment', async (t) => {
  const { stripe, control } = await openStoreFixture(t);
  await stripe.coupons.create({ id: 'gift', amount_off: 5000, currency: 'usd', max_redemptions: 1 });
  const session = await stripe.checkout.sessions.create(paymentSession({ discounts: [{ coupon: 'gift' }] }));
  t.like(session, { amount_total: 0, payment_status: 'no_payment_required' });
  await control.pay(session.id, { outcome: 'paid' });

  const paid = await stripe.checkout.sessions.retrieve(session.id);
  t.like(paid, { status: 'complete', payment_status: 'no_payment_required', payment_intent: null });
  t.like((await stripe.coupons.list()).data[0], { times_redeemed: 1, valid: false });
  const again = await errorOf(stripe.checkout.sessions.create(paymentSession({ discounts: [{ coupon: 'gift' }] })));
  t.is(again.code, 'coupon_expired');
});

test('a coupon for one use in two open sessions pays for one of them', async (t) => {
  const { stripe, control } = await openStoreFixture(t);
  await stripe.coupons.create({ id: 'gift', amount_off: 500, currency: 'usd', max_redemptions: 1 });
  const params = paymentSession({ discounts: [{ coupon: 'gift' }] });
  const [one, two] = [await stripe.checkout.sessions.create(params), await stripe.checkout.sessions.create(params)];
  await control.pay(two.id, { outcome: 'paid' });
  await t.throwsAsync(control.pay(one.id, { outcome: 'paid' }), { message: /used up/ });
  t.is((await stripe.checkout.sessions.retrieve(one.id)).status, 'open');
});

test('an expired session cannot be paid, whether by request or by time', async (t) => {
  let now = Date.now();
  const { stripe, control, key } = await openStoreFixture(t, { now: () => now });
  const expired = await stripe.checkout.sessions.create(paymentSession());
  t.is((await stripe.checkout.sessions.expire(expired.id)).status, 'expired');
  t.is((await errorOf(stripe.checkout.sessions.expire(expired.id))).statusCode, 400);

  const expiresAt = Math.floor(now / 1000) + 1800;
  const late = await stripe.checkout.sessions.create(paymentSession({ expires_at: expiresAt }));
  now += 1800 * 1000;
  await t.throwsAsync(control.pay(late.id, { outcome: 'paid' }), { message: /expired/ });
  t.like(await stripe.checkout.sessions.retrieve(late.id), { status: 'expired', url: null });
  const { events } = await control.account(key);
  t.is(events.filter(({ type }) => type === 'checkout.session.expired').length, 2);
});

test('sessions are listed newest first and filtered by payment, customer and status', async (t) => {
  const { stripe, control } = await openStoreFixture(t);
  const customer = await stripe.customers.create({ email: 'ada@example.com' });
  const one = await stripe.checkout.sessions.create(paymentSession({ customer: customer.id }));
  const two = await stripe.checkout.sessions.create(paymentSession());
  await control.pay(one.id, { outcome: 'paid' });
  const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(one.id);

  const ids = async (params: object) => (await stripe.checkout.sessions.list(params)).data.map(({ id }) => id);
  t.deepEqual(await ids({}), [two.id, one.id]);
  t.deepEqual(await ids({ payment_intent: idOf(intent) }), [one.id]);
  t.deepEqual(await ids({ customer: customer.id }), [one.id]);
  t.deepEqual(await ids({ status: 'open' }), [two.id]);
  t.deepEqual(await ids({ created: { gte: Math.floor(Date.now() / 1000) + 60 } }), []);
  t.deepEqual(await ids({ customer_details: { email: 'jenny.rosen@example.com' } }), []);
});

test("a session's customer keeps its email, and other input is saved only with customer_update", async (t) => {
  const { stripe, control } = await openStoreFixture(t);
  const customer = await stripe.customers.create({ email: 'ada@example.com' });
  const params = {
    customer: customer.id,
    shipping_address_collection: { allowed_countries: ['US' as const] },
  };
  const plain = await stripe.checkout.sessions.create(paymentSession(params));
  await control.pay(plain.id, { outcome: 'paid', email: 'other@example.com' });
  const paid = await stripe.checkout.sessions.retrieve(plain.id);
  t.is(paid.customer_details?.email, 'ada@example.com');
  t.like(await stripe.customers.retrieve(customer.id), { shipping: null });

  const saving = await stripe.checkout.sessions.create(
    paymentSession({ ...params, customer_update: { shipping: 'auto' } }),
  );
  await control.pay(saving.id, { outcome: 'paid' });
  t.like(await stripe.customers.retrieve(customer.id), { shipping: { name: 'Jenny Rosen' } });
});

const shopper = {
  email: 'ada@example.com',
  name: 'Ada',
  line1: '1 Main St',
  city: 'Reno',
  state: 'NV',
  postal_code: '89501',
  country: 'US',
};

function submit(url: string, fields: Record<string, string>): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
}

test('the payment page shows lines, totals and the cancel link, all escaped', async (t) => {
  const { stripe } = await openStoreFixture(t);
  await stripe.coupons.create({ id: 'gift', amount_off: 500, currency: 'usd', name: 'Gift card' });
  const session = await stripe.checkout.sessions.create(
    paymentSession({
      line_items: [line('Mug <b>"big"</b>', 1800, { quantity: 2 })],
      discounts: [{ coupon: 'gift' }],
    }),
  );
  const response = await fetch(session.url ?? '');
  const page = await response.text();
  t.regex(page, /Mug &lt;b&gt;&quot;big&quot;&lt;\/b&gt;/);
  t.regex(page, /Gift card/);
  t.regex(page, /\$31\.00/);
  t.regex(page, /href="https:\/\/shop\.example\/cart"/);
  t.notRegex(page, /<script/);
  t.regex(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
});

test('the payment page shows an error for missing input and keeps the rest', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const session = await stripe.checkout.sessions.create(
    paymentSession({ shipping_address_collection: { allowed_countries: ['US'] } }),
  );
  const missing: [Record<string, string>, RegExp][] = [
    [{ ...shopper, email: 'nobody' }, /Enter your email address/],
    [{ ...shopper, line1: '' }, /Enter the address to ship to/],
    [{ ...shopper, country: 'DE' }, /does not ship to this country/],
    [{ ...shopper, outcome: 'declined' }, /Your card was declined/],
  ];
  for (const [fields, message] of missing) {
    const response = await submit(session.url ?? '', { outcome: 'paid', ...fields });
    t.is(response.status, 200);
    const page = await response.text();
    t.regex(page, message);
    t.regex(page, /value="Reno"/);
  }
  t.is((await stripe.checkout.sessions.retrieve(session.id)).status, 'open');
});

test('the payment page redirects to the store after its webhook was acknowledged', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  const receiver = await openReceiver(t);
  await control.addWebhookEndpoint(key, {
    url: receiver.url,
    secret: receiver.secret,
    events: ['checkout.session.completed'],
  });
  const session = await stripe.checkout.sessions.create(paymentSession());
  const response = await submit(session.url ?? '', { ...shopper, outcome: 'paid' });
  t.is(response.status, 303);
  t.is(response.headers.get('location'), `https://shop.example/thanks?session=${session.id}`);
  t.is(receiver.events.length, 1);

  const again = await (await fetch(`${session.url}`)).text();
  t.regex(again, /This checkout is complete/);
  const twice = await submit(session.url ?? '', { ...shopper, outcome: 'paid' });
  t.regex(await twice.text(), /This checkout is complete/);
  t.is((await control.account(key)).charges.length, 1);
});

test('the payment page of an expired session says so and links back', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const session = await stripe.checkout.sessions.create(paymentSession());
  await stripe.checkout.sessions.expire(session.id);
  const page = await (await fetch(session.url ?? '')).text();
  t.regex(page, /has expired/);
  t.regex(page, /shop\.example\/cart/);
});

test('the payment page starts a subscription with the fixed email', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const session = await stripe.checkout.sessions.create(subscriptionSession({ customer_email: 'ada@example.com' }));
  t.regex(await (await fetch(session.url ?? '')).text(), /Billed every month/);
  const response = await submit(session.url ?? '', { email: 'other@example.com', outcome: 'processing' });
  t.is(response.status, 303);
  const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ['customer', 'subscription'] });
  t.like(done, { payment_status: 'unpaid', status: 'complete' });
  t.like(done.customer, { email: 'ada@example.com' });
});

test('an unknown page returns 404 with a message', async (t) => {
  const { url } = await openStoreFixture(t);
  t.is((await fetch(`${url}/pay/cs_test_none`)).status, 404);
  t.is((await fetch(`${url}/portal/bps_none`)).status, 404);
  t.is((await fetch(`${url}/`)).status, 200);
});

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

test("the first payment of a subscription is refunded through its invoice's payment", async (t) => {
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

test('each period ends on the day on which the subscription began, or on the last day of a shorter month', async (t) => {
  for (const [start, ends] of [
    [Date.UTC(2027, 0, 31, 9), ['02-28', '03-31', '04-30', '05-31', '06-30', '07-31', '08-31', '09-30', '10-31']],
    [Date.UTC(2028, 0, 30, 9), ['02-29', '03-30', '04-30', '05-30']],
  ] as const) {
    const { stripe, subscription, control } = await subscribed(t, {}, { now: () => start });
    for (const end of ends) {
      const { items } = await stripe.subscriptions.retrieve(subscription.id);
      const at = new Date((items.data[0]?.current_period_end ?? 0) * 1000).toISOString();
      t.is(at.slice(5, 16), `${end}T09:00`);
      await control.renew(subscription.id, 'paid');
    }
  }
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

test("a renewal settles the customer's credit or debt, and keeps what is left of it", async (t) => {
  const { stripe, subscription, control, key } = await subscribed(t);
  const customer = idOf(subscription.customer);
  const renewed = async () => {
    await control.renew(subscription.id, 'paid');
    const [invoice] = (await stripe.invoices.list({ limit: 1 })).data;
    const { balance } = (await stripe.customers.retrieve(customer)) as Stripe.Customer;
    return [invoice?.total, invoice?.starting_balance, invoice?.amount_due, invoice?.amount_paid, balance];
  };
  await stripe.customers.update(customer, { balance: -3000 });
  t.deepEqual(await renewed(), [2400, -3000, 0, 0, -600]);
  t.deepEqual(await renewed(), [2400, -600, 1800, 1800, 0]);
  await stripe.customers.update(customer, { balance: 40 });
  t.deepEqual(await renewed(), [2400, 40, 2440, 2440, 0]);
  t.deepEqual(
    (await control.account(key)).charges.map(({ amount }) => amount),
    [2400, 1800, 2440],
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
