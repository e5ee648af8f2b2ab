import anyTest, { type TestFn } from 'ava';

import * as jobs from '#jobs/labels.ts';
import { read, transact } from '#src/database/transact.ts';
import { exportKindOf } from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import { lockOrder, readOrder, saveOrder } from '#src/domain/orders/index.ts';
import type { OrderStatus } from '#src/domain/orders/order.ts';
import { approveReturn, closeReturn, requestReturn } from '#src/domain/returns/index.ts';
import {
  checkPurchases,
  enqueueLabelRefund,
  failLabelRefund,
  markFulfilled,
  readLabel,
  reconcileTracking,
  refundUnusedLabel,
  requestLabelAgain,
  retryLabel,
  voidLabel,
} from '#src/domain/shipping/index.ts';
import { days, minutes } from '#src/lib/duration.ts';
import { DomainError, ManualActionRequired, ProviderError, Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import type { GivenOrder } from '#test/support/factories/orders.ts';
import { buildReturn } from '#test/support/factories/returns.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { denial, rejection, silence } from '#test/support/fakes/shipping-gateway.ts';
import { only } from '#test/support/only.ts';
import { until } from '#test/support/until.ts';
import { Crash, crashingClock, labelOf, orderOf, request, run, runToEnd, trackingsOf, withFake } from './support.ts';

/*
 * A void that was begun is completed, whichever process dies.
 */

const test = anyTest as TestFn<TestContext>;
useContext(test);

const conflict = (code: string) => ({ instanceOf: DomainError, code });

async function bought(base: Context, given?: GivenOrder) {
  const fake = withFake(base);
  await buildShippingAccount(fake.ctx);
  const requested = await request(fake.ctx, given);
  await run(fake.ctx, requested.order.id);
  return { ...fake, ...requested };
}

async function finish(ctx: Context): Promise<void> {
  for (const payload of await enqueuedJobs(ctx, jobs.finishVoid)) await refundUnusedLabel(ctx, payload);
}

test('voidLabel refunds the label, and the order can have another', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  await run(ctx, order.id);
  shipping.throws.refund = [silence(), rejection()];
  await t.throwsAsync(voidLabel(ctx, { labelId }), { instanceOf: DomainError, code: 'shipping_provider_unavailable' });
  await t.throwsAsync(voidLabel(ctx, { labelId }), conflict('label_not_voidable'));
  t.deepEqual(await recorded(ctx, labelId), ['label.purchased']);
  await voidLabel(ctx, { labelId });
  t.like(await readLabel(ctx, labelId), { state: 'voided', label_url: null });
  t.deepEqual(await recorded(ctx, labelId), ['label.purchased', 'label.voided']);
  t.deepEqual(await recorded(ctx, order.id), [], 'the events of its label say that it has a parcel, then none');
  t.like(await orderOf(ctx, order.id), { fulfillment: 'unfulfilled', labels: [] });
  t.is(shipping.bought().length, 0);

  await requestLabelAgain(ctx, { orderId: order.id });
  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  t.is(shipping.bought().length, 1);
  await t.throwsAsync(requestLabelAgain(ctx, { orderId: order.id }), conflict('label_purchased'));
});

test('a label is voided although its order was sent in another parcel, but not once its own has moved', async (t) => {
  const [instead, itself, both] = [
    await bought(t.context.ctx),
    await bought(t.context.ctx),
    await bought(t.context.ctx),
  ];
  const ownNumber = async ({ ctx, order }: typeof both) => (await labelOf(ctx, order.id)).trackingNumber ?? '';
  const send = ({ ctx, order }: typeof both, number: string) =>
    markFulfilled(ctx, { orderId: order.id, carrier: 'USPS', trackingNumber: number });

  await send(instead, '9400100000000000000001');
  await voidLabel(instead.ctx, instead);
  t.is(instead.shipping.bought().length, 0);
  t.like(await orderOf(instead.ctx, instead.order.id), {
    fulfillment: 'shipped',
    labels: only({ tracking_number: '9400100000000000000001' }),
  });

  await send(itself, await ownNumber(itself));
  await t.throwsAsync(voidLabel(itself.ctx, itself), conflict('label_not_voidable'));

  await send(both, '9400100000000000000002');
  both.shipping.tracking.set(await ownNumber(both), { status: 'transit', at: null });
  for (const { id } of await trackingsOf(both.ctx, both.order.id))
    await reconcileTracking(both.ctx, { trackingId: id });
  await t.throwsAsync(voidLabel(both.ctx, both), conflict('label_not_voidable'));
});

