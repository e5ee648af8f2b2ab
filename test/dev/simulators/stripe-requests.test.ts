import test from 'ava';
import type Stripe from 'stripe';
import {
  errorOf,
  idOf,
  line,
  openStoreFixture,
  paymentSession,
  type StoreFixture,
  subscriptionSession,
} from '#test/dev/simulators/stripe-fixture.ts';

type SessionParams = Stripe.Checkout.SessionCreateParams;

const now = Date.UTC(2026, 10, 20);
const seconds = now / 1000;
const beans = (interval: 'month' | 'year', count = 1) =>
  line('Beans', 2400, { recurring: { interval, interval_count: count } });
const freight = (currency = 'usd') => ({
  shipping_rate_data: {
    display_name: 'Post',
    type: 'fixed_amount' as const,
    fixed_amount: { amount: 500, currency },
  },
});
const priced = (price: object) => ({
  line_items: [{ quantity: 1, price_data: { currency: 'usd', ...price } }],
});
const cast = (params: object): Partial<SessionParams> => params;

/** The error in the parameters of a session, the parameter that Stripe names, and its code. */
const cases: readonly [what: string, params: SessionParams, param: string | undefined, code?: string][] = [
  [
    'an unknown parameter',
    paymentSession(cast({ payment_method_types: ['card'] })),
    'payment_method_types',
    'parameter_unknown',
  ],
  [
    'a nested unknown parameter',
    paymentSession(cast(priced({ unit_amount: 100, product_data: { name: 'Mug' }, colour: 'red' }))),
    'line_items[0][price_data][colour]',
    'parameter_unknown',
  ],
  ['the old word for the page', paymentSession(cast({ ui_mode: 'hosted' })), 'ui_mode'],
  ['no mode', cast({ ...paymentSession(), mode: undefined }), 'mode', 'parameter_missing'],
  ['no lines', paymentSession({ line_items: [] }), 'line_items', 'parameter_missing'],
  ['no success_url', cast({ ...paymentSession(), success_url: undefined }), 'success_url', 'parameter_missing'],
  ['an address that is none', paymentSession({ success_url: 'thanks' }), 'success_url', 'url_invalid'],
  ['an empty string', paymentSession({ client_reference_id: '' }), 'client_reference_id', 'parameter_invalid_empty'],
  [
    'a client_reference_id of 201 characters',
    paymentSession({ client_reference_id: 'x'.repeat(201) }),
    'client_reference_id',
  ],
  [
    'an amount that is no integer',
    paymentSession(cast(priced({ unit_amount: 10.5, product_data: { name: 'Mug' } }))),
    'line_items[0][price_data][unit_amount]',
    'parameter_invalid_integer',
  ],
  [
    'a negative amount',
    paymentSession({ line_items: [line('Mug', -1)] }),
    'line_items[0][price_data][unit_amount]',
    'parameter_invalid_integer',
  ],
  [
    'an amount past the greatest',
    paymentSession({ line_items: [line('Mug', 1_000_000_000_000)] }),
    'line_items[0][price_data][unit_amount]',
    'amount_too_large',
  ],
  [
    'a currency that is none',
    paymentSession({ line_items: [line('Mug', 100, { currency: 'zzz' })] }),
    'line_items[0][price_data][currency]',
  ],
  [
    'two currencies',
    paymentSession({ line_items: [line('A', 100), line('B', 100, { currency: 'eur' })] }),
    'line_items[1][price_data][currency]',
  ],
  [
    'no product name',
    paymentSession(cast(priced({ unit_amount: 100, product_data: { description: 'Blue' } }))),
    'line_items[0][price_data][product_data][name]',
    'parameter_missing',
  ],
  [
    'a line without a price',
    paymentSession({ line_items: [{ quantity: 1 }] }),
    'line_items[0][price]',
    'parameters_exclusive',
  ],
  [
    'a line without a quantity',
    paymentSession({
      line_items: [{ price_data: { currency: 'usd', unit_amount: 100, product_data: { name: 'Mug' } } }],
    }),
    'line_items[0][quantity]',
    'parameter_missing',
  ],
  [
    'none of a thing',
    paymentSession({ line_items: [{ ...line('Mug', 100), quantity: 0 }] }),
    'line_items[0][quantity]',
    'parameter_invalid_integer',
  ],
  [
    'more than the greatest charge',
    paymentSession({ line_items: [{ ...line('Mug', 500_000_000_000), quantity: 2 }] }),
    'line_items',
    'amount_too_large',
  ],
  ['less than the least charge', paymentSession({ line_items: [line('Mug', 49)] }), 'line_items', 'amount_too_small'],
  ['101 lines', paymentSession({ line_items: Array.from({ length: 101 }, () => line('Mug', 100)) }), 'line_items'],
  [
    '21 recurring lines',
    subscriptionSession({ line_items: Array.from({ length: 21 }, () => beans('month')) }),
    'line_items',
  ],
  [
    '21 one-time lines beside a subscription',
    subscriptionSession({
      line_items: [beans('month'), ...Array.from({ length: 21 }, () => line('Mug', 100))],
    }),
    'line_items',
  ],
  [
    'month and quarter in one cart',
    subscriptionSession({ line_items: [beans('month'), beans('month', 3)] }),
    'line_items',
  ],
  [
    'an interval of four years',
    subscriptionSession({ line_items: [beans('year', 4)] }),
    'line_items[0][price_data][recurring][interval_count]',
  ],
  ['a recurring price in payment mode', paymentSession({ line_items: [beans('month')] }), 'mode'],
  ['no recurring price in subscription mode', subscriptionSession({ line_items: [line('Mug', 100)] }), 'line_items'],
  [
    'subscription_data in payment mode',
    paymentSession({ subscription_data: { metadata: { a: 'b' } } }),
    'subscription_data',
  ],
  [
    'payment_intent_data in subscription mode',
    subscriptionSession({ payment_intent_data: { metadata: { a: 'b' } } }),
    'payment_intent_data',
  ],
  ['shipping options in subscription mode', subscriptionSession({ shipping_options: [freight()] }), 'shipping_options'],
  [
    'six shipping options',
    paymentSession({ shipping_options: Array.from({ length: 6 }, () => freight()) }),
    'shipping_options',
  ],
  [
    'shipping in another currency',
    paymentSession({ shipping_options: [freight('eur')] }),
    'shipping_options[0][shipping_rate_data][fixed_amount][currency]',
  ],
  [
    'customer and customer_email',
    paymentSession({ customer: 'cus_x', customer_email: 'a@b.co' }),
    'customer',
    'parameters_exclusive',
  ],
  ['a customer that is not there', paymentSession({ customer: 'cus_x' }), 'customer', 'resource_missing'],
  ['customer_update without customer', paymentSession({ customer_update: { name: 'auto' } }), 'customer_update'],
  ['customer_creation in subscription mode', subscriptionSession({ customer_creation: 'always' }), 'customer_creation'],
  ['an email that is none', paymentSession({ customer_email: 'nobody' }), 'customer_email', 'email_invalid'],
  ['two discounts', paymentSession({ discounts: [{ coupon: 'a' }, { coupon: 'b' }] }), 'discounts'],
  [
    'a coupon that is not there',
    paymentSession({ discounts: [{ coupon: 'a' }] }),
    'discounts[0][coupon]',
    'resource_missing',
  ],
  ['an expiry in 29 minutes', paymentSession({ expires_at: seconds + 29 * 60 }), 'expires_at'],
  ['an expiry in 25 hours', paymentSession({ expires_at: seconds + 25 * 3600 }), 'expires_at'],
  [
    '51 metadata keys',
    paymentSession({ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'v'])) }),
    'metadata',
  ],
  ['a metadata key of 41 characters', paymentSession({ metadata: { ['k'.repeat(41)]: 'v' } }), 'metadata'],
  ['a metadata value of 501 characters', paymentSession({ metadata: { note: 'v'.repeat(501) } }), 'metadata[note]'],
  [
    'a country that Stripe does not know',
    paymentSession(cast({ shipping_address_collection: { allowed_countries: ['XX'] } })),
    'shipping_address_collection[allowed_countries][0]',
  ],
  ['an expansion that is not there', paymentSession({ expand: ['colour'] }), 'expand'],
];

