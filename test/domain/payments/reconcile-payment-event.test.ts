import anyTest, { type TestFn } from 'ava';
import { purchaseLabel } from '#jobs/labels.ts';
import { reconcilePaymentEvent as job } from '#jobs/payments.ts';
import { decideReminder as decideReminderJob } from '#jobs/reminders.ts';
import { read, transact } from '#src/database/transact.ts';
import { dismissAttention } from '#src/domain/backoffice/index.ts';
import { exportJournal } from '#src/domain/bulk/exports/journal.ts';
import { changeStock } from '#src/domain/catalog/change-stock.ts';
import { type CheckoutInput, createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { readOrder, restockOrder } from '#src/domain/orders/index.ts';
import { openAccount } from '#src/domain/payments/accounts/payment-account.ts';
import {
  acceptPaymentEvent,
  applySnapshot,
  reconcilePaymentEvent,
  reportStoreDrift,
} from '#src/domain/payments/index.ts';
import { fetchPayment, fetchSnapshot } from '#src/domain/payments/snapshots/fetch-snapshot.ts';
import type { PaymentEvent } from '#src/domain/ports/payment-gateway.ts';
import type { PaymentSnapshot, SessionSnapshot } from '#src/domain/ports/payment-snapshots.ts';
import { decideReminder, listReminderDecisions } from '#src/domain/reminders/index.ts';
import { readSubscription } from '#src/domain/subscriptions/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { ManualActionRequired } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { retryFailed } from '#src/outbox/job-state.ts';
import { behind } from '#test/support/clock.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { type BuiltProduct, buildProduct, monthlyItem, stockOf } from '#test/support/factories/catalog.ts';
import { buildPaymentAccount, holdsOf, orderOf, sessionOf } from '#test/support/factories/payments.ts';
import { balanceOf, buildGiftCard, buildPromo, usesOf } from '#test/support/factories/promotions.ts';
import { buildRemindedCart, decideAll, decisionsOf, remindAnytime } from '#test/support/factories/reminders.ts';
import { buildSubscription, snapshotOf, subscriptionsOf } from '#test/support/factories/subscriptions.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';

const test = anyTest as TestFn<TestContext>;
const payments = fakePaymentGateway();
useContext(test, { ports: { payments } });

interface Bought {
  orderId: string;
  sessionId: string;
  product: BuiltProduct;
}

async function buy(ctx: Context, more: Partial<CheckoutInput> = {}, stock = 10): Promise<Bought> {
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx, { variants: [{ stock }] });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: product.slug, quantity: 1 }],
    customer_email: 'ada@example.com',
    ...more,
  });
  return { orderId, sessionId: payments.sessionOf(orderId).sessionId, product };
}

/** A signed event arrives, and its job runs this many times. */
async function receive(ctx: Context, objectId: string, given: Partial<PaymentEvent> = {}, times = 2): Promise<void> {
  const event = {
    eventId: `evt_${randomText(14)}`,
    type: 'checkout.session.completed',
    subject: 'session',
    objectId,
    metadata: null,
    createdAt: ctx.clock.now(),
    ...given,
  };
  const [secret] = await signingSecrets(ctx);
  await acceptPaymentEvent(ctx, { rawBody: Buffer.from(JSON.stringify(event)), signature: secret ?? '' });
  for (let time = 0; time < times; time += 1) await reconcilePaymentEvent(ctx, { eventId: event.eventId, attempt: 1 });
}

/** An event about a payment of the order arrives, which names its charge. */
async function receivePayment(
  ctx: Context,
  orderId: string,
  given: Partial<PaymentSnapshot> = {},
  times = 2,
): Promise<void> {
  payments.setPayment({ paymentId: 'pi_1', orderId, tenantId: ctx.tenant.id, ...given }, 'ch_1');
  await receive(ctx, 'ch_1', { type: 'charge.refunded', subject: 'payment' }, times);
}

async function signingSecrets(ctx: Context): Promise<string[]> {
  const rows = await read<{ sealed: string }>(
    ctx,
    sql`select secret_sealed as sealed from payment_webhook_secrets where tenant_id = ${ctx.tenant.id}`,
  );
  return rows.map(({ sealed }) => ctx.keyring.open(ctx.tenant.id, 'payments.webhook_secret', sealed));
}

const eventStates = async (ctx: Context) =>
  (
    await read<{ state: string }>(
      ctx,
      sql`select state from payment_events where tenant_id = ${ctx.tenant.id} order by received_at`,
    )
  ).map(({ state }) => state);

const paid = (sessionId: string, more: Partial<SessionSnapshot> = {}) =>
  payments.change(sessionId, { state: 'settled', paymentId: 'pi_1', ...more });

test.serial('a settled session pays the order once, however often its event arrives', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId, product } = await buy(ctx);
  paid(sessionId, { name: 'Ada Wells' });
  await receive(ctx, sessionId);
  await receive(ctx, sessionId);

  t.like(await orderOf(ctx, orderId), { status: 'paid', paymentStatus: 'paid', totalCents: 3800, attentionCode: null });
  t.deepEqual(await recorded(ctx, orderId), ['order.paid']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 9, held: 0 });
  t.is((await enqueuedJobs(ctx, purchaseLabel)).length, 1);
  t.deepEqual(await eventStates(ctx), ['applied', 'applied']);
  t.like(await sessionOf(ctx, orderId), { state: 'settled', checkAt: null });
  const mails = await read<{ kind: string; recipient: string }>(
    ctx,
    sql`select kind, recipient from mails where tenant_id = ${ctx.tenant.id}`,
  );
  t.deepEqual(mails, [{ kind: 'receipt', recipient: 'ada@example.com' }]);
});

test.serial('two workers at once pay an order once', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId, product } = await buy(ctx);
  paid(sessionId);
  await Promise.all(Array.from({ length: 4 }, () => receive(ctx, sessionId, {}, 1)));
  t.deepEqual(await recorded(ctx, orderId), ['order.paid']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 9, held: 0 });
});

test.serial('a payment of another amount or currency flags the order', async (t) => {
  const { ctx } = t.context;
  for (const wrong of [
    { totalCents: 3700 },
    { taxCents: 100, totalCents: 3901 },
    { currency: 'EUR' },
    { subtotalCents: 100, totalCents: 100 },
    { discountCents: 100, totalCents: 3700 },
  ]) {
    const { orderId, sessionId } = await buy(ctx);
    paid(sessionId, wrong);
    await receive(ctx, sessionId);
    t.like(await orderOf(ctx, orderId), { status: 'pending', attentionCode: 'amount_mismatch' });
    t.deepEqual(await recorded(ctx, orderId), []);
    t.deepEqual(await holdsOf(ctx, orderId), ['stock: held']);
    t.like(await sessionOf(ctx, orderId), { state: 'mismatched', checkAt: null });
  }
});

