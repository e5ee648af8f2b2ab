import anyTest, { type ExecutionContext, type TestFn } from 'ava';

import * as jobs from '#jobs/labels.ts';
import { read, transact } from '#src/database/transact.ts';
import { dismissAttention } from '#src/domain/backoffice/index.ts';
import { exportKindOf } from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import { lockOrder, orderForShipping, readOrder } from '#src/domain/orders/index.ts';
import type { LabelPurchase } from '#src/domain/ports/shipping-gateway.ts';
import {
  acknowledgeDuplicate,
  cancelShipment,
  checkPurchases,
  correctTracking,
  markFulfilled,
  pollTrackings,
  processNotification,
  receiveNotification,
  reconcileTracking,
  refundDuplicate,
  requestLabelAgain,
  retryLabel,
  sweepLabels,
  voidLabel,
} from '#src/domain/shipping/index.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { ManualActionRequired, ProviderError, Snooze } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { busy, denial, type FakeShipping, rejection, silence } from '#test/support/fakes/shipping-gateway.ts';
import { interleave } from '#test/support/interleave.ts';
import { only } from '#test/support/only.ts';
import { labelOf, orderOf, rateIdOf, request, run, runToEnd, trackingsOf, withFake } from './support.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

// What sweeps every store is serial: a sweep of one test takes the rows of all.

async function shipped(base: Context) {
  const fake = withFake(base);
  await buildShippingAccount(fake.ctx);
  const { order, labelId } = await request(fake.ctx);
  await run(fake.ctx, order.id);
  const { trackingNumber } = await labelOf(fake.ctx, order.id);
  const [tracking] = await trackingsOf(fake.ctx, order.id);
  return { ...fake, order, labelId, trackingNumber: trackingNumber ?? '', trackingId: tracking?.id ?? '' };
}

const mailsAbout = async (ctx: Context, subjectId: string) =>
  (
    await read<{ kind: string }>(
      ctx,
      sql`select kind from mails where tenant_id = ${ctx.tenant.id} and subject_id = ${subjectId}`,
    )
  ).map(({ kind }) => kind);

/** The most urgent attention of an order. */
async function attentionOf(ctx: Context, orderId: string): Promise<unknown> {
  const [row] = await read<{ attention: unknown }>(
    ctx,
    sql`select attentions -> 0 as attention from orders where tenant_id = ${ctx.tenant.id} and id = ${orderId}`,
  );
  return row?.attention ?? undefined;
}

/** Run what notifications of the provider enqueued. */
async function processNotifications(ctx: Context): Promise<void> {
  for (const notification of await enqueuedJobs(ctx, jobs.processNotification))
    await processNotification(ctx, notification);
}

/** The provider notifies the store of a purchase. */
async function notify(ctx: Context, event: string, data: { object_id: string; status?: string }): Promise<void> {
  await receiveNotification(ctx, { event, data });
  await processNotifications(ctx);
}

async function checkAllPurchases(ctx: Context): Promise<void> {
  for (const check of await enqueuedJobs(ctx, jobs.checkPurchases)) await checkPurchases(ctx, check);
}

async function refundDuplicates(ctx: Context): Promise<void> {
  for (const duplicate of await enqueuedJobs(ctx, jobs.refundDuplicate)) await refundDuplicate(ctx, duplicate);
}

/** Buy a label once more, at the same rate. */
function buyAgain(ctx: Context, shipping: FakeShipping, labelId: string, buyNumber: number): Promise<LabelPurchase> {
  const { rateId, marker } = shipping.bought()[0] ?? {};
  const again = marker?.replace(`${labelId}:1`, `${labelId}:${buyNumber}`) ?? '';
  return shipping.buyLabel({ tenantId: ctx.tenant.id, apiKey: '' }, { rateId: rateId ?? '', marker: again });
}

const hintOf = (trackingNumber: string, status: string) => ({
  event: 'track_updated',
  data: {
    tracking_number: trackingNumber,
    carrier: 'usps',
    tracking_status: { status, status_date: '2026-11-20T10:00:00Z' },
  },
});

test('a parcel that moves although its order was refunded ships the order and flags it', async (t) => {
  const { ctx, shipping, order, labelId, trackingNumber, trackingId } = await shipped(t.context.ctx);
  await transact(ctx, async (ctx) => (await lockOrder(ctx, order.id))?.moveTo('refunded'));
  await voidLabel(ctx, { labelId });
  shipping.tracking.set(trackingNumber, { status: 'transit', at: ctx.clock.now() });
  for (const _ of [1, 2]) await reconcileTracking(ctx, { trackingId });
  t.like(await orderOf(ctx, order.id), {
    status: 'refunded',
    fulfillment: 'shipped',
    attention: 'shipped_after_refund',
    labels: only({ tracking_number: trackingNumber, status: 'transit' }),
  });
});

test('the first movement of a parcel ships its order, once', async (t) => {
  const { ctx, shipping, order, trackingNumber, trackingId } = await shipped(t.context.ctx);
  await reconcileTracking(ctx, { trackingId });
  t.is((await orderOf(ctx, order.id)).fulfillment, 'label_purchased');

  shipping.tracking.set(trackingNumber, { status: 'transit', at: ctx.clock.now() });
  await reconcileTracking(ctx, { trackingId });
  await reconcileTracking(ctx, { trackingId });
  t.like(await orderOf(ctx, order.id), {
    fulfillment: 'shipped',
    labels: only({ tracking_number: trackingNumber, status: 'transit' }),
  });

  shipping.tracking.set(trackingNumber, { status: 'delivered', at: ctx.clock.now() });
  await reconcileTracking(ctx, { trackingId });
  shipping.tracking.set(trackingNumber, { status: 'transit', at: ctx.clock.now() });
  await reconcileTracking(ctx, { trackingId });
  t.like(await orderOf(ctx, order.id), { fulfillment: 'delivered', labels: only({ status: 'delivered' }) });
  t.is((await trackingsOf(ctx, order.id))[0]?.status, 'delivered', 'a parcel does not go back');
  t.deepEqual(await recorded(ctx, order.id), ['order.shipped', 'order.delivered']);
  t.deepEqual(await mailsAbout(ctx, order.id), ['shipped'], 'the shopper is notified once');
  t.is((await trackingsOf(ctx, order.id))[0]?.nextPollAt, null);
});