for (const [what, params, param, code] of cases) {
  test(`POST /v1/checkout/sessions rejects ${what}`, async (t) => {
    const { stripe, control, key } = await openStoreFixture(t, { now: () => now });
    const error = await errorOf(stripe.checkout.sessions.create(params));
    t.is(error.type, 'StripeInvalidRequestError');
    t.is(error.statusCode, 400);
    t.is(error.param, param);
    if (code !== undefined) t.is(error.code, code);
    t.regex(error.requestId ?? '', /^req_/);
    if (param !== 'expand') t.deepEqual((await control.account(key)).sessions, []);
  });
}

test('a live key requires https, a test key does not', async (t) => {
  const { stripe, client } = await openStoreFixture(t);
  const params = paymentSession({ success_url: 'http://localhost/thanks' });
  t.is((await stripe.checkout.sessions.create(params)).livemode, false);
  t.is((await errorOf(client('sk_live_shop').checkout.sessions.create(params))).code, 'url_invalid');
});

test('each secret key is a separate account', async (t) => {
  const { stripe, client } = await openStoreFixture(t);
  const { id } = await stripe.checkout.sessions.create(paymentSession());
  const other = client('rk_test_other');
  t.is((await errorOf(other.checkout.sessions.retrieve(id))).code, 'resource_missing');
});