test('voidLabel that crashes at any point is completed once', async (t) => {
  let deaths = 0;
  for (let lookup = 1; lookup <= 30; lookup += 1) {
    const { ctx, shipping, clock, order, labelId } = await bought(t.context.ctx);
    const died = await voidLabel({ ...ctx, clock: crashingClock(clock, lookup) }, { labelId }).then(
      () => false,
      (error: unknown) => {
        if (error instanceof Crash) return true;
        throw error;
      },
    );
    clock.pass(minutes(2));
    const wasBegun = (await enqueuedJobs(ctx, jobs.finishVoid)).length > 0;
    await finish(ctx);
    await finish(ctx);
    const isVoided = (await labelOf(ctx, order.id)).state === 'voided';
    t.is(isVoided, wasBegun, `killed at ${lookup}: what was begun is finished, and nothing else`);
    t.is(shipping.bought().length, isVoided ? 0 : 1);
    t.like(
      await orderOf(ctx, order.id),
      isVoided ? { fulfillment: 'unfulfilled', labels: [] } : { fulfillment: 'label_purchased' },
    );
    if (!died) break;
    deaths += 1;
  }
  t.true(deaths >= 5);
});

test("a void whose process is frozen after the provider's refund is completed once, by a job", async (t) => {
  const { ctx, shipping, clock, order, labelId } = await bought(t.context.ctx);
  const refund = shipping.refundPurchase.bind(shipping);
  const thaw = Promise.withResolvers<void>();
  const frozen = {
    ...ctx,
    ports: {
      ...ctx.ports,
      shipping: {
        ...shipping,
        async refundPurchase(...given: Parameters<typeof refund>) {
          await refund(...given);
          await thaw.promise;
        },
      },
    },
  };
  const slow = voidLabel(frozen, { labelId });
  while (shipping.refunded.length === 0) await new Promise(setImmediate);

  await t.throwsAsync(finish(ctx), { instanceOf: Snooze }, 'he may only be slow');
  t.is(await run(ctx, order.id), 'done', 'nobody brings it on meanwhile');
  clock.pass(minutes(2));
  await finish(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
  t.like(await orderOf(ctx, order.id), { fulfillment: 'unfulfilled', labels: [], attention: null });

  await requestLabelAgain(ctx, { orderId: order.id });
  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  thaw.resolve();
  await t.throwsAsync(slow, { instanceOf: DomainError });
  t.is((await orderOf(ctx, order.id)).fulfillment, 'label_purchased', 'the next label is not taken for the voided one');
  t.deepEqual(await recorded(ctx, labelId), ['label.purchased', 'label.voided']);
});

test('a void that another process took over leaves the lease to that one when its own refund fails', async (t) => {
  const { ctx, shipping, clock, order, labelId } = await bought(t.context.ctx);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let refunds = 0;
  async function refundPurchase() {
    refunds += 1;
    await (refunds === 1 ? first : second).promise;
  }
  const frozen = { ...ctx, ports: { ...ctx.ports, shipping: { ...shipping, refundPurchase } } };
  const slow = voidLabel(frozen, { labelId });
  await until(() => refunds === 1, { what: 'the first refund' });
  clock.pass(minutes(2));
  const other = finish(frozen);
  await until(() => refunds === 2, { what: 'the second refund' });
  first.reject(rejection());
  await t.throwsAsync(slow, { instanceOf: DomainError });
  t.not((await labelOf(ctx, order.id)).leaseExpiresAt, null);
  second.resolve();
  await other;
  t.is((await labelOf(ctx, order.id)).state, 'voided');
});

test('a void is retried by its job after the provider was unavailable', async (t) => {
  const { ctx, shipping, order, labelId } = await bought(t.context.ctx);
  shipping.throws.refund = [silence(), silence()];
  t.truthy((await readLabel(ctx, labelId))?.label_url);
  await t.throwsAsync(voidLabel(ctx, { labelId }), { instanceOf: DomainError, code: 'shipping_provider_unavailable' });
  t.like(await readLabel(ctx, labelId), { state: 'purchased', label_url: null }, 'it is not to be used any more');
  await t.throwsAsync(finish(ctx), { instanceOf: ProviderError });
  await finish(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
  t.is(shipping.bought().length, 0);
});

test('a label whose refund is rejected stays with its order, which is flagged', async (t) => {
  const { ctx, shipping, order, labelId } = await bought(t.context.ctx);
  shipping.throws.refund = [silence(), rejection()];
  await t.throwsAsync(voidLabel(ctx, { labelId }), { instanceOf: DomainError });
  await t.throwsAsync(finish(ctx), {
    instanceOf: ManualActionRequired,
    message: new RegExp(`^${order.orderNumber}: label_not_refunded\\.`),
  });
  await finish(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
  t.like(await orderOf(ctx, order.id), { fulfillment: 'label_purchased', attention: 'label_not_refunded' });
});

test('a refund that the provider rejects after the label was voided is flagged, and reversed in the journal', async (t) => {
  const { ctx, shipping, order, labelId } = await bought(t.context.ctx);
  const [purchase] = shipping.bought();
  await voidLabel(ctx, { labelId });
  shipping.amend(purchase?.id ?? '', 'refund_rejected');
  for (const number of [0, 0]) await checkPurchases(ctx, { labelId, number });
  t.is((await orderOf(ctx, order.id)).attention, 'label_not_refunded');
  const journal = exportKindOf({ kind: 'journal' }).select(ctx, { from: null, to: null });
  const entries = await read<{ account: string; amount_cents: number }>(ctx, journal);
  const refunds = entries.filter(({ account }) => account === 'label_refunds').map(({ amount_cents: cents }) => cents);
  t.is(refunds.length, 2);
  t.is(refunds[0], -(refunds[1] ?? 0));
});

test('whether the provider refunded a voided label is checked a day later', async (t) => {
  const voided = await bought(t.context.ctx);
  const { ctx, clock } = voided;
  const voidedAt = clock.now().getTime();
  await voidLabel(ctx, { labelId: voided.labelId });
  const [row] = await read<{ at: Date }>(
    ctx,
    sql`select recheck_at as at from labels where tenant_id = ${ctx.tenant.id} and id = ${voided.labelId}`,
  );
  const waitMs = (row?.at.getTime() ?? 0) - voidedAt;
  t.true(waitMs >= days(1) && waitMs < days(1) + minutes(1), `${waitMs} ms`);
});

test('failLabelRefund flags the order', async (t) => {
  const { ctx, order, labelId } = await bought(t.context.ctx);
  await failLabelRefund(ctx, { labelId });
  t.is((await orderOf(ctx, order.id)).attention, 'label_not_refunded');
});

/** All of its money goes back, as the payments say it. */
async function refund(ctx: Context, orderId: string, status: OrderStatus = 'refunded'): Promise<void> {
  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (!order) throw new Error('There is no such order.');
    order.moveTo(status);
    if (status === 'refunded') await enqueueLabelRefund(ctx, order);
    await saveOrder(ctx, order);
  });
}

async function runLabelRefunds(ctx: Context): Promise<void> {
  for (const payload of await enqueuedJobs(ctx, jobs.refundUnusedLabel)) await refundUnusedLabel(ctx, payload);
}

test('the label of a refunded order is voided once, with an audit entry', async (t) => {
  const { ctx, shipping, order, labelId } = await bought(t.context.ctx);
  await refund(ctx, order.id);
  await runLabelRefunds(ctx);
  await runLabelRefunds(ctx);
  t.is(shipping.bought().length, 0);
  t.is(shipping.refunded.length, 1);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
  t.like(await orderOf(ctx, order.id), { status: 'refunded', fulfillment: 'unfulfilled', labels: [], attention: null });
  t.deepEqual(
    await read(ctx, sql`select action from audit_log where tenant_id = ${ctx.tenant.id} and subject_id = ${order.id}`),
    [{ action: 'label.voided' }],
  );
  t.is(await run(ctx, order.id, 1), 'done');
  t.is((await enqueuedJobs(ctx, jobs.refundUnusedLabel)).filter((payload) => payload.labelId === labelId).length, 1);
});

test('a label that was not bought is skipped when its order is refunded, without a call to the provider', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const [queued, stuck] = [await request(ctx), await request(ctx, { address: { street1: null } })];
  await run(ctx, stuck.order.id);
  for (const { order } of [queued, stuck]) await refund(ctx, order.id);
  await runLabelRefunds(ctx);
  t.deepEqual(await recorded(ctx, stuck.labelId), ['label.needs_attention', 'label.skipped']);
  for (const { order } of [queued, stuck]) {
    t.like(await labelOf(ctx, order.id), { state: 'skipped', reason: 'not_required' });
    t.like(await orderOf(ctx, order.id), { fulfillment: 'unfulfilled', attention: null });
    t.is(await run(ctx, order.id), 'done');
  }
  t.deepEqual(shipping.calls, []);
});