test('a parcel whose first update is its delivery was shipped too', async (t) => {
  for (const [status, fulfillment, events] of [
    ['delivered', 'delivered', ['order.shipped', 'order.delivered']],
    ['returned', 'returned', ['order.shipped']],
    ['failure', 'exception', ['order.shipped']],
  ] as const) {
    const { ctx, shipping, order, trackingNumber, trackingId } = await shipped(t.context.ctx);
    shipping.tracking.set(trackingNumber, { status, at: null });
    await reconcileTracking(ctx, { trackingId });
    t.is((await orderOf(ctx, order.id)).fulfillment, fulfillment);
    t.deepEqual(await recorded(ctx, order.id), events);
  }
});

test('a parcel that does not arrive flags its order once, until it arrives after all', async (t) => {
  const { ctx, shipping, order, trackingNumber, trackingId } = await shipped(t.context.ctx);
  const report = async (status: 'failure' | 'returned') => {
    shipping.tracking.set(trackingNumber, { status, at: ctx.clock.now() });
    await reconcileTracking(ctx, { trackingId });
    return attentionOf(ctx, order.id);
  };
  t.deepEqual(await report('failure'), {
    code: 'parcel_failed',
    detail: `The carrier could not deliver the parcel ${trackingNumber}.`,
  });
  await dismissAttention(ctx, { orderId: order.id, code: 'parcel_failed' });
  t.is(await report('failure'), undefined, 'a person has acknowledged it');
  t.deepEqual(await report('returned'), {
    code: 'parcel_returned',
    detail: `The carrier returned the parcel ${trackingNumber} to its sender.`,
  });

  const arriving = await shipped(t.context.ctx);
  for (const status of ['failure', 'delivered'] as const) {
    arriving.shipping.tracking.set(arriving.trackingNumber, { status, at: null });
    await reconcileTracking(arriving.ctx, { trackingId: arriving.trackingId });
    t.is((await orderOf(ctx, arriving.order.id)).attention, status === 'failure' ? 'parcel_failed' : null);
  }
});

test('of an order that was refunded in full only a parcel that comes back is flagged', async (t) => {
  const { ctx, shipping, order, trackingNumber, trackingId } = await shipped(t.context.ctx);
  const codes: unknown[] = [];
  for (const status of ['transit', 'failure', 'returned'] as const) {
    shipping.tracking.set(trackingNumber, { status, at: null });
    await reconcileTracking(ctx, { trackingId });
    codes.push((await orderOf(ctx, order.id)).attention);
    await transact(ctx, async (ctx) => {
      const locked = await lockOrder(ctx, order.id);
      if (locked?.status === 'paid') locked.moveTo('refunded');
    });
  }
  t.deepEqual(codes, [null, null, 'parcel_returned']);
});

test.serial('a parcel that is on its way for three weeks flags its order once', async (t) => {
  const { ctx, clock, shipping, order, trackingNumber, trackingId } = await shipped(t.context.ctx);
  const attentionAfter = async (ms: number) => {
    clock.pass(ms);
    await reconcileTracking(ctx, { trackingId });
    return (await orderOf(ctx, order.id)).attention;
  };
  t.is(await attentionAfter(days(30)), null, 'it waits to be packed');
  shipping.tracking.set(trackingNumber, { status: 'transit', at: clock.now() });
  t.is(await attentionAfter(0), null);
  t.is(await attentionAfter(days(21) - minutes(1)), null);
  t.is(await attentionAfter(minutes(1)), 'parcel_overdue');
  await dismissAttention(ctx, { orderId: order.id, code: 'parcel_overdue' });
  t.is(await attentionAfter(days(1)), null);
  shipping.tracking.set(trackingNumber, { status: 'delivered', at: clock.now() });
  t.is(await attentionAfter(0), null);
});