test.serial('a refunded mismatched payment cancels the order', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId, product } = await buy(ctx);
  paid(sessionId, { totalCents: 100, subtotalCents: 100 });
  await receive(ctx, sessionId);
  await receivePayment(ctx, orderId, { amountCents: 100, refundedCents: 100 });
  t.like(await orderOf(ctx, orderId), { status: 'canceled', attentionCode: null });
  t.like(await stockOf(ctx, product.variant.id), { stock: 10, held: 0 });
});

test.serial("the provider's shipping and tax are accepted, included in the prices, added, or both", async (t) => {
  const { ctx } = t.context;
  const beside = await buy(ctx);
  paid(beside.sessionId, { shippingCents: 599, taxCents: 300, totalCents: 3800 + 599 + 300 });
  await receive(ctx, beside.sessionId);
  t.like(await orderOf(ctx, beside.orderId), { status: 'paid', totalCents: 4699, shippingCents: 599 });

  const within = await buy(ctx);
  paid(within.sessionId, { taxCents: 300, totalCents: 3800 });
  await receive(ctx, within.sessionId);
  t.like(await orderOf(ctx, within.orderId), { status: 'paid', totalCents: 3800 });

  const partly = await buy(ctx);
  paid(partly.sessionId, { shippingCents: 599, taxCents: 327, totalCents: 3800 + 599 + 27 });
  await receive(ctx, partly.sessionId);
  t.like(await orderOf(ctx, partly.orderId), { status: 'paid', totalCents: 4426 });
});

test.serial('a slow payment keeps its holds, and pays when it arrives', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  payments.change(sessionId, { state: 'processing' });
  await receive(ctx, sessionId);
  t.like(await orderOf(ctx, orderId), { status: 'pending', paymentStatus: 'processing' });
  t.deepEqual(await holdsOf(ctx, orderId), ['stock: held']);
  paid(sessionId);
  await receive(ctx, sessionId);
  t.like(await orderOf(ctx, orderId), { status: 'paid', paymentStatus: 'paid' });
});

test.serial('a shopper whose slow payment is on its way is not reminded of that cart, unless it fails', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx, { per_address: '1m' });
  const { email } = await buildRemindedCart(ctx);
  const { email: ofVisit } = await buildRemindedCart(ctx, { session_id: 'visit-1' });
  const { email: other } = await buildRemindedCart(ctx);
  const { orderId, sessionId } = await buy(ctx, { customer_email: null, metadata: { session_id: 'visit-1' } });
  payments.change(sessionId, { state: 'processing', email: ` ${email.toUpperCase()}` });
  await receive(ctx, sessionId);
  t.is((await orderOf(ctx, orderId)).email, email);

  const jobs = await enqueuedJobs(ctx, decideReminderJob);
  const decide = async (step: number) => {
    const ids = await Promise.all(
      [email, ofVisit, other].map(async (address) => {
        const { rows } = await listReminderDecisions(ctx, { email: address, limit: 100 });
        return rows.find(({ number }) => number === step)?.id;
      }),
    );
    for (const job of jobs.filter(({ reminderId }) => ids.includes(reminderId))) await decideReminder(ctx, job);
    return Promise.all([email, ofVisit, other].map(async (address) => (await decisionsOf(ctx, address))[step - 1]));
  };
  t.deepEqual(await decide(1), ['skipped: purchased', 'skipped: purchased', 'sent']);
  payments.change(sessionId, { state: 'failed' });
  await receive(ctx, sessionId);
  t.context.clock.pass(days(1));
  t.deepEqual(await decide(2), ['sent', 'sent', 'sent']);
});

test.serial('a cart that is saved while a slow payment is on its way is reminded of', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const { sessionId } = await buy(ctx);
  payments.change(sessionId, { state: 'processing' });
  await receive(ctx, sessionId);
  t.context.clock.pass(minutes(1));
  await buildRemindedCart(ctx, { email: 'ada@example.com' });
  await decideAll(ctx);
  t.is((await decisionsOf(ctx, 'ada@example.com'))[0], 'sent');
});

test.serial('a failed slow payment releases all holds', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId, product } = await buy(ctx);
  payments.change(sessionId, { state: 'processing' });
  await receive(ctx, sessionId);
  payments.change(sessionId, { state: 'failed' });
  await receive(ctx, sessionId);
  t.like(await orderOf(ctx, orderId), { status: 'payment_failed', paymentStatus: 'failed' });
  t.deepEqual(await recorded(ctx, orderId), ['order.payment_failed']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 10, held: 0 });
});

test.serial('an expired session closes its order, and late updates change nothing', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId, product } = await buy(ctx);
  payments.change(sessionId, { state: 'expired' });
  await receive(ctx, sessionId);
  payments.change(sessionId, { state: 'open' });
  await receive(ctx, sessionId);
  t.like(await orderOf(ctx, orderId), { status: 'expired', paymentStatus: 'unpaid' });
  t.like(await sessionOf(ctx, orderId), { state: 'expired' });
  t.deepEqual(await recorded(ctx, orderId), ['order.expired']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 10, held: 0 });
});

test.serial('a paid order stays paid, whatever snapshot of its session comes later', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId, product } = await buy(ctx);
  paid(sessionId);
  await receive(ctx, sessionId);
  for (const state of ['expired', 'failed'] as const) {
    payments.change(sessionId, { state });
    await receive(ctx, sessionId);
    t.like(await orderOf(ctx, orderId), { status: 'paid', paymentStatus: 'paid' });
  }
  t.deepEqual(await recorded(ctx, orderId), ['order.paid']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 9, held: 0 });
});

const sessionStates = ['open', 'processing', 'settled', 'failed', 'expired'] as const;
type SeenState = (typeof sessionStates)[number];

/** What a session is stored as that was fetched in two states. Money counts whenever it arrives. */
function stateAfter(earlier: SeenState, later: SeenState): SeenState {
  if (earlier === 'settled' || later === 'settled') return 'settled';
  if (earlier === 'open' || (earlier === 'expired' && later === 'processing')) return later;
  return earlier === 'processing' && later !== 'open' ? later : earlier;
}

test.serial('a session is stored as over once it is, and goes back only where money is on its way', async (t) => {
  const { ctx } = t.context;
  for (const earlier of sessionStates) {
    for (const later of sessionStates) {
      const { orderId, sessionId } = await buy(ctx);
      for (const state of [earlier, later]) {
        payments.change(sessionId, { state, ...(state === 'settled' && { paymentId: 'pi_1' }) });
        await receive(ctx, sessionId);
      }
      const { state, checkAt } = await sessionOf(ctx, orderId);
      t.is(state, stateAfter(earlier, later), `${earlier}, then ${later}`);
      t.is(checkAt === null, state !== 'open' && state !== 'processing', `${earlier}, then ${later}`);
    }
  }
});

