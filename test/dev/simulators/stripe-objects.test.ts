import test from 'ava';

import { errorOf, idOf, openStoreFixture, paymentSession, type StoreFixture } from './stripe-fixture.ts';

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

  const charge = await stripe.charges.retrieve(idOf(rest.charge), { expand: ['refunds'] });
  t.like(charge, { amount_refunded: 1800, refunded: true });
  t.is(charge.refunds?.data.length, 2);
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
  const types = (await fixture.stripe.events.list({ type: 'charge.dispute.*' })).data.map(({ type }) => type);
  t.deepEqual(types.toReversed(), [
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.closed',
    'charge.dispute.funds_reinstated',
  ]);
});

test('customers are listed by exact email, and searched case-insensitively with a lag', async (t) => {
  let now = Date.now();
  const { stripe } = await openStoreFixture(t, { now: () => now });
  const upper = await stripe.customers.create({ email: 'Ada@Example.com', metadata: { tier: 'gold' } });
  const lower = await stripe.customers.create({ email: 'ada@example.com' });
  const listed = async (email: string) => (await stripe.customers.list({ email })).data.map(({ id }) => id);
  t.deepEqual(await listed('ada@example.com'), [lower.id]);
  t.deepEqual(await listed('ADA@example.com'), []);

  const found = async (query: string) => (await stripe.customers.search({ query })).data.map(({ id }) => id);
  t.deepEqual(await found('email:"ada@example.com"'), []);
  now += 60_000;
  t.deepEqual(await found('email:"ada@example.com"'), [lower.id, upper.id]);
  t.deepEqual(await found('email~"example" AND metadata["tier"]:"gold"'), [upper.id]);
  t.is((await errorOf(stripe.customers.search({ query: 'shoe size 9' }))).param, 'query');
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
  t.is((await errorOf(stripe.coupons.retrieve('order-1'))).code, 'resource_missing');
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

test('a promotion code applies its coupon', async (t) => {
  const { stripe } = await openStoreFixture(t);
  await stripe.coupons.create({ id: 'ten', percent_off: 10, applies_to: { products: ['prod_other'] } });
  const code = await stripe.promotionCodes.create({
    promotion: { type: 'coupon', coupon: 'ten' },
    code: 'TEN',
  });
  const again = { promotion: { type: 'coupon' as const, coupon: 'ten' }, code: 'ten' };
  t.is((await errorOf(stripe.promotionCodes.create(again))).code, 'resource_already_exists');
  const discounts = [{ promotion_code: code.id }];
  const session = await stripe.checkout.sessions.create(
    paymentSession({ discounts, expand: ['discounts.promotion_code'] }),
  );
  t.like(session.discounts?.[0]?.promotion_code, { code: 'TEN' });
  t.is(session.total_details?.amount_discount, 0, 'the coupon is for another product');
  await stripe.promotionCodes.update(code.id, { active: false });
  const off = await errorOf(stripe.checkout.sessions.create(paymentSession({ discounts })));
  t.is(off.param, 'discounts[0][promotion_code]');
});