test.serial(
  'a parcel by hand of which the carrier knows nothing is overdue, unless its number is corrected',
  async (t) => {
    const { ctx, clock, shipping } = withFake(t.context.ctx);
    await buildShippingAccount(ctx);
    const ship = async (trackingNumber: string) => {
      const { order } = await request(ctx, { address: { country: 'CA' } });
      await markFulfilled(ctx, { orderId: order.id, carrier: 'USPS', trackingNumber });
      return order.id;
    };
    const [unknown, mistyped, untracked] = await Promise.all(['9100000011', '9100000012', '9100000013'].map(ship));
    shipping.tracking.set('9100000011', { status: 'unknown', at: null });
    shipping.tracking.set('9100000012', { status: 'pre_transit', at: null });
    const attentions = async () => {
      shipping.throws.track = [];
      for (const orderId of [unknown, mistyped, untracked]) {
        if (orderId === untracked) shipping.throws.track = [rejection()];
        for (const { id } of await trackingsOf(ctx, orderId ?? '')) await reconcileTracking(ctx, { trackingId: id });
      }
      return Promise.all([unknown, mistyped, untracked].map(async (id) => (await orderOf(ctx, id ?? '')).attention));
    };
    t.deepEqual(await attentions(), [null, null, null]);
    clock.pass(days(21));
    t.deepEqual(await attentions(), ['parcel_overdue', 'parcel_overdue', null]);
    shipping.tracking.set('9100000011', { status: 'transit', at: clock.now() });
    t.deepEqual(await attentions(), [null, 'parcel_overdue', null], 'it moves at last');
    clock.pass(days(21));
    t.deepEqual(await attentions(), ['parcel_overdue', 'parcel_overdue', null]);

    const correction = { carrier: 'USPS', trackingNumber: '9100000014' };
    await correctTracking(ctx, { orderId: mistyped ?? '', trackingNumber: '9100000012', correction });
    t.is((await orderOf(ctx, mistyped ?? '')).attention, null);

    clock.pass(days(21));
    for (const { id } of await trackingsOf(ctx, mistyped ?? '')) await reconcileTracking(ctx, { trackingId: id });
    t.is((await orderOf(ctx, mistyped ?? '')).attention, 'parcel_overdue');
    await cancelShipment(ctx, { orderId: mistyped ?? '' });
    t.is((await orderOf(ctx, mistyped ?? '')).attention, null, 'it was never sent');
  },
);

test('goods that came back and are sent again are shipped, and delivered with the second parcel', async (t) => {
  for (const status of ['failure', 'returned'] as const) {
    for (const isFirstLast of [false, true]) {
      const { ctx, shipping, order, trackingNumber, trackingId } = await shipped(t.context.ctx);
      shipping.tracking.set(trackingNumber, { status, at: null });
      await reconcileTracking(ctx, { trackingId });
      const again = newId('trk');
      await markFulfilled(ctx, { orderId: order.id, carrier: 'USPS', trackingNumber: again });
      t.like(await orderOf(ctx, order.id), { fulfillment: 'shipped', attention: null });

      shipping.tracking.set(trackingNumber, { status: 'returned', at: null });
      shipping.tracking.set(again, { status: 'delivered', at: null });
      const second = (await trackingsOf(ctx, order.id)).find(({ id }) => id !== trackingId)?.id ?? '';
      for (const id of isFirstLast ? [second, trackingId] : [trackingId, second])
        await reconcileTracking(ctx, { trackingId: id });
      t.is(
        (await orderOf(ctx, order.id)).fulfillment,
        'delivered',
        `${status}, with its return reported ${isFirstLast ? 'last' : 'first'}`,
      );
      t.is((await recorded(ctx, order.id)).filter((type) => type === 'order.delivered').length, 1);
    }
  }
});

test('a notification causes one lookup, even if it arrives twice', async (t) => {
  const { ctx, shipping, order, trackingNumber } = await shipped(t.context.ctx);
  shipping.tracking.set(trackingNumber, { status: 'transit', at: null });
  await Promise.all([1, 2, 3].map(() => receiveNotification(ctx, hintOf(trackingNumber, 'DELIVERED'))));
  const notifications = await enqueuedJobs(ctx, jobs.processNotification);
  t.is(notifications.length, 1);
  for (const notification of [...notifications, ...notifications]) await processNotification(ctx, notification);
  t.is((await orderOf(ctx, order.id)).fulfillment, 'shipped', 'what the hint said is not believed');
  t.deepEqual(await recorded(ctx, order.id), ['order.shipped']);

  t.true(await receiveNotification(ctx, hintOf('of-nobody', 'TRANSIT')));
  await processNotifications(ctx);
  t.false(await receiveNotification(ctx, { event: 'batch_created', data: {} }));
});

test.serial('a parcel on its way is polled every six hours until it arrives', async (t) => {
  const { ctx, clock, shipping, order, trackingNumber } = await shipped(t.context.ctx);
  await pollTrackings(ctx);
  t.deepEqual(await enqueuedJobs(ctx, jobs.reconcileTracking), []);
  clock.pass(hours(6) + 1000);
  await Promise.all([pollTrackings(ctx), pollTrackings(ctx)]);
  t.is((await enqueuedJobs(ctx, jobs.reconcileTracking)).length, 1);
  clock.pass(hours(6) + 1000);
  await pollTrackings(ctx);
  const polls = await enqueuedJobs(ctx, jobs.reconcileTracking);
  t.is(polls.length, 2);
  shipping.tracking.set(trackingNumber, { status: 'delivered', at: null });
  for (const poll of polls) await reconcileTracking(ctx, poll);
  clock.pass(hours(24));
  await pollTrackings(ctx);
  t.is((await enqueuedJobs(ctx, jobs.reconcileTracking)).length, 2);
  t.is((await orderOf(ctx, order.id)).fulfillment, 'delivered');
});

test("a provider that does not respond leaves a parcel's status unchanged", async (t) => {
  const { ctx, shipping, order, trackingId } = await shipped(t.context.ctx);
  shipping.throws.track = [silence()];
  await t.throwsAsync(reconcileTracking(ctx, { trackingId }));
  shipping.throws.track = [rejection()];
  await t.notThrowsAsync(reconcileTracking(ctx, { trackingId }));
  t.is((await orderOf(ctx, order.id)).fulfillment, 'label_purchased');
});