test('keys that are not secret keys, or are revoked, are rejected', async (t) => {
  const { client } = await openStoreFixture(t);
  const keys: [string, string | undefined][] = [
    ['nonsense', undefined],
    ['pk_test_shop', 'secret_key_required'],
    ['sk_test_revoked', 'api_key_expired'],
  ];
  for (const [key, code] of keys) {
    const error = await errorOf(client(key).tax.settings.retrieve());
    t.is(error.type, 'StripeAuthenticationError');
    t.is(error.code, code);
  }
  const foreign = await errorOf(client('sk_test_shop', { stripeAccount: 'acct_other' }).tax.settings.retrieve());
  t.is(foreign.type, 'StripePermissionError');
});

test('operations that the simulator does not have are rejected with 404', async (t) => {
  const { stripe } = await openStoreFixture(t);
  t.is((await errorOf(stripe.payouts.list())).statusCode, 404);
  t.is((await errorOf(stripe.paymentIntents.create({ amount: 100, currency: 'usd' }))).statusCode, 404);
});

async function paidIntent({ stripe, control }: StoreFixture): Promise<string> {
  const { id } = await stripe.checkout.sessions.create(paymentSession());
  await control.pay(id, { outcome: 'paid' });
  return idOf((await stripe.checkout.sessions.retrieve(id)).payment_intent);
}

test('a charge can be refunded in parts up to its amount', async (t) => {
  const fixture = await openStoreFixture(t);
  const { stripe } = fixture;
  const intent = await paidIntent(fixture);
  const part = await stripe.refunds.create({
    payment_intent: intent,
    amount: 800,
    reason: 'requested_by_customer',
  });
  t.like(part, { amount: 800, status: 'succeeded', payment_intent: intent });
  t.is((await errorOf(stripe.refunds.create({ payment_intent: intent, amount: 1001 }))).param, 'amount');
  const rest = await stripe.refunds.create({ payment_intent: intent });
  t.is(rest.amount, 1000);
  t.is((await errorOf(stripe.refunds.create({ payment_intent: intent }))).code, 'charge_already_refunded');

  const charge = await stripe.charges.retrieve(idOf(rest.charge));
  t.like(charge, { amount_refunded: 1800, refunded: true });
  t.deepEqual(
    (await stripe.refunds.list({ payment_intent: intent })).data.map(({ id }) => id),
    [rest.id, part.id],
  );
});

test('a failed refund no longer counts as refunded', async (t) => {
  const fixture = await openStoreFixture(t);
  const refund = await fixture.stripe.refunds.create({ payment_intent: await paidIntent(fixture) });
  t.like(await fixture.control.failRefund(refund.id), { status: 'failed' });
  t.like(await fixture.stripe.charges.retrieve(idOf(refund.charge)), { amount_refunded: 0, refunded: false });
  const types = (await fixture.stripe.events.list()).data.map(({ type }) => type);
  t.true(types.includes('refund.failed'));
});

test('only a succeeded payment can be refunded', async (t) => {
  const { stripe, control } = await openStoreFixture(t);
  const { id } = await stripe.checkout.sessions.create(paymentSession());
  await control.pay(id, { outcome: 'processing' });
  const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(id);
  const error = await errorOf(stripe.refunds.create({ payment_intent: idOf(intent) }));
  t.is(error.code, 'payment_intent_unexpected_state');
  t.is((await errorOf(stripe.refunds.create({}))).statusCode, 400);
});