test.serial('a payment after the holds were released pays the order and takes the stock that is left', async (t) => {
  const { ctx } = t.context;
  const promo = await buildPromo(ctx);
  const card = await buildGiftCard(ctx, { balanceCents: 500 });
  const { orderId, sessionId, product } = await buy(ctx, { promo_code: promo.code, gift_card_code: card.code });
  payments.change(sessionId, { state: 'expired' });
  await receive(ctx, sessionId);
  paid(sessionId);
  await receive(ctx, sessionId);
  t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: null });
  t.deepEqual(await recorded(ctx, orderId), ['order.expired', 'order.paid']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 9, held: 0 });
  t.deepEqual(await usesOf(ctx, promo.id), { held: 0, used: 1 });
  t.deepEqual(await balanceOf(ctx, card.id), { balance: 0, held: 0 });
});

test.serial('a late payment of sold-out goods flags the order and takes nothing from others', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId, product } = await buy(ctx, {}, 1);
  payments.change(sessionId, { state: 'expired' });
  await receive(ctx, sessionId);
  await createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 1 }] });
  paid(sessionId);
  await receive(ctx, sessionId);
  t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: 'oversold' });
  t.like(await stockOf(ctx, product.variant.id), { stock: 1, held: 1 });
  t.deepEqual(await holdsOf(ctx, orderId), ['stock: released']);
});

for (const kind of ['late', 'held'] as const) {
  test.serial(
    `a ${kind} payment of goods of which some are gone takes the others, and a refund restocks those`,
    async (t) => {
      const { ctx } = t.context;
      const other = await buildProduct(ctx, { slug: 'lamp', variants: [{ stock: 10 }] });
      const gone = await buildProduct(ctx, { slug: 'vase', variants: [{ stock: 1 }] });
      const items = ['lamp', 'vase'].map((product_slug) => ({ product_slug, quantity: 1 }));
      const { orderId, sessionId } = await buy(ctx, { items });
      if (kind === 'late') {
        payments.change(sessionId, { state: 'expired' });
        await receive(ctx, sessionId);
      } else {
        await transact(ctx, (ctx) => changeStock(ctx, [{ variantId: gone.variant.id, quantity: 0 }]));
      }
      const { order_id: waiting } = await createCheckoutSession(ctx, {
        items: items.slice(0, kind === 'late' ? 2 : 1),
      });
      paid(sessionId);
      await receive(ctx, sessionId);
      t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: 'oversold' });
      t.deepEqual((await holdsOf(ctx, orderId)).toSorted(), ['stock: captured', 'stock: released']);
      t.deepEqual(await stockOf(ctx, other.variant.id), { stock: 9, held: 1, ledger: 9 });
      t.true((await holdsOf(ctx, waiting)).every((hold) => hold === 'stock: held'));
      await transact(ctx, (ctx) => restockOrder(ctx, orderId));
      t.deepEqual(await stockOf(ctx, other.variant.id), { stock: 10, held: 1, ledger: 10 });
    },
  );
}

test.serial('a late payment whose gift card was spent elsewhere flags the order', async (t) => {
  const { ctx } = t.context;
  const card = await buildGiftCard(ctx, { balanceCents: 500 });
  const { orderId, sessionId, product } = await buy(ctx, { gift_card_code: card.code });
  payments.change(sessionId, { state: 'expired' });
  await receive(ctx, sessionId);
  await createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 1 }], gift_card_code: card.code });
  paid(sessionId);
  await receive(ctx, sessionId);
  t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: 'gift_card_spent' });
  t.deepEqual(await balanceOf(ctx, card.id), { balance: 500, held: 500 });
});

test.serial(
  'reconcilePaymentEvent ignores objects without our metadata, or of another store or environment',
  async (t) => {
    const { ctx } = t.context;
    const { orderId, sessionId } = await buy(ctx);
    paid(sessionId, { environment: 'live' });
    await receive(ctx, sessionId);
    paid(sessionId, { environment: 'test', tenantId: newId('ten') });
    await receive(ctx, sessionId);
    paid(sessionId, { tenantId: null });
    await receive(ctx, sessionId);
    paid(sessionId, { tenantId: ctx.tenant.id, orderId: null });
    await receive(ctx, sessionId);
    await receive(ctx, 're_of_nobody', { type: 'refund.updated', subject: 'payment' });
    payments.calls.length = 0;
    await receive(ctx, sessionId, { metadata: { tenantId: null, orderId: null, environment: null } });
    await receive(ctx, 'cus_1', { type: 'customer.updated', subject: null });
    t.deepEqual(payments.calls, []);
    t.like(await orderOf(ctx, orderId), { status: 'pending' });
    t.deepEqual([...new Set(await eventStates(ctx))], ['ignored']);
  },
);

for (const subject of ['session', 'payment'] as const) {
  test.serial(
    `reconcilePaymentEvent retries a ${subject} of an unknown order for an hour, and then requires manual action`,
    async (t) => {
      const { ctx, clock } = t.context;
      const { sessionId } = await buy(ctx);
      const orderId = newId('ord');
      paid(sessionId, { orderId });
      payments.setPayment({ paymentId: 'pi_early', orderId, tenantId: ctx.tenant.id });
      const eventId = `evt_early_${subject}`;
      await receive(ctx, subject === 'session' ? sessionId : 'pi_early', { eventId, subject }, 1);
      t.deepEqual(
        (await enqueuedJobs(ctx, job)).map(({ attempt }) => attempt),
        [1, 2],
      );
      t.deepEqual(await eventStates(ctx), ['pending']);
      clock.pass(hours(1) + minutes(1));
      await t.throwsAsync(reconcilePaymentEvent(ctx, { eventId, attempt: 2 }), { instanceOf: ManualActionRequired });
      t.deepEqual(await eventStates(ctx), ['unknown_order']);
    },
  );
}

test.serial('the job of an unknown order fails for an operator, and a retry applies the event', async (t) => {
  const { ctx, clock, services } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  paid(sessionId, { orderId: newId('ord') });
  await receive(ctx, sessionId, { eventId: 'evt_lost' }, 0);
  await runJobs(services);
  clock.pass(3_700_000);
  const outcomes = await runJobs(services);
  t.true(outcomes.some((outcome) => outcome.startsWith(`${job.name}: cancel (Event evt_lost names an order`)));
  const failed = await services.execute<{ id: string }>(sql`
    select id from outbox where tenant_id = ${ctx.tenant.id} and failed_at is not null
      and failure like 'Event evt_lost names an order%'`);
  t.is(failed.length, 1);

  paid(sessionId, { orderId });
  await retryFailed(services.execute, { queue: 'payments', id: failed[0]?.id ?? '' }, clock.now());
  await runJobs(services, { rounds: 1 });
  t.deepEqual(await eventStates(ctx), ['applied']);
  t.like(await orderOf(ctx, orderId), { status: 'paid' });
});