test.serial('a second label that was bought after all is found, refunded and shown', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = [{ sellsUnseenFor: 2 }];
  const label = await runToEnd(ctx, clock, order.id);
  t.like(label, { state: 'purchased', buyNumber: 2 });
  t.is(shipping.bought().length, 2, 'the provider was too slow for both lookups');

  clock.pass(minutes(11));
  await sweepLabels(ctx);
  for (const _ of [1, 2]) await checkAllPurchases(ctx);
  const duplicates = await enqueuedJobs(ctx, jobs.refundDuplicate);
  t.is(duplicates.length, 1);
  for (const duplicate of [...duplicates, ...duplicates]) await refundDuplicate(ctx, duplicate);
  t.is(shipping.bought().length, 1);
  t.is(shipping.bought()[0]?.id, label.purchaseId ?? '');
  t.like(await orderOf(ctx, order.id), { attention: 'duplicate_voided', fulfillment: 'label_purchased' });
  t.deepEqual(await read(ctx, sql`select state from unused_labels where tenant_id = ${ctx.tenant.id}`), [
    { state: 'duplicate_voided' },
  ]);
  const journal = exportKindOf({ kind: 'journal' }).select(ctx, { from: null, to: null });
  const entries = await read<{ account: string; amount_cents: number }>(ctx, journal);
  t.deepEqual(
    entries
      .flatMap((entry) => (entry.account.startsWith('label') ? [[entry.account, entry.amount_cents]] : []))
      .toSorted(),
    [
      ['label_costs', -(label.amountCents ?? 0)],
      ['label_costs', -(label.amountCents ?? 0)],
      ['label_refunds', label.amountCents],
    ],
    'the journal has both labels, and what was returned for the second',
  );

  clock.pass(hours(30));
  await sweepLabels(ctx);
  const checks = await enqueuedJobs(ctx, jobs.checkPurchases);
  t.is(checks.length, 2);
  for (const check of checks) await checkPurchases(ctx, check);
  clock.pass(hours(30));
  await sweepLabels(ctx);
  t.is((await enqueuedJobs(ctx, jobs.checkPurchases)).length, 2);
});

/** A label whose refund the carrier has not decided, and its checks. */
async function refunding(t: ExecutionContext<TestContext>) {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  await run(ctx, order.id);
  const { purchaseId } = await labelOf(ctx, order.id);
  await voidLabel(ctx, { labelId });
  shipping.amend(purchaseId ?? '', 'refunding');
  const checksOf = async () =>
    (await enqueuedJobs(ctx, jobs.checkPurchases)).filter((check) => check.labelId === labelId);
  const checkAfter = async (milliseconds: number) => {
    clock.pass(milliseconds);
    await sweepLabels(ctx);
    const check = (await checksOf()).at(-1);
    if (check) await checkPurchases(ctx, check);
  };
  return { ctx, shipping, order, purchaseId: purchaseId ?? '', checksOf, checkAfter };
}

test.serial('the refund of a voided label is checked each day until the carrier has decided', async (t) => {
  const { ctx, shipping, order, purchaseId, checksOf, checkAfter } = await refunding(t);
  for (let day = 1; day <= 15; day += 1) await checkAfter(hours(25));
  t.is((await checksOf()).length, 15);
  t.is((await orderOf(ctx, order.id)).attention, null);

  shipping.amend(purchaseId, 'refund_rejected');
  for (const _ of [1, 2]) await checkAfter(hours(25));
  t.is((await orderOf(ctx, order.id)).attention, 'label_not_refunded');
  t.is((await checksOf()).length, 16);
});

test.serial('a refund that the carrier never decides on is checked no longer after 60 days', async (t) => {
  const { checksOf, checkAfter } = await refunding(t);
  for (const pause of [hours(25), days(60), hours(25)]) await checkAfter(pause);
  t.is((await checksOf()).length, 2);
});

test.serial(
  'a label that shows late is found at the rate that it was bought with, also when another was bought since',
  async (t) => {
    const { ctx, shipping, clock } = withFake(t.context.ctx);
    await buildShippingAccount(ctx);
    const { order } = await request(ctx);
    shipping.nextPurchases = [{ sellsUnseenFor: 2 }, { error: rejection() }];
    const label = await runToEnd(ctx, clock, order.id);
    t.like(label, { state: 'purchased', buyNumber: 3 });
    t.is(new Set(shipping.bought().map(({ rateId }) => rateId)).size, 2);

    clock.pass(minutes(11));
    await sweepLabels(ctx);
    await checkAllPurchases(ctx);
    await refundDuplicates(ctx);
    t.deepEqual(
      shipping.bought().map(({ id }) => id),
      [label.purchaseId ?? ''],
    );
  },
);

test('a second label whose refund is rejected needs attention', async (t) => {
  const { ctx, shipping, order, labelId } = await shipped(t.context.ctx);
  const second = await buyAgain(ctx, shipping, labelId, 2);
  await notify(ctx, 'transaction_created', { object_id: second.id });
  shipping.throws.refund = [silence(), rejection()];
  await t.throwsAsync(refundDuplicates(ctx), { instanceOf: ProviderError });
  await t.throwsAsync(refundDuplicates(ctx), {
    instanceOf: ManualActionRequired,
    message: new RegExp(`^${order.orderNumber}: duplicate_voided\\. `),
  });
  t.is((await orderOf(ctx, order.id)).attention, 'duplicate_voided');
  const states = () => read(ctx, sql`select state from unused_labels where tenant_id = ${ctx.tenant.id}`);
  t.deepEqual(await states(), [{ state: 'refund_refused' }]);
  await refundDuplicates(ctx);
  t.deepEqual(await states(), [{ state: 'duplicate_voided' }]);
  t.deepEqual(
    shipping.bought().map(({ marker }) => marker),
    [`${labelId}:1 ${ctx.tenant.id} ${order.orderNumber}`],
  );
});

