import anyTest, { type TestFn } from 'ava';

import * as jobs from '#jobs/labels.ts';
import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { lockOrder, saveOrder } from '#src/domain/orders/index.ts';
import type { OrderStatus } from '#src/domain/orders/order.ts';
import { enqueueLabelRefund, refundUnusedLabel } from '#src/domain/shipping/index.ts';
import { ManualActionRequired, Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { denial, rejection, silence } from '#test/support/fakes/shipping-gateway.ts';
import { labelOf, orderOf, request, run, withFake } from './support.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

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

async function workWithdrawals(ctx: Context): Promise<void> {
  for (const payload of await enqueuedJobs(ctx, jobs.refundUnusedLabel)) await refundUnusedLabel(ctx, payload);
}

async function bought(base: Context) {
  const fake = withFake(base);
  await buildShippingAccount(fake.ctx);
  const requested = await request(fake.ctx);
  await run(fake.ctx, requested.order.id);
  return { ...fake, ...requested };
}

test('the label of an order that is refunded is given back, once, and that is written down', async (t) => {
  const { ctx, shipping, order, labelId } = await bought(t.context.ctx);
  await refund(ctx, order.id);
  await workWithdrawals(ctx);
  await workWithdrawals(ctx);
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

test('a label that was not bought yet is not bought any more, and nobody is asked about it', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const [queued, stuck] = [await request(ctx), await request(ctx, { address: { street1: null } })];
  await run(ctx, stuck.order.id);
  for (const { order } of [queued, stuck]) await refund(ctx, order.id);
  await workWithdrawals(ctx);
  for (const { order } of [queued, stuck]) {
    t.like(await labelOf(ctx, order.id), { state: 'skipped', reason: 'not_required' });
    t.like(await orderOf(ctx, order.id), { fulfillment: 'unfulfilled', attention: null });
    t.is(await run(ctx, order.id), 'done');
  }
  t.deepEqual(shipping.asked, []);
});

test('a label that is bought while its order is refunded is given back all the same', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  const buyLabel = shipping.buyLabel.bind(shipping);
  const during = {
    ...shipping,
    async buyLabel(...given: Parameters<typeof buyLabel>) {
      await refund(ctx, order.id);
      await t.throwsAsync(workWithdrawals(ctx), { instanceOf: Snooze }, 'a run holds it');
      return buyLabel(...given);
    },
  };
  t.is(await run({ ...ctx, ports: { ...ctx.ports, shipping: during } }, order.id), 'done');
  t.is(shipping.bought().length, 1);
  await workWithdrawals(ctx);
  t.is(shipping.bought().length, 0);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
});

test('an open purchase is given back when it turns up', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  shipping.turns = ['sells silently'];
  shipping.throws.look = [silence()];
  await run(ctx, order.id);
  await refund(ctx, order.id);
  await workWithdrawals(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'buying', 'whether there is one is not known yet');
  clock.pass(10 * 60_000);
  await run(ctx, order.id);
  await workWithdrawals(ctx);
  t.is(shipping.bought().length, 0);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
});

test('what is on its way, or paid for after all, keeps its label', async (t) => {
  const { ctx, shipping, order } = await bought(t.context.ctx);
  await refund(ctx, order.id);
  await refund(ctx, order.id, 'paid');
  await workWithdrawals(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'purchased', 'the refund failed at the bank');

  await transact(ctx, async (ctx) => {
    const locked = await lockOrder(ctx, order.id);
    locked?.moveFulfillmentTo('shipped');
    if (locked) locked.shippedAt = ctx.clock.now();
  });
  await refund(ctx, order.id);
  await workWithdrawals(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
  t.deepEqual(shipping.refunded, []);
});

test("a provider that is away is asked again; one that will not take it back is a person's", async (t) => {
  const { ctx, shipping, clock, order } = await bought(t.context.ctx);
  await refund(ctx, order.id);
  shipping.throws.refund = [silence(), denial(), rejection()];
  await t.throwsAsync(workWithdrawals(ctx), { message: /did not answer/ });
  await t.throwsAsync(workWithdrawals(ctx), { instanceOf: Snooze });
  clock.pass(1);
  await t.throwsAsync(workWithdrawals(ctx), {
    instanceOf: ManualActionRequired,
    message: new RegExp(`^${order.orderNumber}: label_not_refunded\\. `),
  });
  t.like(await orderOf(ctx, order.id), { attention: 'label_not_refunded', fulfillment: 'label_purchased' });
  await workWithdrawals(ctx);
  t.is((await labelOf(ctx, order.id)).state, 'voided');
});