test.serial(
  'the job of an event whose object the account does not have fails for an operator, and pays after a retry',
  async (t) => {
    const { ctx, clock, services } = t.context;
    const { orderId, sessionId } = await buy(ctx);
    const session = paid(sessionId);
    // The store has another account at the provider since.
    payments.sessions.delete(sessionId);
    await receive(ctx, sessionId, { eventId: 'evt_before' }, 1);
    t.deepEqual(await eventStates(ctx), ['pending']);
    clock.pass(hours(1) + minutes(1));
    const outcomes = await runJobs(services);
    t.true(outcomes.some((outcome) => outcome.startsWith(`${job.name}: cancel (Event evt_before is about an object`)));
    t.deepEqual(await eventStates(ctx), ['unknown_order']);

    payments.sessions.set(sessionId, session);
    const [failed] = await services.execute<{ id: string }>(sql`
    select id from outbox where tenant_id = ${ctx.tenant.id} and failed_at is not null`);
    await retryFailed(services.execute, { queue: 'payments', id: failed?.id ?? '' }, clock.now());
    await runJobs(services, { rounds: 1 });
    t.like(await orderOf(ctx, orderId), { status: 'paid' });
  },
);

test.serial('reconcilePaymentEvent retries later each time while the provider fails', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  paid(sessionId);
  payments.misfortunes.fetchSession = [{ failure: 'away' }, { failure: 'denied' }];
  await receive(ctx, sessionId, { eventId: 'evt_wait' }, 1);
  await reconcilePaymentEvent(ctx, { eventId: 'evt_wait', attempt: 2 });
  t.deepEqual(
    (await enqueuedJobs(ctx, job)).map(({ attempt }) => attempt),
    [1, 2, 3],
  );
  t.like(await orderOf(ctx, orderId), { status: 'pending' });
  await reconcilePaymentEvent(ctx, { eventId: 'evt_wait', attempt: 3 });
  t.like(await orderOf(ctx, orderId), { status: 'paid' });
});

test.serial('acceptPaymentEvent stores a repeated delivery and its job once', async (t) => {
  const { ctx } = t.context;
  const { sessionId } = await buy(ctx);
  for (let time = 0; time < 3; time += 1) await receive(ctx, sessionId, { eventId: 'evt_same' }, 0);
  t.is((await enqueuedJobs(ctx, job)).length, 1);
});

test.serial('applyPayment mirrors refunds, reverses a failed one, and restocks unshipped goods once', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId, product } = await buy(ctx);
  paid(sessionId);
  await receive(ctx, sessionId);
  const refund = async (refundedCents: number) => {
    await receivePayment(ctx, orderId, { refundedCents });
    return orderOf(ctx, orderId);
  };
  t.like(await refund(1000), {
    status: 'partially_refunded',
    paymentStatus: 'partially_refunded',
    refundedCents: 1000,
  });
  t.like(await refund(0), { status: 'paid', refundedCents: 0 });
  t.like(await stockOf(ctx, product.variant.id), { stock: 9 });
  t.like(await refund(3800), { status: 'refunded', refundedCents: 3800 });
  t.like(await stockOf(ctx, product.variant.id), { stock: 10, ledger: 10 });
  t.deepEqual(await recorded(ctx, orderId), ['order.paid', 'order.refunded', 'order.updated', 'order.refunded']);
  await receivePayment(ctx, orderId, { refundedCents: 3800 });
  const booked = await read<{ cents: number }>(
    ctx,
    sql`
    select amount_cents as cents from payment_reversals
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} order by snapshot_number`,
  );
  t.deepEqual(
    booked.map(({ cents }) => cents),
    [1000, -1000, 3800],
  );
});

test.serial(
  'applyPayment drops a snapshot that was requested earlier, by a process whose clock is minutes ahead',
  async (t) => {
    const { ctx } = t.context;
    const { orderId, sessionId } = await buy(ctx);
    paid(sessionId);
    await receive(ctx, sessionId);
    const account = await openAccount(ctx);
    const fetched = (ctx: Context, refundedCents: number) => {
      payments.setPayment({ paymentId: 'pi_1', orderId, tenantId: ctx.tenant.id, refundedCents });
      return fetchPayment(ctx, account, 'pi_1');
    };
    const [early, late] = [await fetched(ctx, 0), await fetched(behind(ctx), 1000)];
    for (const [ctx, payment] of [
      [behind(t.context.ctx), late],
      [t.context.ctx, early],
    ] as const) {
      await transact(ctx, (ctx) => applySnapshot(ctx, { subject: 'payment', payment }));
    }
    t.like(await orderOf(ctx, orderId), { status: 'partially_refunded', refundedCents: 1000 });
  },
);

test.serial('a dispute flags the order until it is over, and is entered in the journal once it is lost', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  paid(sessionId);
  await receive(ctx, sessionId);
  const dispute = async (isDisputed: boolean, lostCents: number) => {
    await receivePayment(ctx, orderId, { isDisputed, lostCents });
    const [order] = await read<{ codes: string[] }>(
      ctx,
      sql`
      select array(select each ->> 'code' from jsonb_array_elements(attentions) as each) as codes
      from orders where tenant_id = ${ctx.tenant.id} and id = ${orderId}`,
    );
    return order?.codes.toSorted();
  };
  const entries = async () => {
    const journal = await read<{ account: string; amount_cents: number }>(
      ctx,
      exportJournal.select(ctx, { from: null, to: null }),
    );
    return journal.flatMap(({ account, amount_cents: cents }) => (account === 'disputes' ? [cents] : []));
  };
  t.deepEqual(await dispute(true, 0), ['disputed']);
  t.deepEqual(await dispute(false, 0), []);
  t.deepEqual(await entries(), []);
  for (let time = 0; time < 2; time += 1) t.deepEqual(await dispute(false, 3000), ['dispute_lost']);
  t.deepEqual(await entries(), [-3000]);
  t.deepEqual(await dispute(true, 3000), ['dispute_lost', 'disputed'], 'another one, of the rest');
  t.deepEqual(await dispute(false, 3800), ['dispute_lost']);
  t.deepEqual((await entries()).toSorted(), [-3000, -800]);
  t.deepEqual(await dispute(false, 0), []);
  t.deepEqual((await entries()).toSorted(), [-3000, -800, 3800]);
});