for (const [how, lookup] of [
  [
    'notifies us',
    async (ctx: Context, { purchaseId }: { purchaseId: string }) => {
      await notify(ctx, 'transaction_updated', { object_id: purchaseId, status: 'REFUNDPENDING' });
    },
  ],
  [
    'is polled for the parcel',
    (ctx: Context, { trackingId }: { trackingId: string }) => reconcileTracking(ctx, { trackingId }),
  ],
] as const) {
  test(`a label that was voided on the provider's website is flagged once the provider ${how}`, async (t) => {
    const { ctx, shipping, clock, order, labelId, trackingId } = await shipped(t.context.ctx);
    const purchaseId = shipping.bought()[0]?.id ?? '';
    await lookup(ctx, { purchaseId, trackingId });
    t.is((await labelOf(ctx, order.id)).state, 'purchased');
    shipping.amend(purchaseId, 'refunding');
    await lookup(ctx, { purchaseId, trackingId });
    await lookup(ctx, { purchaseId, trackingId });
    t.like(await labelOf(ctx, order.id), { state: 'needs_attention', reason: 'carrier_error', trackingNumber: null });
    t.like(await orderOf(ctx, order.id), { fulfillment: 'needs_attention', attention: 'carrier_error', labels: [] });
    t.is((await trackingsOf(ctx, order.id))[0]?.nextPollAt, null);
    t.deepEqual(await recorded(ctx, labelId), ['label.purchased', 'label.needs_attention']);
    t.is(shipping.bought().length, 0, 'whether another is wanted is not ours to say');

    await retryLabel(ctx, { labelId });
    t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
    t.is(shipping.bought().length, 1);
    t.like(await orderOf(ctx, order.id), { fulfillment: 'label_purchased', attention: null });
  });
}

test('a void by this service, or of a parcel in transit, flags nothing', async (t) => {
  const { ctx, shipping, order, labelId, trackingNumber, trackingId } = await shipped(t.context.ctx);
  const purchaseId = shipping.bought()[0]?.id ?? '';
  shipping.tracking.set(trackingNumber, { status: 'transit', at: ctx.clock.now() });
  await reconcileTracking(ctx, { trackingId });
  shipping.amend(purchaseId, 'refunding');
  await notify(ctx, 'transaction_updated', { object_id: purchaseId, status: 'REFUNDED' });
  t.is((await labelOf(ctx, order.id)).state, 'purchased');

  const other = await shipped(t.context.ctx);
  await voidLabel(other.ctx, { labelId: other.labelId });
  await notify(other.ctx, 'transaction_updated', { object_id: other.shipping.refunded[0] ?? '', status: 'REFUNDED' });
  t.like(await orderOf(other.ctx, other.order.id), { fulfillment: 'unfulfilled', attention: null });
  t.deepEqual(await recorded(ctx, labelId), ['label.purchased']);
});

test("recordDuplicates and acknowledgeDuplicate leave the attentions of the order's money open", async (t) => {
  const { ctx, shipping, order, labelId } = await shipped(t.context.ctx);
  const others = ['disputed', 'paid_twice', 'refund_failed'];
  await transact(ctx, async (ctx) => {
    const locked = await lockOrder(ctx, order.id);
    for (const code of others) locked?.flag({ code, detail: '' });
  });
  const ids = [];
  for (const number of [2, 3]) {
    const { id } = await buyAgain(ctx, shipping, labelId, number);
    await receiveNotification(ctx, { event: 'transaction_created', data: { object_id: id } });
    ids.push(id);
  }
  await processNotifications(ctx);
  const other = await shipped(t.context.ctx);
  const { id: ofOther } = await buyAgain(other.ctx, other.shipping, other.labelId, 2);
  await receiveNotification(other.ctx, { event: 'transaction_created', data: { object_id: ofOther } });
  await processNotifications(other.ctx);
  t.is((await orderOf(ctx, other.order.id)).attention, 'duplicate_voided', 'not acknowledged');
  const codes = async () => (await orderForShipping(ctx, order.id))?.attentionCodes;
  t.deepEqual(await codes(), [...others, 'duplicate_voided']);
  for (const [purchaseId, open] of [
    [ids[0], [...others, 'duplicate_voided']],
    [ids[1], others],
  ] as const) {
    await acknowledgeDuplicate(ctx, { purchaseId: purchaseId ?? '', orderId: order.id });
    t.deepEqual(await codes(), open);
  }
});

test('a second label that was acknowledged is flagged again when its refund is rejected, once', async (t) => {
  const { ctx, shipping, order, labelId } = await shipped(t.context.ctx);
  const { id: purchaseId } = await buyAgain(ctx, shipping, labelId, 2);
  await notify(ctx, 'transaction_created', { object_id: purchaseId });
  const open = async () => {
    const [row] = await read<{ attentions: { code: string; detail: string }[] }>(
      ctx,
      sql`select attentions from orders where tenant_id = ${ctx.tenant.id} and id = ${order.id}`,
    );
    return row?.attentions.map(({ code, detail }) => [code, /rejected its refund/.test(detail)]);
  };
  t.deepEqual(await open(), [['duplicate_voided', false]]);
  for (const reopened of [[['duplicate_voided', true]], []]) {
    await acknowledgeDuplicate(ctx, { purchaseId, orderId: order.id });
    t.deepEqual(await open(), []);
    shipping.throws.refund = [rejection()];
    await t.throwsAsync(refundDuplicates(ctx), { instanceOf: ManualActionRequired });
    t.deepEqual(await open(), reopened);
  }
});