test('a label that is bought while its order is refunded is voided', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  const buyLabel = shipping.buyLabel.bind(shipping);
  const during = {
    ...shipping,
    async buyLabel(...given: Parameters<typeof buyLabel>) {
      await refund(ctx, order.id);
      await t.throwsAsync(runLabelRefunds(ctx), { instanceOf: Snooze }, 'a run holds it');
      return buyLabel(...given);
    },
  };
  t.is(await run({ ...ctx, ports: { ...ctx.ports, shipping: during } }, order.id), 'done');
  t.is(shipping.bought().length, 1);
  await runLabelRefunds(ctx);
  t.is(shipping.bought().length, 0);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
});

test('an open purchase of a refunded order is voided when it turns up', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = ['sells silently'];
  shipping.throws.lookup = [silence()];
  await run(ctx, order.id);
  await refund(ctx, order.id);
  await runLabelRefunds(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'buying', 'whether there is one is not known yet');
  clock.pass(10 * 60_000);
  await run(ctx, order.id);
  await runLabelRefunds(ctx);
  t.is(shipping.bought().length, 0);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
});

test('a retry looks up the open purchase of a refunded order, which is then voided', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  shipping.nextPurchases = ['sells silently'];
  shipping.throws.lookup = Array.from({ length: 9 }, () => silence());
  t.is((await runToEnd(ctx, clock, order.id)).reason, 'outcome_unknown');
  await refund(ctx, order.id);
  await runLabelRefunds(ctx);
  shipping.throws.lookup = [];
  await retryLabel(ctx, { labelId });
  await run(ctx, order.id);
  await runLabelRefunds(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
  await t.throwsAsync(retryLabel(ctx, { labelId }), { instanceOf: DomainError, code: 'order_not_shippable' });
});