test.serial('an order shows the dispute of its payment, whose beginning and end are events', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  paid(sessionId);
  await receive(ctx, sessionId);
  const dispute = async (isDisputed: boolean, lostCents: number) => {
    const before = await recorded(ctx, orderId);
    await receivePayment(ctx, orderId, { isDisputed, lostCents });
    const events = (await recorded(ctx, orderId)).slice(before.length);
    return [(await readOrder(ctx, orderId))?.dispute_status, ...events];
  };
  t.is((await readOrder(ctx, orderId))?.dispute_status, null);
  t.deepEqual(await dispute(true, 0), ['open', 'order.disputed']);
  t.deepEqual(await dispute(true, 0), ['open'], 'once');
  await dismissAttention(ctx, { orderId, code: 'disputed' });
  t.deepEqual(await dispute(false, 0), ['won', 'order.dispute_closed']);
  t.deepEqual(await dispute(true, 0), ['open', 'order.disputed'], 'another one');
  for (const events of [['order.dispute_closed'], []]) t.deepEqual(await dispute(false, 3800), ['lost', ...events]);
  t.deepEqual(await dispute(false, 0), ['won', 'order.dispute_closed'], 'a reversal');
});

test.serial('a second payment of a paid order flags it', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  paid(sessionId);
  await receive(ctx, sessionId);
  payments.sessions.set('cs_twin', { ...payments.sessionOf(orderId), sessionId: 'cs_twin' });
  await receive(ctx, 'cs_twin');
  t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: 'paid_twice' });
  t.deepEqual(await recorded(ctx, orderId), ['order.paid']);
});

test.serial('a refund of the second payment leaves the order paid', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId, product } = await buy(ctx);
  paid(sessionId);
  await receive(ctx, sessionId);
  payments.sessions.set('cs_second', { ...payments.sessionOf(orderId), sessionId: 'cs_second', paymentId: 'pi_2' });
  await receive(ctx, 'cs_second');
  t.like(await orderOf(ctx, orderId), { attentionCode: 'paid_twice' });
  await receivePayment(ctx, orderId, { paymentId: 'pi_2', refundedCents: 3800 });
  t.like(await orderOf(ctx, orderId), { status: 'paid', paymentStatus: 'paid', refundedCents: 0, attentionCode: null });
  t.like(await stockOf(ctx, product.variant.id), { stock: 9 });
  t.deepEqual(await recorded(ctx, orderId), ['order.paid']);
});

test.serial('an order with an invalid email is paid', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx, { customer_email: null });
  paid(sessionId, { email: 'not an address' });
  await receive(ctx, sessionId);
  t.like(await orderOf(ctx, orderId), { status: 'paid' });
});

test.serial(
  'two paid subscriptions to one product flag an order, and those to two products or of two guests do not',
  async (t) => {
    const { ctx } = t.context;
    await buildPaymentAccount(ctx);
    /** Sessions to subscribe to one product that were all paid before the provider closed any. */
    async function subscribeAll(emails: (string | null)[]): Promise<string[]> {
      const product = await buildProduct(ctx, monthly);
      const begun = [];
      for (const email of emails) begun.push(await subscribe(ctx, product, email));
      for (const { sessionId, subscriptionId } of begun)
        payments.change(sessionId, { state: 'settled', subscriptionId, email: 'ada@example.com' });
      await Promise.all(begun.map(({ sessionId }) => receive(ctx, sessionId)));
      return begun.map(({ orderId }) => orderId);
    }

    for (let time = 0; time < 3; time += 1) {
      const orders = await subscribeAll(['ada@example.com', 'ada@example.com']);
      const seen = await Promise.all(orders.map((id) => orderOf(ctx, id)));
      t.deepEqual(seen.map(({ attentionCode }) => attentionCode).toSorted(), ['duplicate_subscription', null]);
      t.true(seen.every(({ status }) => status === 'paid'));
    }
    for (const id of await subscribeAll([null, null]))
      t.like(await orderOf(ctx, id), { status: 'paid', attentionCode: null });

    const product = await buildProduct(ctx, monthly);
    await buildSubscription(ctx, { productId: product.id, status: 'canceled' });
    const again = await subscribe(ctx, product);
    payments.change(again.sessionId, { state: 'settled', subscriptionId: again.subscriptionId });
    await receive(ctx, again.sessionId);
    t.like(await orderOf(ctx, again.orderId), { status: 'paid', attentionCode: null }, 'the other one is canceled');
  },
);

test.serial('reconcilePaymentEvent opens a dispute beside a second payment, and each is dismissed alone', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  paid(sessionId);
  await receive(ctx, sessionId);
  payments.sessions.set('cs_other', { ...payments.sessionOf(orderId), sessionId: 'cs_other', paymentId: 'pi_3' });
  await receive(ctx, 'cs_other');
  await receivePayment(ctx, orderId, { isDisputed: true });
  t.is((await orderOf(ctx, orderId)).attentionCode, 'disputed');
  await dismissAttention(ctx, { orderId, code: 'disputed' });
  t.is((await orderOf(ctx, orderId)).attentionCode, 'paid_twice');
  await dismissAttention(ctx, { orderId, code: 'paid_twice' });
  t.is((await orderOf(ctx, orderId)).attentionCode, null);
});

test.serial('a refund that arrives before its payment waits for it, and nothing is shipped', async (t) => {
  const { ctx, services, clock } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  await receivePayment(ctx, orderId, { refundedCents: 3800 }, 1);
  t.deepEqual(await eventStates(ctx), ['pending']);
  paid(sessionId);
  await receive(ctx, sessionId);
  clock.pass(minutes(2));
  await runJobs(services);
  t.like(await orderOf(ctx, orderId), { status: 'refunded', refundedCents: 3800 });
  t.deepEqual(await eventStates(ctx), ['applied', 'applied']);
});

test.serial("another session with the order's metadata does not close the order", async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  payments.sessions.set('cs_stray', { ...payments.sessionOf(orderId), sessionId: 'cs_stray', state: 'expired' });
  await receive(ctx, 'cs_stray', { type: 'checkout.session.expired' });
  t.like(await orderOf(ctx, orderId), { status: 'pending' });
  t.like(await sessionOf(ctx, orderId), { state: 'open', sessionId });
  t.deepEqual(await holdsOf(ctx, orderId), ['stock: held']);

  payments.sessions.set('cs_stray', {
    ...payments.sessionOf(orderId),
    sessionId: 'cs_stray',
    state: 'settled',
    paymentId: 'pi_stray',
  });
  await receive(ctx, 'cs_stray');
  t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: null });
  paid(sessionId);
  await receive(ctx, sessionId);
  t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: 'paid_twice' });
  t.deepEqual(await recorded(ctx, orderId), ['order.paid']);
});

