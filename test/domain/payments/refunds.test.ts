import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { readOrderFile } from '#src/domain/backoffice/index.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { suppress } from '#src/domain/mail/suppression.ts';
import { readManagedOrder, readOrder, releaseHolds } from '#src/domain/orders/index.ts';
import { readPartner } from '#src/domain/partners/managed-partners.ts';
import { openAccount } from '#src/domain/payments/accounts/payment-account.ts';
import { applySnapshot, issueRefund, type Refund, refundsOf, requestRefund } from '#src/domain/payments/index.ts';
import { readRefund } from '#src/domain/payments/refunds/refund.ts';
import type { RefundRequest } from '#src/domain/payments/refunds/request-refund.ts';
import { readSession } from '#src/domain/payments/sessions/payment-session.ts';
import { fetchSnapshot } from '#src/domain/payments/snapshots/fetch-snapshot.ts';
import type { PaymentGateway } from '#src/domain/ports/payment-gateway.ts';
import { disableGiftCard } from '#src/domain/promotions/index.ts';
import { approveReturn, receiveReturn, refundReturn, requestReturn } from '#src/domain/returns/index.ts';
import { days, minutes, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { recorded } from '#test/support/enqueued-jobs.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { orderOf, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { balanceOf, buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { subscriptionsOf } from '#test/support/factories/subscriptions.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

async function settle({ services, stripe }: StripeContext): Promise<void> {
  if (!(await stripe.idle())) throw new Error('Webhooks are stuck.');
  await runJobs(services);
}

async function buy(
  context: StripeContext,
  purchase_type: 'one_time' | 'subscription' = 'one_time',
  gift_card_code?: string,
) {
  const { ctx, stripe } = context;
  const product = await buildProduct(ctx, {
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month'],
    variants: [{ ships: false }],
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
    customer_email: 'ada@example.com',
    ...(gift_card_code && { gift_card_code }),
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await settle(context);
  return { orderId, product };
}

/** An unpaid order. */
async function beginOrder(ctx: Context): Promise<string> {
  const product = await buildProduct(ctx);
  return (await createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 1 }] })).order_id;
}

/** Request a refund and run the jobs. */
async function refund(context: StripeContext, request: RefundRequest): Promise<Refund> {
  const { id } = await requestRefund(context.ctx, request);
  await settle(context);
  return (await readRefund(context.ctx, id)) as Refund;
}

test.serial(
  'a refund of the shipping leaves the commission of a partner, and one that fails does not count',
  async (t) => {
    const { ctx, stripe } = t.context;
    await buildShippingAccount(ctx, { options: [{ name: 'Standard', amount_cents: 500 }] });
    const { code } = await buildPartner(ctx, { commission_percent: 10 });
    const earned = async () => (await readPartner(ctx, code))?.commissionCents;
    const { slug } = await buildProduct(ctx, { variants: [{ price_cents: 10_000 }] });
    const { order_id: orderId } = await createCheckoutSession(ctx, {
      items: [{ product_slug: slug, quantity: 1 }],
      partner_code: code,
    });
    const { sessionId } = await sessionOf(ctx, orderId);
    await stripe.pay(sessionId ?? '', { ...shopper, outcome: 'paid', shipping_option: 0 });
    await settle(t.context);
    t.is(await earned(), 1000);
    t.like(await refund(t.context, { orderId, amountCents: 500, reason: 'late' }), { state: 'sent' });
    t.is(await earned(), 1000);
    t.like(await refund(t.context, { orderId, amountCents: 2000, reason: 'scratched' }), { state: 'sent' });
    t.is(await earned(), 800);
    const { account } = t.context;
    const [late] = (await stripe.account(account.secretKey)).refunds.filter(({ amount }: any) => amount === 500);
    await stripe.failRefund(late?.id ?? '');
    await settle(t.context);
    t.is(await earned(), 800);
    t.like(await refund(t.context, { orderId }), { state: 'sent', amountCents: 8500 });
    t.is(await earned(), 0);
  },
);