test('a refund that is rejected later is flagged', async (t) => {
  const { ctx, shipping, order, labelId } = await shipped(t.context.ctx);
  const second = await buyAgain(ctx, shipping, labelId, 2);
  const receive = async (status: string) => {
    await notify(ctx, 'transaction_updated', { object_id: second.id, status });
  };
  await receive('SUCCESS');
  await refundDuplicates(ctx);
  await acknowledgeDuplicate(ctx, { purchaseId: second.id, orderId: order.id });
  t.is((await orderOf(ctx, order.id)).attention, null);

  shipping.amend(second.id, 'refund_rejected');
  await receive('REFUNDREJECTED');
  await receive('REFUNDREJECTED');
  t.is((await orderOf(ctx, order.id)).attention, 'duplicate_voided');
  t.deepEqual(
    await read(ctx, sql`select state, acknowledged_at from unused_labels where tenant_id = ${ctx.tenant.id}`),
    [{ state: 'refund_refused', acknowledged_at: null }],
  );
});

test('a label that turns up before it is bought again is used, and one at a dropped rate is refunded', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const receive = async (id: string) => {
    await notify(ctx, 'transaction_created', { object_id: id });
  };
  const account = { tenantId: ctx.tenant.id, apiKey: '' };
  const late = await request(ctx);
  shipping.nextPurchases = [{ error: busy(60) }];
  t.is(await run(ctx, late.order.id), 'snoozed');
  t.is((await labelOf(ctx, late.order.id)).state, 'rate_chosen');
  const rateId = await rateIdOf(ctx, late.labelId);
  const straggler = await shipping.buyLabel(account, {
    rateId,
    marker: `${late.labelId}:1 ${ctx.tenant.id} ${late.order.orderNumber}`,
  });
  await receive(straggler.id);
  t.like(await labelOf(ctx, late.order.id), { state: 'purchased', purchaseId: straggler.id });
  t.is(await run(ctx, late.order.id), 'done');

  const other = await request(ctx);
  const stray = await shipping.buyLabel(account, {
    rateId: 'rate_let_go',
    marker: `${other.labelId}:1 ${ctx.tenant.id} ${other.order.orderNumber}`,
  });
  await receive(stray.id);
  t.is((await labelOf(ctx, other.order.id)).state, 'queued');
  await refundDuplicates(ctx);
  t.deepEqual(
    shipping.bought().map(({ id }) => id),
    [straggler.id],
  );
});

test.serial('a lookup that fails is repeated', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  shipping.nextPurchases = [{ sellsUnseenFor: 2 }];
  await runToEnd(ctx, clock, order.id);
  const lookups = async () =>
    (await enqueuedJobs(ctx, jobs.checkPurchases)).filter((payload) => payload.labelId === labelId);
  clock.pass(minutes(11));
  await sweepLabels(ctx);
  shipping.throws.lookup = [silence()];
  for (const lookup of await lookups()) await t.notThrowsAsync(checkPurchases(ctx, lookup));
  t.is(shipping.bought().length, 2);

  clock.pass(minutes(61));
  await sweepLabels(ctx);
  t.is((await lookups()).length, 2);
  for (const lookup of await lookups()) await checkPurchases(ctx, lookup);
  await refundDuplicates(ctx);
  t.is(shipping.bought().length, 1);
});

test.serial('a purchase with an unknown outcome is looked up again by a sweep', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  shipping.nextPurchases = ['sells silently'];
  shipping.throws.lookup = Array.from({ length: 6 }, silence);
  t.is((await runToEnd(ctx, clock, order.id)).reason, 'outcome_unknown');
  clock.pass(minutes(11));
  await sweepLabels(ctx);
  const lookups = (await enqueuedJobs(ctx, jobs.checkPurchases)).filter((payload) => payload.labelId === labelId);
  for (const lookup of lookups) await checkPurchases(ctx, lookup);
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
  t.is(shipping.bought().length, 1);
});

test('a notification about a purchase that an attempt is about to record is left to that attempt', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  const buyLabel = shipping.buyLabel.bind(shipping);
  const hinting = {
    ...shipping,
    async buyLabel(...given: Parameters<typeof buyLabel>) {
      const purchase = await buyLabel(...given);
      await receiveNotification(ctx, { event: 'transaction_created', data: { object_id: purchase.id } });
      const notifications = await enqueuedJobs(ctx, jobs.processNotification);
      t.is(notifications.length, 1);
      for (const notification of notifications)
        await t.throwsAsync(processNotification(ctx, notification), { instanceOf: Snooze });
      return purchase;
    },
  };
  t.is(await run({ ...ctx, ports: { ...ctx.ports, shipping: hinting } }, order.id), 'done');
  await processNotifications(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
  t.deepEqual(await enqueuedJobs(ctx, jobs.refundDuplicate), []);
});

test('parcels are not polled while the provider rejects the key', async (t) => {
  const { ctx, shipping, trackingId } = await shipped(t.context.ctx);
  shipping.throws.track = [denial()];
  await t.notThrowsAsync(reconcileTracking(ctx, { trackingId }));
  await t.notThrowsAsync(reconcileTracking(ctx, { trackingId }));
  t.is(shipping.calls.filter((what) => what === 'track').length, 1);
});

test('a notification about a purchase that no attempt waits for records its label', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = ['sells silently'];
  shipping.throws.lookup = Array.from({ length: 6 }, silence);
  t.is((await runToEnd(ctx, clock, order.id)).reason, 'outcome_unknown');
  const [purchase] = shipping.bought();
  await notify(ctx, 'transaction_updated', { object_id: purchase?.id ?? '', status: 'SUCCESS' });
  t.like(await labelOf(ctx, order.id), { state: 'purchased', purchaseId: purchase?.id });
  t.like(await orderOf(ctx, order.id), { attention: null, fulfillment: 'label_purchased' });
  t.deepEqual(await enqueuedJobs(ctx, jobs.refundDuplicate), []);
});