/** The shopper requests the return of everything, and the owner approves it. */
async function approveAll(ctx: Context, orderId: string): Promise<string> {
  const order = await readOrder(ctx, orderId);
  const { id: returnId } = await buildReturn(ctx, order);
  await approveReturn(ctx, { returnId });
  return returnId;
}

test('the label of an order is voided once the return of all of it is approved, and not of a part', async (t) => {
  const fake = withFake(t.context.ctx);
  const { ctx, shipping } = fake;
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx, { email: 'ada@example.com', items: [{ quantity: 2 }, {}] });
  await run(ctx, order.id);
  for (const { id, quantity } of (await readOrder(ctx, order.id))?.items ?? []) {
    await runLabelRefunds(ctx);
    t.is((await labelOf(ctx, order.id)).state, 'purchased', 'the rest is sent');
    const items = [{ order_item_id: id, quantity }];
    const { orderNumber } = order;
    const { id: returnId } = await requestReturn(ctx, { orderNumber, email: 'ada@example.com', items });
    await approveReturn(ctx, { returnId });
  }
  await runLabelRefunds(ctx);
  await runLabelRefunds(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
  t.is(shipping.refunded.length, 1);
  t.deepEqual(await recorded(ctx, labelId), ['label.purchased', 'label.voided']);
  t.like(await orderOf(ctx, order.id), { status: 'paid', fulfillment: 'unfulfilled', labels: [], attention: null });
});