const refundsAtStripe = async ({ stripe, account }: StripeContext) =>
  (await stripe.account(account.secretKey)).refunds.length;

test.serial('a refund of a part and then the rest restocks the goods that were not shipped', async (t) => {
  const { ctx } = t.context;
  const { orderId, product } = await buy(t.context);
  t.like(await refund(t.context, { orderId, amountCents: 1000, reason: 'scratched' }), {
    state: 'sent',
    amountCents: 1000,
    currency: 'USD',
    reason: 'scratched',
  });
  t.like(await orderOf(ctx, orderId), { status: 'partially_refunded', refundedCents: 1000 });
  t.like(await refund(t.context, { orderId }), { state: 'sent', amountCents: 2800 });
  t.like(await orderOf(ctx, orderId), { status: 'refunded', refundedCents: 3800, attentionCode: null });
  t.deepEqual(await recorded(ctx, orderId), ['order.paid', 'order.refunded', 'order.refunded']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 100, ledger: 100 });
  t.is(await refundsAtStripe(t.context), 2);
});

test.serial('issueRefund wins over a snapshot that was fetched while the refund was under way', async (t) => {
  const { ctx, clock } = t.context;
  const { orderId } = await buy(t.context);
  const { id: refundId } = await requestRefund(ctx, { orderId });
  const { payments } = ctx.ports;
  const refundPayment: PaymentGateway['refundPayment'] = async (account, refund, key) => {
    clock.pass(seconds(1));
    const snapshot = await fetchSnapshot(ctx, account, 'payment', refund.paymentId);
    if (snapshot) await transact(ctx, (ctx) => applySnapshot(ctx, snapshot));
    clock.pass(seconds(1));
    return payments.refundPayment(account, refund, key);
  };
  await issueRefund(
    { ...ctx, ports: { ...ctx.ports, payments: Object.assign(Object.create(payments), { refundPayment }) } },
    { refundId, attempt: 1 },
  );
  t.like(await orderOf(ctx, orderId), { status: 'refunded', refundedCents: 3800 });
  await t.throwsAsync(requestRefund(ctx, { orderId }), { code: 'refund_not_allowed' });
});

test.serial('issueRefund refunds once when the response is lost or the job is repeated', async (t) => {
  const { ctx, clock, services, stripe, account } = t.context;
  const { orderId } = await buy(t.context);
  await stripe.addFault({ match: 'POST /v1/refunds', account: account.secretKey, kind: 'reset_after', times: 4 });
  const { id, state } = await refund(t.context, { orderId, amountCents: 500 });
  t.is(state, 'requested');
  await stripe.clearFaults();
  clock.pass(seconds(10));
  await runJobs(services);
  t.is((await readRefund(ctx, id))?.state, 'sent');
  await issueRefund(ctx, { refundId: id, attempt: 2 });
  t.is((await orderOf(ctx, orderId)).refundedCents, 500);
  t.is(await refundsAtStripe(t.context), 1);
});