test.serial('a label that turns up after the order was shipped by hand is refunded', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = ['sells silently'];
  shipping.throws.lookup = Array.from({ length: 6 }, silence);
  await runToEnd(ctx, clock, order.id);
  await markFulfilled(ctx, { orderId: order.id, carrier: 'DHL Express', trackingNumber: '9100000001' });
  t.like(await orderOf(ctx, order.id), { fulfillment: 'shipped', attention: null });

  await sweepLabels(ctx);
  await checkAllPurchases(ctx);
  await refundDuplicates(ctx);
  t.is(shipping.bought().length, 0);
});

test.serial('a parcel that was sent by hand is followed by its carrier and number', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx, { address: { country: 'CA' } });
  await run(ctx, order.id);
  await markFulfilled(ctx, { orderId: order.id, carrier: 'DHL Express', trackingNumber: '9100000002' });
  t.deepEqual(await recorded(ctx, order.id), ['order.shipped']);
  t.deepEqual(await mailsAbout(ctx, order.id), ['shipped']);
  t.is((await labelOf(ctx, order.id)).state, 'skipped');
  t.deepEqual(await recorded(ctx, labelId), ['label.needs_attention', 'label.skipped']);

  clock.pass(2000);
  await pollTrackings(ctx);
  shipping.tracking.set('9100000002', { status: 'delivered', at: null });
  for (const poll of await enqueuedJobs(ctx, jobs.reconcileTracking)) await reconcileTracking(ctx, poll);
  t.deepEqual(shipping.calls, ['follow']);
  t.is((await orderOf(ctx, order.id)).fulfillment, 'delivered');
});

test('two orders that are sent in one parcel by hand are both delivered with it', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  shipping.tracking.set('9100000006', { status: 'delivered', at: null });
  const orders = [
    await request(ctx, { address: { country: 'CA' } }),
    await request(ctx, { address: { country: 'CA' } }),
  ];
  for (const { order } of orders)
    await markFulfilled(ctx, { orderId: order.id, carrier: 'USPS', trackingNumber: '9100000006' });
  await receiveNotification(ctx, hintOf('9100000006', 'DELIVERED'));
  await processNotifications(ctx);
  for (const { order } of orders) t.is((await orderOf(ctx, order.id)).fulfillment, 'delivered');
});

test('a parcel whose number is entered by hand once more stays as it is known', async (t) => {
  const { ctx, shipping, order, trackingNumber, trackingId } = await shipped(t.context.ctx);
  shipping.tracking.set(trackingNumber, { status: 'delivered', at: null });
  await reconcileTracking(ctx, { trackingId });
  const { labels } = await orderOf(ctx, order.id);
  const carrier = (labels[0] as { carrier?: string }).carrier ?? '';
  await markFulfilled(ctx, { orderId: order.id, carrier, trackingNumber });
  t.deepEqual((await orderOf(ctx, order.id)).labels, labels);

  await markFulfilled(ctx, { orderId: order.id, carrier, trackingNumber: '9100000007' });
  const correction = { carrier: 'Another', trackingNumber };
  await correctTracking(ctx, { orderId: order.id, trackingNumber: '9100000007', correction });
  t.deepEqual((await orderOf(ctx, order.id)).labels, labels);
});

test('an order that was marked as shipped by mistake is to be sent, and can be shipped later', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  const byHand = { orderId: order.id, carrier: 'USPS', trackingNumber: '9100000008' };
  const shippedAt = async () => (await readOrder(ctx, order.id))?.shipped_at;
  await cancelShipment(ctx, { orderId: order.id });
  t.deepEqual(await recorded(ctx, order.id), [], 'nothing was shipped');
  await markFulfilled(ctx, byHand);
  t.truthy(await shippedAt());
  for (let time = 0; time < 2; time += 1) await cancelShipment(ctx, { orderId: order.id });
  t.like(await orderOf(ctx, order.id), { fulfillment: 'unfulfilled', labels: only() });
  t.is(await shippedAt(), null);
  t.deepEqual(await trackingsOf(ctx, order.id), []);
  t.is((await mailsAbout(ctx, order.id)).length, 1);

  await requestLabelAgain(ctx, { orderId: order.id });
  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  await markFulfilled(ctx, byHand);
  await cancelShipment(ctx, { orderId: order.id });
  t.like(await orderOf(ctx, order.id), { fulfillment: 'label_purchased', labels: only({ status: 'pre_transit' }) });
  t.deepEqual(
    (await recorded(ctx, order.id)).filter((type) => type !== 'order.updated'),
    ['order.shipped', 'order.shipped'],
  );

  const [bought] = await trackingsOf(ctx, order.id);
  shipping.tracking.set((await labelOf(ctx, order.id)).trackingNumber ?? '', { status: 'transit', at: null });
  await reconcileTracking(ctx, { trackingId: bought?.id ?? '' });
  await t.throwsAsync(cancelShipment(ctx, { orderId: order.id }), { code: 'order_shipped' });
  t.truthy(await shippedAt());
});