test('a disputed charge cannot be refunded until the dispute is closed', async (t) => {
  const fixture = await openStoreFixture(t);
  const { latest_charge: charge } = await fixture.stripe.paymentIntents.retrieve(await paidIntent(fixture));
  const { id } = await fixture.control.openDispute(idOf(charge), 'product_not_received');
  t.true((await fixture.stripe.charges.retrieve(idOf(charge))).disputed);
  t.is((await errorOf(fixture.stripe.refunds.create({ charge: idOf(charge) }))).code, 'charge_disputed');
  t.like(await fixture.stripe.disputes.retrieve(id), {
    status: 'needs_response',
    reason: 'product_not_received',
  });
  t.like(await fixture.control.closeDispute(id, 'won'), { status: 'won' });
  t.true((await fixture.stripe.charges.retrieve(idOf(charge))).disputed, 'it was disputed once');
  t.is((await fixture.stripe.refunds.create({ charge: idOf(charge), amount: 1 })).status, 'succeeded');
  const types = (await fixture.stripe.events.list({ type: 'charge.dispute.*' })).data.map(({ type }) => type);
  t.deepEqual(types.toReversed(), [
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.closed',
    'charge.dispute.funds_reinstated',
  ]);
});

test('customers are listed by exact email', async (t) => {
  const { stripe } = await openStoreFixture(t);
  await stripe.customers.create({ email: 'Ada@Example.com' });
  const lower = await stripe.customers.create({ email: 'ada@example.com' });
  const listed = async (email: string) => (await stripe.customers.list({ email })).data.map(({ id }) => id);
  t.deepEqual(await listed('ada@example.com'), [lower.id]);
  t.deepEqual(await listed('ADA@example.com'), []);
});

test('a deleted customer can be retrieved but not used', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const { id } = await stripe.customers.create({ email: 'ada@example.com' });
  t.deepEqual({ ...(await stripe.customers.del(id)) }, { id, object: 'customer', deleted: true });
  t.like(await stripe.customers.retrieve(id), { id, deleted: true });
  t.deepEqual((await stripe.customers.list()).data, []);
  t.is((await errorOf(stripe.customers.update(id, { name: 'Ada' }))).statusCode, 404);
  const used = await errorOf(stripe.checkout.sessions.create(paymentSession({ customer: id })));
  t.is(used.code, 'resource_missing');
  t.is((await errorOf(stripe.billingPortal.sessions.create({ customer: id }))).code, 'resource_missing');
});

test('metadata is merged by key, and an empty value removes a key', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const { id } = await stripe.customers.create({ metadata: { a: '1', b: '2', n: 3 } });
  const changed = await stripe.customers.update(id, { metadata: { a: '', c: '4' } });
  t.deepEqual(changed.metadata, { b: '2', n: '3', c: '4' });
  t.deepEqual((await stripe.customers.update(id, { metadata: '' })).metadata, {});
});

test('a coupon id can be used again only after the coupon is deleted', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const params = { id: 'order-1', amount_off: 500, currency: 'usd', duration: 'once' as const };
  t.like(await stripe.coupons.create(params), { id: 'order-1', amount_off: 500, valid: true });
  t.is((await errorOf(stripe.coupons.create(params))).code, 'resource_already_exists');
  t.true((await stripe.coupons.del('order-1')).deleted);
  t.is((await errorOf(stripe.coupons.del('order-1'))).code, 'resource_missing');
  await t.notThrowsAsync(stripe.coupons.create(params));
});

test("a coupon needs an amount or a percentage within Stripe's limits", async (t) => {
  const { stripe } = await openStoreFixture(t);
  const bad: [object, string][] = [
    [{}, 'percent_off'],
    [{ amount_off: 5, percent_off: 5 }, 'percent_off'],
    [{ amount_off: 5 }, 'currency'],
    [{ percent_off: 101 }, 'percent_off'],
    [{ percent_off: 5, duration: 'repeating' }, 'duration_in_months'],
    [{ percent_off: 5, name: 'x'.repeat(41) }, 'name'],
    [{ percent_off: 5, id: 'no spaces' }, 'id'],
    [{ percent_off: 5, redeem_by: 1 }, 'redeem_by'],
  ];
  for (const [params, param] of bad) t.is((await errorOf(stripe.coupons.create(params))).param, param);
});

test('a coupon reduces the products that it is for, and no others', async (t) => {
  const { stripe } = await openStoreFixture(t);
  await stripe.coupons.create({ id: 'ten', percent_off: 10, applies_to: { products: ['prod_other'] } });
  const session = await stripe.checkout.sessions.create(paymentSession({ discounts: [{ coupon: 'ten' }] }));
  t.is(session.total_details?.amount_discount, 0);
});