test.serial('a mismatched payment of an expired order flags it, and its refund clears the flag', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  payments.change(sessionId, { state: 'expired' });
  await receive(ctx, sessionId);
  paid(sessionId, { totalCents: 100 });
  await receive(ctx, sessionId);
  t.like(await orderOf(ctx, orderId), { status: 'expired', attentionCode: 'amount_mismatch' });
  await dismissAttention(ctx, { orderId, code: 'amount_mismatch' });
  await receivePayment(ctx, orderId, { amountCents: 100, refundedCents: 100 });
  t.like(await orderOf(ctx, orderId), { status: 'expired', attentionCode: null });
  t.true((await eventStates(ctx)).every((state) => state === 'applied'));
});

test.serial('a dismissed mismatch releases its holds once the money was refunded', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  paid(sessionId, { totalCents: 100 });
  await receive(ctx, sessionId);
  await dismissAttention(ctx, { orderId, code: 'amount_mismatch' });
  await receivePayment(ctx, orderId, { amountCents: 100, refundedCents: 100 });
  t.like(await orderOf(ctx, orderId), { status: 'canceled' });
  t.deepEqual(await holdsOf(ctx, orderId), ['stock: released']);
});

const monthly = { purchase_types: ['subscription' as const], subscription_intervals: ['month' as const] };

/** A checkout of a monthly subscription that the provider has begun; its session is still open. */
async function subscribe(ctx: Context, product: BuiltProduct, email: string | null = 'ada@example.com') {
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [monthlyItem(product)],
    customer_email: email,
    cart_id: newId('cart'),
  });
  const { sessionId } = payments.sessionOf(orderId);
  const subscriptionId = `sub_${randomText(14)}`;
  const item = {
    itemId: `si_${randomText(14)}`,
    productId: product.id,
    variantId: product.variant.id,
    quantity: 1,
    unitPriceCents: 3400,
    interval: 'month' as const,
    currentPeriodEnd: new Date(Date.UTC(2030, 0)),
  };
  const own = { orderId, tenantId: ctx.tenant.id, environment: 'test' };
  payments.subscriptions.set(subscriptionId, { ...snapshotOf(subscriptionId), ...own, items: [item] });
  return { orderId, sessionId, subscriptionId, item };
}

/** A first payment of a subscription, with its invoice. */
async function beginSubscription(ctx: Context) {
  await buildPaymentAccount(ctx);
  const { item, ...begun } = await subscribe(ctx, await buildProduct(ctx, monthly));
  const { orderId, subscriptionId } = begun;
  const invoice = {
    invoiceId: `in_${randomText(14)}`,
    subscriptionId,
    orderId,
    tenantId: ctx.tenant.id,
    environment: 'test',
    isPaid: true,
    currency: 'USD',
    taxCents: 0,
    totalCents: 3400,
    paymentId: 'pi_of_invoice',
    lines: [{ itemId: item.itemId, quantity: 1, amountCents: 3400, discountCents: 0 }],
  };
  return { ...begun, invoice };
}

test.serial('a failed slow first payment that is paid on its invoice pays the order', async (t) => {
  const { ctx } = t.context;
  const others = [await beginSubscription(ctx)];
  const { orderId, sessionId, subscriptionId, invoice } = await beginSubscription(ctx);
  others.push(await beginSubscription(ctx));
  payments.change(sessionId, { state: 'processing', subscriptionId });
  await receive(ctx, sessionId);
  payments.change(sessionId, { state: 'failed' });
  await receive(ctx, sessionId);
  t.like(await orderOf(ctx, orderId), { status: 'payment_failed' });

  payments.invoices.set(invoice.invoiceId, { ...invoice, cause: 'first' });
  await receive(ctx, invoice.invoiceId, { type: 'invoice.paid', subject: 'invoice' });
  await receive(ctx, invoice.invoiceId, { type: 'invoice.paid', subject: 'invoice' });
  t.like(await orderOf(ctx, orderId), { status: 'paid', totalCents: 3400 });
  t.deepEqual(await recorded(ctx, orderId), ['order.payment_failed', 'order.paid']);
  t.like(await sessionOf(ctx, orderId), { state: 'settled' });
  for (const other of others) t.like(await orderOf(ctx, other.orderId), { status: 'pending' });

  t.context.clock.pass(hours(3));
  t.deepEqual((await reportStoreDrift(ctx)).unpaidThere, [], 'though its session never settled');
});

for (const [how, paymentId] of [
  ['in another payment', 'pi_of_invoice'],
  ['outside of the provider', null],
] as const) {
  test.serial(`an order whose first invoice is paid ${how} has the payment that can be refunded`, async (t) => {
    const { ctx } = t.context;
    const { orderId, sessionId, subscriptionId, invoice } = await beginSubscription(ctx);
    payments.change(sessionId, { state: 'failed', subscriptionId, paymentId: 'pi_failed' });
    await receive(ctx, sessionId);
    payments.invoices.set(invoice.invoiceId, { ...invoice, cause: 'first', paymentId });
    await receive(ctx, invoice.invoiceId, { type: 'invoice.paid', subject: 'invoice' });
    t.like(await orderOf(ctx, orderId), { status: 'paid' });
    const stored = await read(
      ctx,
      sql`select payment_id as "paymentId" from orders where tenant_id = ${ctx.tenant.id} and id = ${orderId}`,
    );
    t.deepEqual(stored, [{ paymentId }]);
  });
}

test.serial(
  'a first invoice that is paid a moment before its session is complete waits for what was entered',
  async (t) => {
    const { ctx } = t.context;
    const { orderId, sessionId, subscriptionId, invoice } = await beginSubscription(ctx);
    payments.change(sessionId, { subscriptionId });
    payments.invoices.set(invoice.invoiceId, { ...invoice, cause: 'first' });
    await receive(ctx, invoice.invoiceId, { type: 'invoice.paid', subject: 'invoice' });
    t.like(await orderOf(ctx, orderId), { status: 'pending' });
    const address = { street1: '1 Main St', street2: null, city: 'Troy', state: 'NY', zip: '12180', country: 'US' };
    paid(sessionId, { address: { name: 'Ada Wells', ...address } });
    await receive(ctx, sessionId);
    t.like(await readOrder(ctx, orderId), { status: 'paid', shipping_address: address });
  },
);

const invoicePaid = { type: 'invoice.paid', subject: 'invoice' } as const;