test('a label that needs attention is skipped once the return of its order is approved', async (t) => {
  const { ctx } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx, { email: 'ada@example.com', address: { street1: null } });
  await run(ctx, order.id);
  await approveAll(ctx, order.id);
  await runLabelRefunds(ctx);
  t.like(await labelOf(ctx, order.id), { state: 'skipped', reason: 'not_required' });
  t.like(await orderOf(ctx, order.id), { fulfillment: 'unfulfilled', attention: null });
});

test('an open purchase of a returned order is voided when it turns up', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx, { email: 'ada@example.com' });
  shipping.nextPurchases = ['sells silently'];
  shipping.throws.lookup = [silence()];
  await run(ctx, order.id);
  await approveAll(ctx, order.id);
  await runLabelRefunds(ctx);
  clock.pass(minutes(10));
  await run(ctx, order.id);
  await runLabelRefunds(ctx);
  t.is(shipping.bought().length, 0);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
});

test('a return that is given up leaves the label, and the next one that is approved voids it', async (t) => {
  const { ctx, order } = await bought(t.context.ctx, { email: 'ada@example.com' });
  await closeReturn(ctx, { returnId: await approveAll(ctx, order.id) });
  await runLabelRefunds(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
  await approveAll(ctx, order.id);
  await runLabelRefunds(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
});

test('the label of an order that was shipped is kept when its return is approved', async (t) => {
  const { ctx, order } = await bought(t.context.ctx, { email: 'ada@example.com' });
  const { trackingNumber } = await labelOf(ctx, order.id);
  await markFulfilled(ctx, { orderId: order.id, carrier: 'USPS', trackingNumber: trackingNumber ?? '' });
  await approveAll(ctx, order.id);
  await runLabelRefunds(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
});

test('refundUnusedLabel leaves the label of an order that was shipped or paid after all', async (t) => {
  const { ctx, shipping, order } = await bought(t.context.ctx);
  await refund(ctx, order.id);
  await refund(ctx, order.id, 'paid');
  await runLabelRefunds(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'purchased', 'the refund failed at the bank');

  await transact(ctx, async (ctx) => {
    const locked = await lockOrder(ctx, order.id);
    locked?.moveFulfillmentTo('shipped');
    if (locked) locked.shippedAt = ctx.clock.now();
  });
  await refund(ctx, order.id);
  await runLabelRefunds(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
  t.deepEqual(shipping.refunded, []);
});

for (const [circumstance, isOpen] of [
  ['that is not bought', false],
  ['whose open purchase turns out not to exist', true],
] as const) {
  test(`a label ${circumstance} is bought only on request where the refund of its order failed`, async (t) => {
    const { ctx, shipping, clock } = withFake(t.context.ctx);
    await buildShippingAccount(ctx);
    const { order, labelId } = await request(ctx);
    shipping.nextPurchases = ['is silent'];
    if (isOpen) await run(ctx, order.id);
    await refund(ctx, order.id);
    await refund(ctx, order.id, 'paid');
    await runLabelRefunds(ctx);
    t.is((await runToEnd(ctx, clock, order.id)).state, 'skipped');
    t.is(shipping.bought().length, 0);
    await retryLabel(ctx, { labelId });
    t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  });
}

test('refundUnusedLabel retries an unavailable provider, and flags a rejected refund', async (t) => {
  const { ctx, shipping, clock, order } = await bought(t.context.ctx);
  await refund(ctx, order.id);
  shipping.throws.refund = [silence(), denial(), rejection()];
  await t.throwsAsync(runLabelRefunds(ctx), { message: /did not respond/ });
  await t.throwsAsync(runLabelRefunds(ctx), { instanceOf: Snooze });
  clock.pass(1);
  await t.throwsAsync(runLabelRefunds(ctx), {
    instanceOf: ManualActionRequired,
    message: new RegExp(`^${order.orderNumber}: label_not_refunded\\. `),
  });
  t.like(await orderOf(ctx, order.id), { attention: 'label_not_refunded', fulfillment: 'label_purchased' });
  await runLabelRefunds(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
});