const createPath = 'POST /v1/checkout/sessions';

test('an idempotency key returns the same session again, marked as a replay', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  const create = () => stripe.checkout.sessions.create(paymentSession(), { idempotencyKey: 'chk:o1:1' });
  const [first, second] = [await create(), await create()];
  t.is(second.id, first.id);
  t.is(second.lastResponse.headers['idempotent-replayed'], 'true');
  t.is(second.lastResponse.headers['original-request'], first.lastResponse.requestId);
  t.is((await control.account(key)).sessions.length, 1);
});

test('an idempotency key with other parameters or another path is an error', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const options = { idempotencyKey: 'k' };
  await stripe.checkout.sessions.create(paymentSession(), options);
  const other = await errorOf(stripe.checkout.sessions.create(paymentSession({ client_reference_id: 'x' }), options));
  t.is(other.type, 'StripeIdempotencyError');
  t.is((await errorOf(stripe.customers.create({}, options))).type, 'StripeIdempotencyError');
});

test('two concurrent requests with one idempotency key execute once', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  await control.addFault({ match: createPath, kind: 'delay', ms: 800 });
  const create = () => stripe.checkout.sessions.create(paymentSession(), { idempotencyKey: 'k' });
  const [slow, conflict] = (await Promise.allSettled([create(), create()])).toSorted(({ status }) =>
    status === 'fulfilled' ? -1 : 1,
  );
  t.like(conflict, { reason: { statusCode: 409, code: 'idempotency_key_in_use' } });
  t.like(slow, { value: { id: (await create()).id } });
  t.is((await control.account(key)).sessions.length, 1);
});

test('idempotency keys are per account and expire after a day', async (t) => {
  let now = Date.now();
  const { stripe, client } = await openStoreFixture(t, { now: () => now });
  const create = (from = stripe) => from.customers.create({ email: 'ada@example.com' }, { idempotencyKey: 'k' });
  const first = await create();
  t.not((await create(client('sk_test_other'))).id, first.id);
  now += 24 * 3600 * 1000 - 1000;
  t.is((await create()).id, first.id);
  now += 1000;
  t.not((await create()).id, first.id);
});

test('an idempotency key returns its response even when the request would be rejected now', async (t) => {
  let now = Date.now();
  const { stripe } = await openStoreFixture(t, { now: () => now });
  const params = paymentSession({ expires_at: Math.floor(now / 1000) + 3600 });
  const create = () => stripe.checkout.sessions.create(params, { idempotencyKey: 'k' });
  const { id } = await create();
  now += 45 * 60 * 1000;
  t.is((await create()).id, id);
});

test('an invalid request does not use its idempotency key, a failed execution does', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const options = { idempotencyKey: 'k' };
  await errorOf(stripe.checkout.sessions.create(paymentSession({ expires_at: 1 }), options));
  await t.notThrowsAsync(stripe.checkout.sessions.create(paymentSession(), options));

  const failed = { idempotencyKey: 'failed' };
  await errorOf(stripe.refunds.create({ charge: 'ch_none' }, failed));
  const replay = await errorOf(stripe.refunds.create({ charge: 'ch_none' }, failed));
  t.is(replay.headers?.['idempotent-replayed'], 'true');
});

test('a reset_after fault is recovered with the same idempotency key', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  await control.addFault({ match: createPath, kind: 'reset_after', times: 2 });
  const create = () => stripe.checkout.sessions.create(paymentSession(), { idempotencyKey: 'k' });
  // The library itself retries once after a connection reset, whatever its retry setting.
  t.is((await errorOf(create())).type, 'StripeConnectionError');
  t.is((await control.account(key)).sessions.length, 1);
  const healed = await create();
  t.is((await control.account(key)).sessions[0]?.id, healed.id);
  t.is((await control.account(key)).sessions.length, 1);
});

test('a reset_before fault has no effect', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  await control.addFault({ match: createPath, kind: 'reset_before', times: 2 });
  t.is((await errorOf(stripe.checkout.sessions.create(paymentSession()))).type, 'StripeConnectionError');
  t.is((await control.account(key)).sessions.length, 0);
});