test('the shipment of an order that was refunded since, or is unknown, is not canceled', async (t) => {
  const { ctx } = withFake(t.context.ctx);
  const { order } = await request(ctx);
  await markFulfilled(ctx, { orderId: order.id, carrier: 'USPS', trackingNumber: '9100000009' });
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
      update orders set status = 'refunded', payment_status = 'refunded'
      where tenant_id = ${ctx.tenant.id} and id = ${order.id}`),
  );
  await t.throwsAsync(cancelShipment(ctx, { orderId: order.id }), { code: 'order_not_shippable' });
  await t.throwsAsync(cancelShipment(ctx, { orderId: newId('ord') }), { code: 'not_found' });
});

test('the parcel of a label stays as it was where an order was marked as shipped with its number, by mistake', async (t) => {
  const { ctx, order, trackingNumber } = await shipped(t.context.ctx);
  const { labels } = await orderOf(ctx, order.id);
  for (const carrier of ['usps', 'Postal Service']) {
    await markFulfilled(ctx, { orderId: order.id, carrier, trackingNumber });
    await cancelShipment(ctx, { orderId: order.id });
    t.deepEqual((await orderOf(ctx, order.id)).labels, labels);
  }
});

test('an order whose shipment was canceled has its open purchase looked up before another label is bought', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = [{ sellsUnseenFor: 1 }];
  await run(ctx, order.id);
  clock.pass(minutes(10));
  await markFulfilled(ctx, { orderId: order.id });
  await cancelShipment(ctx, { orderId: order.id });
  t.like(await labelOf(ctx, order.id), { state: 'skipped', buyNumber: 1 });

  await requestLabelAgain(ctx, { orderId: order.id });
  t.like(await runToEnd(ctx, clock, order.id), { state: 'purchased', buyNumber: 1 });
  t.is(shipping.bought().length, 1);
});

test('a wrong tracking number that was corrected is not tracked, and what it reported of the order is undone', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx, { address: { country: 'CA' } });
  await run(ctx, order.id);
  const byHand = { orderId: order.id, carrier: 'USPS', trackingNumber: '9100000003' };
  await markFulfilled(ctx, byHand);
  const [wrong] = await trackingsOf(ctx, order.id);
  await markFulfilled(ctx, { ...byHand, trackingNumber: '9100000004' });
  shipping.tracking.set('9100000003', { status: 'delivered', at: null });
  await reconcileTracking(ctx, { trackingId: wrong?.id ?? '' });
  t.is((await orderOf(ctx, order.id)).fulfillment, 'delivered');

  const correction = { carrier: 'USPS', trackingNumber: '9100000005' };
  await correctTracking(ctx, { orderId: order.id, trackingNumber: '9100000003', correction });
  t.like(await orderOf(ctx, order.id), {
    fulfillment: 'shipped',
    labels: only({ tracking_number: '9100000004' }, { tracking_number: '9100000005' }),
  });
  await reconcileTracking(ctx, { trackingId: wrong?.id ?? '' });
  t.is((await orderOf(ctx, order.id)).fulfillment, 'shipped', 'a poll that was under way changes nothing');
  t.is((await mailsAbout(ctx, order.id)).length, 3, 'one for each number');

  shipping.tracking.set('9100000005', { status: 'delivered', at: null });
  for (const { id } of await trackingsOf(ctx, order.id)) await reconcileTracking(ctx, { trackingId: id });
  t.is((await orderOf(ctx, order.id)).fulfillment, 'delivered');
  t.deepEqual(
    await recorded(ctx, order.id),
    ['order.shipped', 'order.updated', 'order.delivered', 'order.updated', 'order.delivered'],
    'and so are a second parcel and the correction',
  );

  await correctTracking(ctx, { orderId: order.id, trackingNumber: '9100000004', correction: null });
  t.like(await orderOf(ctx, order.id), {
    fulfillment: 'delivered',
    labels: only({ tracking_number: '9100000005' }),
  });
  t.is((await trackingsOf(ctx, order.id)).length, 1);
  t.is((await mailsAbout(ctx, order.id)).length, 3, 'no email says that a number was removed');
});

test('a tracking number that is corrected to that of another parcel leaves what was reported of it', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx, { address: { country: 'CA' } });
  const parcel = { orderId: order.id, carrier: 'USPS' };
  for (const trackingNumber of ['9100000007', '9100000008']) await markFulfilled(ctx, { ...parcel, trackingNumber });
  shipping.tracking.set('9100000008', { status: 'delivered', at: null });
  for (const { id } of await trackingsOf(ctx, order.id)) await reconcileTracking(ctx, { trackingId: id });

  const correction = { carrier: 'USPS', trackingNumber: '9100000008' };
  await correctTracking(ctx, { orderId: order.id, trackingNumber: '9100000007', correction });
  t.like(await orderOf(ctx, order.id), {
    fulfillment: 'delivered',
    labels: only({ tracking_number: '9100000008', status: 'delivered' }),
  });
  t.is((await mailsAbout(ctx, order.id)).length, 2, 'the shopper has this number');
});

test.serial('pollTrackings and sweepLabels twice at once enqueue each poll and each check once', async (t) => {
  const { ctx, clock, shipping } = await shipped(t.context.ctx);
  const { order } = await request(ctx);
  shipping.nextPurchases = ['is silent'];
  await runToEnd(ctx, clock, order.id);
  const sweeps = [
    {
      run: () => pollTrackings(ctx),
      enqueued: () => enqueuedJobs(ctx, jobs.reconcileTracking),
      due: () => sql`select from trackings where tenant_id = ${ctx.tenant.id} and next_poll_at <= ${ctx.clock.now()}`,
    },
    {
      run: () => sweepLabels(ctx),
      enqueued: () => enqueuedJobs(ctx, jobs.checkPurchases),
      due: () => sql`select from labels where tenant_id = ${ctx.tenant.id} and recheck_at <= ${ctx.clock.now()}`,
    },
  ];
  for (const { run, enqueued, due } of sweeps) {
    for (let step = 1, isReached = true; isReached; step += 1) {
      clock.pass(hours(7));
      const expected = (await enqueued()).length + (await read(ctx, due())).length;
      isReached = await interleave(t.context.services, step, run, run);
      t.is((await enqueued()).length, expected, `${run}, before statement ${step}`);
    }
  }
});