test.serial('issueRefund finds its refund after the idempotency key expired', async (t) => {
  const { ctx } = t.context;
  const { orderId } = await buy(t.context);
  const { id } = await refund(t.context, { orderId, amountCents: 500 });
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update payment_refunds set state = 'requested', settled_at = null where tenant_id = ${ctx.tenant.id}
      and id = ${id}`),
  );
  t.context.clock.pass(days(3));
  await issueRefund(ctx, { refundId: id, attempt: 9 });
  t.is((await readRefund(ctx, id))?.state, 'sent');
  t.is(await refundsAtStripe(t.context), 1);
});

test.serial('issueRefund changes its key after an hour of provider errors', async (t) => {
  const { clock, ctx, services, stripe, account } = t.context;
  const { orderId } = await buy(t.context);
  await stripe.addFault({
    match: 'POST /v1/refunds',
    account: account.secretKey,
    kind: 'status',
    status: 500,
    times: 2,
  });
  const { id } = await refund(t.context, { orderId, amountCents: 500 });
  for (let time = 0; time < 10; time += 1) {
    clock.pass(minutes(30));
    await runJobs(services);
  }
  t.is((await readRefund(ctx, id))?.state, 'sent');
  t.is(await refundsAtStripe(t.context), 1);
});

test.serial('each period of a subscription is refunded separately', async (t) => {
  const { ctx, stripe } = t.context;
  await buy(t.context, 'subscription');
  await stripe.renew((await subscriptionsOf(ctx))[0]?.paymentSubscriptionId ?? '', 'paid');
  await settle(t.context);
  const [first, renewal] = await ordersOf(ctx);
  await refund(t.context, { orderId: renewal?.id ?? '' });
  t.deepEqual(
    (await ordersOf(ctx)).map(({ status }) => status),
    ['paid', 'refunded'],
  );
  await refund(t.context, { orderId: first?.id ?? '', amountCents: 100 });
  t.deepEqual(
    (await ordersOf(ctx)).map(({ refundedCents }) => refundedCents),
    [100, 3400],
  );
});

for (const [balance, charged] of [
  [-1000, 2400],
  [500, 3900],
  [-5000, 0],
] as const) {
  test.serial(`a first period is refunded as it was charged beside a balance of ${balance}`, async (t) => {
    const { ctx, stripe, account } = t.context;
    const { orderId: earlier } = await buy(t.context, 'subscription');
    const [customer] = (await stripe.account(account.secretKey)).customers;
    await fetch(new URL(`/v1/customers/${customer?.id}`, (await readSession(ctx, earlier))?.url ?? ''), {
      method: 'POST',
      headers: { authorization: `Bearer ${account.secretKey}` },
      body: new URLSearchParams({ balance: String(balance) }),
    });
    const { orderId } = await buy(t.context, 'subscription');
    t.like(await orderOf(ctx, orderId), { status: 'paid', totalCents: charged, attentionCode: null });
    t.like(await refund(t.context, { orderId }), { state: 'sent', amountCents: charged });
    t.like(await orderOf(ctx, orderId), { status: 'refunded', refundedCents: charged });
  });
}

test.serial('requestRefund rejects unpaid orders and more than is left, pending refunds included', async (t) => {
  const { ctx } = t.context;
  const { orderId } = await buy(t.context);
  const code = async (given: RefundRequest) =>
    (await t.throwsAsync(requestRefund(ctx, given), { instanceOf: DomainError }))?.code;
  t.is(await code({ orderId: newId('ord') }), 'not_found');
  t.is(await code({ orderId, amountCents: 3801 }), 'invalid_request');
  await requestRefund(ctx, { orderId, amountCents: 3000 });
  t.is(await code({ orderId, amountCents: 801 }), 'invalid_request');
  await requestRefund(ctx, { orderId });
  t.is(await code({ orderId }), 'refund_not_allowed');
  await settle(t.context);
  t.is(await code({ orderId }), 'refund_not_allowed');
  t.like(await orderOf(ctx, orderId), { status: 'refunded', refundedCents: 3800 });
  t.is(await code({ orderId: await beginOrder(ctx) }), 'refund_not_allowed');
});

test.serial('an order that was paid outside of the payment provider is not refunded through it', async (t) => {
  const { ctx } = t.context;
  const { orderId } = await buy(t.context);
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`update orders set payment_id = null where tenant_id = ${ctx.tenant.id} and id = ${orderId}`),
  );
  const error = await t.throwsAsync(requestRefund(ctx, { orderId }), { code: 'refund_not_allowed' });
  t.like(error, { message: 'This order was not paid here.', extensions: { reason: 'not_paid' } });
});

/** Ada returns one piece of the first item, and gets back what was paid for it. */
async function returnPiece(ctx: Context, order: Awaited<ReturnType<typeof readOrder>>): Promise<void> {
  const items = [{ order_item_id: order?.items[0]?.id ?? '', quantity: 1 }];
  const orderNumber = order?.order_number ?? '';
  const { id: returnId } = await requestReturn(ctx, { orderNumber, email: 'ada@example.com', items });
  for (const decide of [approveReturn, receiveReturn, refundReturn]) await decide(ctx, { returnId });
}

test.serial('krónur are refunded whole, by the owner and with returns', async (t) => {
  const { clock, services, stripe } = t.context;
  const ctx = { ...t.context.ctx, tenant: { ...t.context.ctx.tenant, currency: 'ISK' } };
  const product = await buildProduct(ctx, { variants: [{ price_cents: 50_000, ships: false }] });
  const promo = await buildPromo(ctx, { value: 10 });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: product.slug, quantity: 3 }],
    customer_email: 'ada@example.com',
    promo_code: promo.code,
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid', tax: 10_000 });
  await settle(t.context);
  const error = await t.throwsAsync(requestRefund(ctx, { orderId, amountCents: 150 }), { instanceOf: DomainError });
  t.like(error, { code: 'invalid_request', extensions: { errors: only({ detail: 'must be a multiple of 100' }) } });
  const order = await readOrder(ctx, orderId);
  for (let piece = 0; piece < 3; piece += 1) {
    await returnPiece(ctx, order);
    clock.pass(seconds(1));
    await runJobs(services);
  }
  const refunds = await refundsOf(ctx, orderId);
  t.deepEqual(
    refunds.map(({ amountCents, state }) => [amountCents, state]),
    [
      [48_300, 'sent'],
      [48_300, 'sent'],
      [48_400, 'sent'],
    ],
  );
});

test.serial('issueRefund flags the order when the provider declines', async (t) => {
  const { ctx, stripe, account } = t.context;
  const { orderId } = await buy(t.context);
  const [charge] = (await stripe.account(account.secretKey)).charges;
  await stripe.openDispute(charge?.id ?? '');
  t.like(await refund(t.context, { orderId }), { state: 'refused', failure: 'charge_disputed' });
  t.like(await orderOf(ctx, orderId), { status: 'paid', refundedCents: 0 });
  const { attentions = [] } = (await readManagedOrder(ctx, orderId)) ?? {};
  t.deepEqual(attentions.map(({ code }) => code).toSorted(), ['disputed', 'refund_failed']);
});

test.serial('a refund that a key may not make says so while it waits, and is made once the key may', async (t) => {
  const { ctx, clock, services, stripe } = t.context;
  const { orderId } = await buy(t.context);
  await stripe.addFault({ match: 'POST /v1/refunds', kind: 'status', status: 403 });
  const waiting = await refund(t.context, { orderId });
  t.like(waiting, { state: 'requested', failure: 'StripePermissionError', settledAt: null });
  clock.pass(minutes(1));
  await runJobs(services);
  t.like(await readRefund(ctx, waiting.id), { state: 'sent', failure: null });
  t.like(await orderOf(ctx, orderId), { status: 'refunded', attentionCode: null });
});

/** The bank sends the refunds back that have not failed. */
async function failRefunds({ stripe, account }: StripeContext): Promise<void> {
  const { refunds } = await stripe.account(account.secretKey);
  for (const { id, status } of refunds) if (status === 'succeeded') await stripe.failRefund(id);
}

const failed = { state: 'failed', failure: 'lost_or_stolen_card' } as const;

for (const amountCents of [1000, undefined]) {
  test.serial(`a refund of ${amountCents ?? 'everything'} that the bank returns is issued again, once`, async (t) => {
    const { ctx } = t.context;
    const card = await buildGiftCard(ctx, { balanceCents: 1000 });
    const { orderId, product } = await buy(t.context, 'one_time', card.code);
    const { id } = await refund(t.context, { orderId, amountCents });
    await failRefunds(t.context);
    await settle(t.context);
    t.like(await orderOf(ctx, orderId), { status: 'paid', refundedCents: 0, attentionCode: 'refund_failed' });
    t.like(await readRefund(ctx, id), failed);

    const again = await refund(t.context, { orderId });
    t.like(again, { state: 'sent', failure: null, amountCents: 2800 });
    t.like(await readRefund(ctx, id), failed);
    t.like(await orderOf(ctx, orderId), { status: 'refunded', refundedCents: 2800, attentionCode: null });
    t.like(await stockOf(ctx, product.variant.id), { stock: 100, ledger: 100 });
    t.is((await balanceOf(ctx, card.id))?.balance, 1000);
  });
}

for (const [circumstance, meanwhile] of [
  ['before it is fetched', async () => {}],
  ['and its event is applied before the response', settle],
] as const) {
  test.serial(`issueRefund does not take a refund for sent that fails ${circumstance}`, async (t) => {
    const { ctx } = t.context;
    const { orderId } = await buy(t.context);
    const { id: refundId } = await requestRefund(ctx, { orderId });
    const { payments } = ctx.ports;
    const refundPayment: PaymentGateway['refundPayment'] = async (...given) => {
      await payments.refundPayment(...given);
      await failRefunds(t.context);
      await meanwhile(t.context);
    };
    await issueRefund(
      { ...ctx, ports: { ...ctx.ports, payments: Object.assign(Object.create(payments), { refundPayment }) } },
      { refundId, attempt: 1 },
    );
    t.like(await readRefund(ctx, refundId), failed);
    t.like(await orderOf(ctx, orderId), { status: 'paid', refundedCents: 0, attentionCode: 'refund_failed' });
  });
}

test.serial('a failed refund that is found when another one is issued flags the order', async (t) => {
  const { ctx } = t.context;
  const { orderId } = await buy(t.context);
  const { id } = await refund(t.context, { orderId, amountCents: 1000 });
  const { id: refundId } = await requestRefund(ctx, { orderId, amountCents: 1000, isNamed: true });
  await failRefunds(t.context);
  for (let time = 0; time < 2; time += 1) await issueRefund(ctx, { refundId, attempt: 1 });
  t.like(await readRefund(ctx, id), failed);
  t.is((await readRefund(ctx, refundId))?.state, 'sent');
  t.like(await orderOf(ctx, orderId), { refundedCents: 1000, attentionCode: 'refund_failed' });
});

test.serial('a gift card gets its part back once, when all money was refunded', async (t) => {
  const { ctx } = t.context;
  const card = await buildGiftCard(ctx, { balanceCents: 1000 });
  const { orderId } = await buy(t.context, 'one_time', card.code);
  t.is((await balanceOf(ctx, card.id))?.balance, 0);
  await refund(t.context, { orderId, amountCents: 800 });
  t.is((await balanceOf(ctx, card.id))?.balance, 0);
  const { id } = await refund(t.context, { orderId });
  t.is((await balanceOf(ctx, card.id))?.balance, 1000);
  await issueRefund(ctx, { refundId: id, attempt: 1 });
  t.is((await balanceOf(ctx, card.id))?.balance, 1000);
});

test.serial('an order paid by gift card alone is refunded without the provider', async (t) => {
  const { ctx } = t.context;
  const card = await buildGiftCard(ctx, { balanceCents: 5000 });
  const { orderId, product } = await buy(t.context, 'one_time', card.code);
  t.like(await orderOf(ctx, orderId), { status: 'paid', totalCents: 0 });
  t.like(await refund(t.context, { orderId }), { state: 'sent', amountCents: 0 });
  t.like(await orderOf(ctx, orderId), { status: 'refunded', paymentStatus: 'refunded' });
  t.is((await balanceOf(ctx, card.id))?.balance, 5000);
  t.like(await stockOf(ctx, product.variant.id), { stock: 100 });
  t.is(await refundsAtStripe(t.context), 0);
});

interface RefundEmail {
  readonly refund: { readonly amount_cents: number; readonly gift_card_cents: number };
}

/** The amounts of the emails about refunds of an order, as money and to its gift card, the oldest first. */
async function refundEmails(ctx: Context, orderId: string): Promise<[number, number][]> {
  const mails = await read<{ data: RefundEmail }>(
    ctx,
    sql`
    select data from mails where tenant_id = ${ctx.tenant.id} and subject_id = ${orderId} and kind = 'refunded'
    order by id`,
  );
  return mails.map(({ data: { refund } }) => [refund.amount_cents, refund.gift_card_cents]);
}

test.serial('each refund of an order is emailed to its shopper once, wherever it was made', async (t) => {
  const { clock, ctx, services } = t.context;
  const card = await buildGiftCard(ctx, { balanceCents: 1000 });
  const { orderId } = await buy(t.context, 'one_time', card.code);
  const { id } = await refund(t.context, { orderId, amountCents: 500 });
  t.deepEqual(await refundEmails(ctx, orderId), [[500, 0]]);
  await issueRefund(ctx, { refundId: id, attempt: 1 });
  await refundAtDashboard(700).run(t.context, orderId);
  t.deepEqual(await refundEmails(ctx, orderId), [
    [500, 0],
    [700, 0],
  ]);
  await Promise.all([300, 400].map((amountCents) => requestRefund(ctx, { orderId, amountCents })));
  await settle(t.context);
  t.deepEqual((await refundEmails(ctx, orderId)).slice(2).toSorted(), [
    [300, 0],
    [400, 0],
  ]);
  await refund(t.context, { orderId });
  t.deepEqual((await refundEmails(ctx, orderId)).slice(4), [[900, 1000]], 'the rest, and what the gift card paid');
  await transact(ctx, (ctx) => suppress(ctx, 'ada@example.com', 'bounced'));
  clock.pass(minutes(1));
  await runJobs(services);
  const { timeline } = await readOrderFile(ctx, orderId);
  t.is(timeline.filter(({ type, detail }) => type === 'mail.suppressed' && detail === 'refunded').length, 5);
});

test.serial(
  'a refund of a return is in the email of the return, and one of a gift card alone in its own',
  async (t) => {
    const { ctx } = t.context;
    const { orderId } = await buyTwo(t.context, 5000);
    await returnOne().run(t.context, orderId);
    t.deepEqual(await refundEmails(ctx, orderId), [], 'the email of the return says what was refunded');
    await refund(t.context, { orderId });
    t.deepEqual(await refundEmails(ctx, orderId), [[0, 3800]]);
  },
);

test.serial('a refund in the dashboard is emailed, and a return after it only as a return', async (t) => {
  const { ctx } = t.context;
  const { orderId } = await buyTwo(t.context, 5000);
  await refundAtDashboard(1000).run(t.context, orderId);
  await returnOne().run(t.context, orderId);
  t.deepEqual(await refundEmails(ctx, orderId), [[1000, 0]]);
});

test.serial('a refund that is made again after the bank returned it is emailed again', async (t) => {
  const { ctx } = t.context;
  const { orderId } = await buy(t.context);
  await refund(t.context, { orderId, amountCents: 1000 });
  await failRefunds(t.context);
  await refund(t.context, { orderId, amountCents: 1000, reason: 'again' });
  t.deepEqual(await refundEmails(ctx, orderId), [
    [1000, 0],
    [1000, 0],
  ]);
});

test.serial('no email about a refund goes to an erased person, or names what is on a disabled card', async (t) => {
  const { ctx } = t.context;
  const { orderId: erased } = await buy(t.context);
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`update orders set email = null where tenant_id = ${ctx.tenant.id} and id = ${erased}`),
  );
  await refund(t.context, { orderId: erased });
  t.like(await orderOf(ctx, erased), { status: 'refunded' });
  t.deepEqual(await refundEmails(ctx, erased), []);

  const card = await buildGiftCard(ctx, { balanceCents: 1000 });
  const { orderId } = await buy(t.context, 'one_time', card.code);
  await transact(ctx, (ctx) => disableGiftCard(ctx, { giftCardId: card.id }));
  await refund(t.context, { orderId });
  t.deepEqual(await refundEmails(ctx, orderId), [[2800, 0]]);
});

interface Step {
  readonly circumstance: string;
  readonly run: (context: StripeContext, orderId: string) => Promise<void>;
}

/** One piece of an order comes back, and what was paid for it goes back, or a given amount. */
const returnOne = (amountCents?: number): Step => ({
  circumstance: `a return of ${amountCents ?? 'a piece'}`,
  run: async (context, orderId) => {
    const { ctx } = context;
    const order = await readOrder(ctx, orderId);
    const items = [{ order_item_id: order?.items[0]?.id ?? '', quantity: 1 }];
    const { id: returnId } = await requestReturn(ctx, {
      orderNumber: order?.order_number ?? '',
      email: 'ada@example.com',
      items,
    });
    await approveReturn(ctx, { returnId });
    await receiveReturn(ctx, { returnId });
    for (let time = 0; time < 2; time += 1) await refundReturn(ctx, { returnId, amountCents });
    await settle(context);
  },
});

const refundOf = (amountCents?: number): Step => ({
  circumstance: `a refund of ${amountCents ?? 'the rest'}`,
  run: async (context, orderId) => {
    await refund(context, { orderId, amountCents });
  },
});

const refundAtDashboard = (amountCents: number): Step => ({
  circumstance: `a refund of ${amountCents} in the dashboard`,
  run: async (context) => {
    const { ctx, stripe, account } = context;
    const [payment] = (await stripe.account(account.secretKey)).payment_intents;
    const refund = { paymentId: payment?.id ?? '', amountCents, refundId: 'in the dashboard' };
    await ctx.ports.payments.refundPayment(await openAccount(ctx), refund, newId('rfd'));
    await settle(context);
  },
});

/** An order of two pieces at 3800, of which a gift card with this balance pays what it can. */
async function buyTwo(context: StripeContext, balanceCents: number) {
  const { ctx, stripe } = context;
  const card = await buildGiftCard(ctx, { balanceCents });
  const product = await buildProduct(ctx, { variants: [{ ships: false }] });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: product.slug, quantity: 2 }],
    customer_email: 'ada@example.com',
    gift_card_code: card.code,
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await settle(context);
  return { orderId, product, card };
}

for (const [balanceCents, paidCents, ...steps] of [
  [
    5000,
    2600,
    [returnOne(), { card: 1200, status: 'partially_refunded', refundedCents: 2600, stock: 98 }],
    [returnOne(), { card: 5000, status: 'refunded', refundedCents: 2600, stock: 98 }],
  ],
  [
    5000,
    2600,
    [returnOne(), { card: 1200, status: 'partially_refunded', refundedCents: 2600, stock: 98 }],
    [refundOf(), { card: 5000, status: 'refunded', refundedCents: 2600, stock: 98 }],
  ],
  [
    5000,
    2600,
    [returnOne(1000), { card: 0, status: 'partially_refunded', refundedCents: 1000, stock: 98 }],
    [refundAtDashboard(1600), { card: 5000, status: 'refunded', refundedCents: 2600, stock: 98 }],
  ],
  [
    5000,
    2600,
    [refundAtDashboard(1000), { card: 0, status: 'partially_refunded', refundedCents: 1000, stock: 98 }],
    [returnOne(), { card: 2200, status: 'partially_refunded', refundedCents: 2600, stock: 98 }],
  ],
  [
    9000,
    0,
    [returnOne(), { card: 5200, status: 'partially_refunded', refundedCents: 0, stock: 98 }],
    [returnOne(), { card: 9000, status: 'refunded', refundedCents: 0, stock: 98 }],
  ],
] as const) {
  test.serial(
    `of an order that a gift card of ${balanceCents} and a card paid, ${steps
      .map(([{ circumstance }]) => circumstance)
      .join(' and then ')} return what is due, each to its own`,
    async (t) => {
      const { ctx } = t.context;
      const { orderId, product, card } = await buyTwo(t.context, balanceCents);
      t.like(await orderOf(ctx, orderId), { status: 'paid', totalCents: paidCents });
      for (const [step, expected] of steps) {
        await step.run(t.context, orderId);
        const { status, refundedCents } = await orderOf(ctx, orderId);
        const { balance } = (await balanceOf(ctx, card.id)) ?? {};
        const { stock } = await stockOf(ctx, product.variant.id);
        t.deepEqual({ card: balance, status, refundedCents, stock }, expected, step.circumstance);
      }
    },
  );
}

for (const [circumstance, status, meanwhile] of [
  [
    'another return has refunded',
    'refunded',
    async ({ ctx }, orderId) => returnPiece(ctx, await readOrder(ctx, orderId)),
  ],
  [
    'the bank has returned the money that was refunded',
    'paid',
    async (context) => {
      const { ctx, stripe, account } = context;
      await failRefunds(context);
      const [payment] = (await stripe.account(account.secretKey)).payment_intents;
      const snapshot = await fetchSnapshot(ctx, await openAccount(ctx), 'payment', payment?.id ?? '');
      await transact(ctx, async (ctx) => snapshot && applySnapshot(ctx, snapshot));
    },
  ],
] satisfies [string, string, (context: StripeContext, orderId: string) => Promise<void>][]) {
  test.serial(`issueRefund of what a gift card paid changes nothing if ${circumstance} meanwhile`, async (t) => {
    const { ctx } = t.context;
    const { orderId, product, card } = await buyTwo(t.context, 5000);
    await returnOne().run(t.context, orderId);
    const { id: refundId, amountCents } = await requestRefund(ctx, { orderId });
    t.is(amountCents, 0);
    await meanwhile(t.context, orderId);
    const state = async () => [
      await orderOf(ctx, orderId),
      await recorded(ctx, orderId),
      await balanceOf(ctx, card.id),
      await stockOf(ctx, product.variant.id),
    ];
    const before = await state();
    t.like(before[0], { status });
    await issueRefund(ctx, { refundId, attempt: 1 });
    t.is((await readRefund(ctx, refundId))?.state, 'sent');
    t.deepEqual(await state(), before);
  });
}

test.serial('a full refund returns its part to a disabled gift card, and flags the order', async (t) => {
  const { ctx } = t.context;
  const card = await buildGiftCard(ctx, { balanceCents: 1000 });
  const { orderId } = await buy(t.context, 'one_time', card.code);
  await transact(ctx, (ctx) => disableGiftCard(ctx, { giftCardId: card.id }));
  await refund(t.context, { orderId });
  t.like(await orderOf(ctx, orderId), { status: 'refunded', attentionCode: 'gift_card_disabled' });
  t.deepEqual(await balanceOf(ctx, card.id), { balance: 1000, held: 0 });
});

test.serial('returns refund no gift card that had been spent elsewhere when the payment came', async (t) => {
  const { ctx, clock, services, stripe } = t.context;
  const card = await buildGiftCard(ctx, { balanceCents: 1000 });
  const product = await buildProduct(ctx, { variants: [{ ships: false }] });
  const input = { items: [{ product_slug: product.slug, quantity: 2 }], gift_card_code: card.code };
  const { order_id: orderId } = await createCheckoutSession(ctx, { ...input, customer_email: 'ada@example.com' });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'processing' });
  await settle(t.context);
  clock.pass(days(30));
  await transact(ctx, (ctx) => releaseHolds(ctx, orderId));
  await createCheckoutSession(ctx, { ...input, customer_email: 'bob@example.com' });
  await stripe.settle((await sessionOf(ctx, orderId)).sessionId ?? '', 'succeeded');
  await settle(t.context);
  const order = await readOrder(ctx, orderId);
  t.like(order, { status: 'paid', total_cents: 6600, gift_card_cents: 1000 });
  await returnPiece(ctx, order);
  await runJobs(services);
  t.like(await orderOf(ctx, orderId), { status: 'partially_refunded', refundedCents: 3300 });
});