test('a 500 is stored under its idempotency key, a 503 is not, and with `after` the true response is', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  const create = (idempotencyKey: string) => stripe.checkout.sessions.create(paymentSession(), { idempotencyKey });
  await control.addFault({ match: createPath, kind: 'status', status: 500 });
  t.is((await errorOf(create('a'))).statusCode, 500);
  t.is((await errorOf(create('a'))).headers?.['idempotent-replayed'], 'true');

  await control.addFault({ match: createPath, kind: 'status', status: 503 });
  t.is((await errorOf(create('b'))).statusCode, 503);
  await t.notThrowsAsync(create('b'));

  await control.addFault({ match: createPath, kind: 'status', status: 502, after: true });
  t.is((await errorOf(create('c'))).statusCode, 502);
  t.is((await control.account(key)).sessions.length, 2);
  await create('c');
  t.is((await control.account(key)).sessions.length, 2);
});

test('a 429 fault returns the reason and Retry-After', async (t) => {
  const { stripe, control } = await openStoreFixture(t);
  await control.addFault({
    match: 'GET /v1/checkout/sessions/*',
    kind: 'status',
    status: 429,
    retry_after: 3,
  });
  const { id } = await stripe.checkout.sessions.create(paymentSession());
  const limited = await errorOf(stripe.checkout.sessions.retrieve(id));
  t.is(limited.type, 'StripeRateLimitError');
  t.is(limited.code, 'rate_limit');
  t.like(limited.headers, { 'retry-after': '3', 'stripe-rate-limited-reason': 'global-rate' });
  t.is((await stripe.checkout.sessions.retrieve(id)).id, id);
});

test('a hang fault lets the request time out, with its effect or without', async (t) => {
  const { client, control, key } = await openStoreFixture(t);
  const hasty = client(key, { timeout: 150 });
  await control.addFault({ match: createPath, kind: 'hang' });
  await errorOf(hasty.checkout.sessions.create(paymentSession()));
  t.is((await control.account(key)).sessions.length, 0);
  await control.addFault({ match: createPath, kind: 'hang', after: true });
  await errorOf(hasty.checkout.sessions.create(paymentSession()));
  t.is((await control.account(key)).sessions.length, 1);
});

test('faults apply to one account, by probability, until they are cleared', async (t) => {
  const { stripe, client, control } = await openStoreFixture(t, { seed: 7 });
  await control.addFault({ match: '*', kind: 'status', status: 500, account: 'sk_test_other', times: 5 });
  await t.notThrowsAsync(stripe.tax.settings.retrieve());
  await errorOf(client('sk_test_other').tax.settings.retrieve());
  await control.clearFaults();
  await t.notThrowsAsync(client('sk_test_other').tax.settings.retrieve());

  await control.addFault({ match: 'GET /v1/tax/settings', kind: 'status', status: 503, probability: 0.5 });
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, () =>
      stripe.tax.settings.retrieve().then(
        () => 'ok',
        () => 'failed',
      ),
    ),
  );
  const failed = outcomes.filter((outcome) => outcome === 'failed').length;
  t.true(failed > 10 && failed < 50, `${failed} of 60 failed`);
});

test('the request log has each request with its key, parameters and status', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  await stripe.customers.create({ email: 'ada@example.com', metadata: { a: 'b' } }, { idempotencyKey: 'k' });
  await errorOf(stripe.customers.retrieve('cus_none'));
  const [created, missing] = await control.requests('* /v1/customers*');
  t.like(created, {
    method: 'POST',
    path: '/v1/customers',
    params: { email: 'ada@example.com', metadata: { a: 'b' } },
    idempotency_key: 'k',
    account: key,
    status: 200,
  });
  t.regex(created?.headers['user-agent'] ?? '', /^Stripe\//);
  t.is(missing?.status, 404);
  await control.reset();
  t.deepEqual(await control.requests(), []);
  t.deepEqual((await control.account(key)).customers, []);
});

test('the control API rejects an invalid body with its errors', async (t) => {
  const { url } = await openStoreFixture(t);
  const post = (path: string, body: string) => fetch(`${url}/_control${path}`, { method: 'POST', body });
  for (const [path, body] of [
    ['/faults', '{"match":"*","kind":"explode"}'],
    ['/faults', 'not json'],
    ['/deliveries', '{"drop":2}'],
    ['/sessions/cs_none/pay', '{"outcome":"maybe"}'],
  ] as const) {
    const response = await post(path, body);
    t.true(response.status >= 400 && response.status < 500, `${path} ${body} → ${response.status}`);
  }
  t.is((await post('/nowhere', '')).status, 404);
});