/** The orders of renewals, oldest first. */
const renewalsOf = (ctx: Context) =>
  read<{ orderId: string }>(
    ctx,
    sql`
    select order_id as "orderId" from payment_invoices where tenant_id = ${ctx.tenant.id} order by created_at, id`,
  );

test.serial(
  'a renewal that is paid before its first order is waits for it, and one that is unpaid does not',
  async (t) => {
    const { ctx, services, clock } = t.context;
    const { sessionId, subscriptionId, invoice } = await beginSubscription(ctx);
    const renewal = { ...invoice, cause: 'renewal' as const };
    payments.invoices.set('in_unpaid', { ...renewal, invoiceId: 'in_unpaid', isPaid: false });
    await receive(ctx, 'in_unpaid', { type: 'invoice.payment_failed', subject: 'invoice' });
    payments.invoices.set(renewal.invoiceId, renewal);
    await receive(ctx, renewal.invoiceId, invoicePaid, 1);
    t.deepEqual(await eventStates(ctx), ['applied', 'pending']);
    t.deepEqual(await renewalsOf(ctx), []);

    paid(sessionId, { subscriptionId });
    await receive(ctx, sessionId);
    clock.pass(minutes(2));
    await runJobs(services);
    t.is((await renewalsOf(ctx)).length, 1);
    t.deepEqual(await eventStates(ctx), ['applied', 'applied', 'applied']);
  },
);

test.serial('two jobs that fetched an invoice before either applied it create one order', async (t) => {
  const { ctx } = t.context;
  const { sessionId, subscriptionId, invoice } = await beginSubscription(ctx);
  paid(sessionId, { subscriptionId });
  await receive(ctx, sessionId);
  payments.invoices.set(invoice.invoiceId, { ...invoice, cause: 'renewal' });
  const account = await openAccount(ctx);
  const fetched = await Promise.all([1, 2].map(() => fetchSnapshot(ctx, account, 'invoice', invoice.invoiceId)));
  for (const snapshot of fetched) {
    t.is(snapshot && (await transact(ctx, (ctx) => applySnapshot(ctx, snapshot))), 'applied');
  }
  t.is((await renewalsOf(ctx)).length, 1);
});

test.serial('a renewal is of the subscribed item, in its interval, with the metadata of the checkout', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx, { ...monthly, purchase_types: ['one_time', 'subscription'] });
  const item = monthlyItem(product);
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: product.slug, variant_id: product.variant.id, quantity: 2 }, item],
    metadata: { campaign: 'spring' },
  });
  const subscriptionId = `sub_${randomText(14)}`;
  const subscribed = {
    itemId: `si_${randomText(14)}`,
    productId: product.id,
    variantId: product.variant.id,
    quantity: 1,
    unitPriceCents: 3400,
    interval: 'quarter' as const,
    currentPeriodEnd: new Date(Date.UTC(2030, 0)),
  };
  const own = { orderId, tenantId: ctx.tenant.id, environment: 'test' };
  const subscription = { ...snapshotOf(subscriptionId), ...own, items: [subscribed] };
  payments.subscriptions.set(subscriptionId, subscription);
  paid(payments.sessionOf(orderId).sessionId, { subscriptionId });
  await receive(ctx, payments.sessionOf(orderId).sessionId);
  const currentPeriodEnd = new Date(Date.UTC(2030, 3));
  payments.subscriptions.set(subscriptionId, { ...subscription, items: [{ ...subscribed, currentPeriodEnd }] });
  const invoiceId = `in_${randomText(14)}`;
  payments.invoices.set(invoiceId, {
    ...own,
    invoiceId,
    subscriptionId,
    cause: 'renewal',
    isPaid: true,
    currency: 'USD',
    taxCents: 0,
    totalCents: 3400,
    paymentId: 'pi_2',
    lines: [{ itemId: subscribed.itemId, quantity: 1, amountCents: 3400, discountCents: 0 }],
  });
  await receive(ctx, invoiceId, invoicePaid);
  const [renewal] = await renewalsOf(ctx);
  t.like(await readOrder(ctx, renewal?.orderId ?? ''), {
    items: only({ purchase_type: 'subscription', subscription_interval: 'quarter', quantity: 1 }),
    metadata: { campaign: 'spring' },
  });
  const { id = '' } = (await subscriptionsOf(ctx))[0] ?? {};
  // The event of the subscription itself may be lost.
  t.like(await readSubscription(ctx, id), { current_period_end: currentPeriodEnd.toISOString() });
});

test.serial('a subscription follows its provider from each live status to each other, and ends once', async (t) => {
  const { ctx } = t.context;
  const { sessionId, subscriptionId } = await beginSubscription(ctx);
  paid(sessionId, { subscriptionId });
  await receive(ctx, sessionId);
  const known = payments.subscriptions.get(subscriptionId) ?? t.fail();
  async function show(change: Partial<typeof known>) {
    payments.subscriptions.set(subscriptionId, { ...known, ...change });
    await receive(ctx, subscriptionId, { type: 'customer.subscription.updated', subject: 'subscription' });
    return (await subscriptionsOf(ctx))[0] ?? t.fail();
  }

  const live = ['active', 'trialing', 'past_due', 'paused'] as const;
  for (const from of live) {
    for (const to of live) {
      await show({ state: from });
      t.is((await show({ state: to })).status, to, `${from} to ${to}`);
    }
  }
  t.is((await show({ items: known.items.map((item) => ({ ...item, quantity: 4 })) })).quantity, 4);
  const { id } = await show({ items: [] });
  const { status, canceled_at: endedAt } = (await readSubscription(ctx, id)) ?? t.fail();
  t.deepEqual([status, endedAt !== null], ['canceled', true], 'it has no item any more');
  await show({ state: 'canceled', items: [] });
  t.is((await recorded(ctx, id)).filter((type) => type === 'subscription.canceled').length, 1);
});

test.serial('a subscription that ended before its payment was seen begins and ends', async (t) => {
  const { ctx } = t.context;
  const { sessionId, subscriptionId } = await beginSubscription(ctx);
  const known = payments.subscriptions.get(subscriptionId) ?? t.fail();
  payments.subscriptions.set(subscriptionId, { ...known, state: 'canceled', canceledAt: ctx.clock.now() });
  paid(sessionId, { subscriptionId });
  await receive(ctx, sessionId);
  const { id, status } = (await subscriptionsOf(ctx))[0] ?? t.fail();
  t.is(status, 'canceled');
  t.deepEqual(await recorded(ctx, id), ['subscription.created', 'subscription.canceled']);
});

test.serial('a snapshot of one subscription does not date another of the same store', async (t) => {
  const { ctx } = t.context;
  const begun = [await beginSubscription(ctx), await beginSubscription(ctx)];
  for (const { sessionId, subscriptionId } of begun) {
    paid(sessionId, { subscriptionId });
    await receive(ctx, sessionId);
  }
  const [one, other] = begun.map(({ subscriptionId }) => subscriptionId);
  const known = payments.subscriptions.get(one ?? '') ?? t.fail();
  payments.subscriptions.set(one ?? '', { ...known, state: 'past_due' });
  const account = await openAccount(ctx);
  const earlier = (await fetchSnapshot(ctx, account, 'subscription', one ?? '')) ?? t.fail();
  const later = (await fetchSnapshot(ctx, account, 'subscription', other ?? '')) ?? t.fail();
  for (const snapshot of [later, earlier]) await transact(ctx, (ctx) => applySnapshot(ctx, snapshot));
  const seen = (await subscriptionsOf(ctx)).find(({ paymentSubscriptionId }) => paymentSubscriptionId === one);
  t.is(seen?.status, 'past_due');
});

test.serial('a subscription is mirrored once its order is paid', async (t) => {
  const { ctx } = t.context;
  const { sessionId, subscriptionId } = await beginSubscription(ctx);
  const notify = () => receive(ctx, subscriptionId, { type: 'customer.subscription.updated', subject: 'subscription' });
  await notify();
  t.deepEqual(await subscriptionsOf(ctx), []);
  const mismatched = await beginSubscription(ctx);
  paid(mismatched.sessionId, { subscriptionId: mismatched.subscriptionId, totalCents: 1 });
  await receive(ctx, mismatched.sessionId);
  t.like(await orderOf(ctx, mismatched.orderId), { status: 'pending', attentionCode: 'amount_mismatch' });
  t.deepEqual(await subscriptionsOf(ctx), []);
  paid(sessionId, { subscriptionId });
  await receive(ctx, sessionId);
  await notify();
  t.like(await subscriptionsOf(ctx), only({ paymentSubscriptionId: subscriptionId, status: 'active' }));

  const known = payments.subscriptions.get(subscriptionId);
  if (!known) return t.fail();
  for (const state of ['canceled', 'active'] as const) {
    payments.subscriptions.set(subscriptionId, { ...known, state });
    await notify();
    t.like(await subscriptionsOf(ctx), only({ status: 'canceled' }), `${state} there`);
  }
});

test.serial('the payment of a period whose order is not made yet changes no other order', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  paid(sessionId);
  await receive(ctx, sessionId);
  payments.setPayment({ paymentId: 'pi_next', invoiceId: 'in_next', orderId, tenantId: ctx.tenant.id }, 'ch_next');
  await receive(ctx, 'ch_next', { type: 'charge.refunded', subject: 'payment' });
  t.is((await eventStates(ctx)).at(-1), 'pending', 'until the invoice has made its order');
  t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: null, refundedCents: 0 });
});

test.serial('a refund that the provider takes back flags the order', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId } = await buy(ctx);
  paid(sessionId);
  await receive(ctx, sessionId);
  await receivePayment(ctx, orderId, { refundedCents: 1000 });
  t.like(await orderOf(ctx, orderId), { refundedCents: 1000, attentionCode: null });
  await receivePayment(ctx, orderId, { refundedCents: 0 });
  t.like(await orderOf(ctx, orderId), { refundedCents: 0, attentionCode: 'refund_failed' });
});

test.serial('a paid period without own items creates no order and flags the first one', async (t) => {
  const { ctx } = t.context;
  const { orderId, sessionId, subscriptionId, invoice } = await beginSubscription(ctx);
  paid(sessionId, { subscriptionId });
  await receive(ctx, sessionId);
  payments.invoices.set('in_difference', { ...invoice, invoiceId: 'in_difference', cause: 'renewal', lines: [] });
  await receive(ctx, 'in_difference', { type: 'invoice.paid', subject: 'invoice' });
  const theirs = {
    ...invoice,
    cause: 'renewal' as const,
    lines: [{ itemId: 'si_theirs', quantity: 1, amountCents: 3400, discountCents: 0 }],
  };
  payments.invoices.set('in_free', { ...theirs, invoiceId: 'in_free', totalCents: 0 });
  await receive(ctx, 'in_free', invoicePaid);
  t.is((await orderOf(ctx, orderId)).attentionCode, null);
  payments.invoices.set('in_theirs', { ...theirs, invoiceId: 'in_theirs' });
  await receive(ctx, 'in_theirs', { type: 'invoice.paid', subject: 'invoice' });
  t.is((await orderOf(ctx, orderId)).attentionCode, 'renewal_unknown');
});

test.serial('the items of a discounted renewal add up to its totals', async (t) => {
  const { ctx } = t.context;
  const { sessionId, subscriptionId, invoice } = await beginSubscription(ctx);
  const subscription = payments.subscriptions.get(subscriptionId);
  const [item] = subscription?.items ?? [];
  if (!subscription || !item) throw new Error('There is no subscription.');
  const items = [
    item,
    { ...item, itemId: 'si_quarter', interval: 'quarter' as const },
    { ...item, itemId: 'si_shipping', productId: 'shipping', variantId: null },
  ];
  payments.subscriptions.set(subscriptionId, { ...subscription, items });
  paid(sessionId, { subscriptionId });
  await receive(ctx, sessionId);
  // A price with a part of a cent is rounded with the quantity.
  for (const [share, quantity] of [0, 1, 0.5, 0.333].flatMap((share) => [[share, 1] as const, [share, 3] as const])) {
    const lines = [3400, 9701, 599].map((amountCents, index) => ({
      itemId: items[index]?.itemId ?? '',
      quantity,
      amountCents,
      discountCents: Math.floor(amountCents * share),
    }));
    const totalCents = lines.reduce((sum, line) => sum + line.amountCents - line.discountCents, 88);
    const invoiceId = `in_${randomText(14)}`;
    const renewal = { ...invoice, invoiceId, cause: 'renewal' as const, lines, taxCents: 88, totalCents };
    payments.invoices.set(invoiceId, renewal);
    await receive(ctx, invoiceId, { type: 'invoice.paid', subject: 'invoice' });
    const [made] = await read<{ orderId: string }>(
      ctx,
      sql`select order_id as "orderId" from payment_invoices where tenant_id = ${ctx.tenant.id} and id = ${invoiceId}`,
    );
    const view = await readOrder(ctx, made?.orderId ?? '');
    if (!view) throw new Error('The renewal has no order.');
    const goods = view.items.reduce((sum, { total_cents }) => sum + total_cents, 0);
    t.is(goods, view.subtotal_cents - view.discount_cents, `${share}`);
    t.is(goods + view.shipping_cents + view.tax_cents, view.total_cents, `${share}`);
    t.is(view.total_cents, totalCents);
  }
});
